import PlayheadCA
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

/// Who may use the proxy.
@Suite struct ProxyGateTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test(arguments: [
        // test:right, :right, test:wrong, test:righ, test, Bearer, broken base64
        ("Basic dGVzdDpyaWdodA==", true), ("basic OnJpZ2h0", true), ("Basic dGVzdDp3cm9uZw==", false),
        ("Basic dGVzdDpyaWdo", false), ("Basic dGVzdA==", false), ("Bearer right", false), ("Basic !", false),
        ("", false),
    ])
    func comparesThePasswordWithTheToken(value: String, isAdmitted: Bool) {
        let headers = HeaderList(value.isEmpty ? [] : [("Proxy-Authorization", value)])
        #expect(ProxyGate(token: "right").admits(headers) == isAdmitted)
        #expect(ProxyGate.open.admits(headers))
    }

    @Test(arguments: [
        (["127.0.0.0/8"], "127.0.0.1", true), (["127.0.0.0/8"], "::ffff:127.0.0.1", true),
        (["10.0.0.0/8"], "127.0.0.1", false),
        (["10.0.0.0/8", "::1"], "::1", true), ([], "8.8.8.8", true), (["0.0.0.0/0"], "::1", false),
    ])
    func looksAtTheNetwork(ranges: [String], address: String, isAdmitted: Bool) {
        #expect(ProxyGate(ranges: ranges.compactMap { AddressRange($0) }).admits(address: address) == isAdmitted)
    }

    @Test func asksWith407BeforeAnythingElse() async throws {
        let origin = try Origin.answering(Self.ok)
        defer { origin.stop() }
        var settings = ProxySettings()
        settings.gate = ProxyGate(token: "right")
        let url = "http://127.0.0.1:\(origin.port)/"
        try await TestProxy.run(settings: settings) { proxy in
            for (head, field) in [
                ("GET \(url)", ""), ("CONNECT 127.0.0.1:\(origin.port)", ""),
                ("GET \(url)", "Proxy-Authorization: Basic dGVzdDp3cm9uZw==\r\n"),
                ("GET /", ""), ("GET http://playhead.internal/other", ""),
            ] {
                let client = try proxy.client()
                try client.send("\(head) HTTP/1.1\r\nHost: x\r\n\(field)\r\n")
                let response = try client.readResponse()
                #expect(response.status == 407)
                #expect(response.fields["proxy-authenticate"]?.hasPrefix("Basic ") == true)
                #expect(client.readToEnd().end == .closed)
            }
            #expect(origin.connections == 0)
            let client = try proxy.client()
            let field = "Proxy-Authorization: Basic dGVzdDpyaWdodA==\r\n"
            try client.send("GET \(url) HTTP/1.1\r\nHost: x\r\n\(field)\r\n")
            #expect(try client.readResponse().body == "ok")
            try client.send("GET \(url) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.readResponse().status == 407, "each request says who asks")
            let tunnel = try proxy.client()
            try tunnel.send("CONNECT 127.0.0.1:\(origin.port) HTTP/1.1\r\nHost: x\r\n\(field)\r\n")
            _ = try tunnel.read(until: "\r\n\r\n")
            try tunnel.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try tunnel.readResponse().body == "ok", "inside a tunnel nothing more is asked")
            let certificate = try proxy.client()
            try certificate.send("GET http://playhead.internal/ca.pem HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try certificate.readResponse().body == proxy.authority.certificatePEM)
        }
        #expect(origin.requests.allSatisfy { !$0.contains("Proxy-Authorization") })
    }

    @Test func asksOverHTTP2Too() async throws {
        let origin = try Origin.answering(Self.ok)
        defer { origin.stop() }
        var settings = ProxySettings()
        settings.gate = ProxyGate(token: "right")
        try await TestProxy.run(settings: settings) { proxy in
            let peer = try HTTP2Peer(try proxy.client(timeout: 20))
            let authority = "127.0.0.1:\(origin.port)"
            let refused = try peer.message(try peer.request("GET", "/", authority: authority))
            #expect(refused.status == 407)
            #expect(refused.field("proxy-authenticate")?.hasPrefix("Basic ") == true)
            #expect(origin.connections == 0)
            let fields = [("proxy-authorization", "Basic dGVzdDpyaWdodA==")]
            #expect(try peer.message(try peer.request("GET", "/", authority: authority, fields)).text == "ok")
        }
        #expect(origin.requests.allSatisfy { !$0.contains("roxy-") })
    }

    @Test func refusesClientsOfOtherNetworks() async throws {
        var settings = ProxySettings()
        settings.gate = ProxyGate(ranges: [try #require(AddressRange("10.0.0.0/8"))])
        try await TestProxy.run(settings: settings) { proxy in
            let client = try proxy.client()
            try client.send("GET http://a.example/ HTTP/1.1\r\nHost: x\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.status == 403)
            #expect(response.body.contains("--allow-from"))
            let socks = try proxy.client()
            try socks.send("\u{5}\u{1}\u{0}")
            #expect(socks.readToEnd() == ("\u{5}\u{FFFD}", .closed))
        }
    }
}
