import Foundation
import PlayheadCA
import PlayheadEngine
import Testing

@testable import PlayheadProxy

/// CONNECT, what is inside tunnels, and who is never connected to.
@Suite struct ConnectTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test(arguments: [
        "example.com", "example.com:", "example.com:0", "example.com:99999", "example.com:+1", "*.example.com:443",
        "*:443", "a,b:443", "a..b:443", ".a:443", "a%00b:443", "a/b:443", "http://a:443", "u@a:443", "[::1%25lo]:443",
        "[::1:443", "::1:443", "127.1:443", "2130706433:443", "0x7f000001:443", "\u{fc}.example:443",
        String(repeating: "a", count: 64) + ".example:443", String(repeating: "abc.", count: 64) + "example:443",
    ])
    func refusesAConnectThatNoCertificateCanServe(target: String) async throws {
        try await TestProxy.run { proxy in
            let client = try proxy.client()
            try client.send("CONNECT \(target) HTTP/1.1\r\nHost: example.com\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let (text, end) = client.readToEnd()
            #expect(text.hasPrefix("HTTP/1.1 400 "))
            #expect(text.components(separatedBy: "HTTP/1.1 ").count == 2)
            #expect(end == .closed)
        }
    }

    @Test func servesCleartextHTTPInATunnel() async throws {
        let origin = try Origin.answering(Self.ok)
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.tunnel(to: "127.0.0.1:\(origin.port)")
            for path in ["/a", "http://127.0.0.1:\(origin.port)/b"] {
                try client.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                #expect(try client.readResponse().body == "ok")
            }
        }
        #expect(origin.requests.map { String($0.prefix(6)) } == ["GET /a", "GET /b"])
    }

    @Test func refusesAnotherHostInsideATunnel() async throws {
        let origin = try Origin.answering(Self.ok)
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let others = ["http://other.example/", "https://127.0.0.1:\(origin.port)/", "http://127.0.0.1:1/"]
            for target in others {
                let client = try proxy.tunnel(to: "127.0.0.1:\(origin.port)")
                try client.send("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                #expect(try client.readResponse().status == 421)
                #expect(client.readToEnd().end == .closed)
            }
            let client = try proxy.tunnel(to: "127.0.0.1:\(origin.port)")
            try client.send("CONNECT other.example:443 HTTP/1.1\r\nHost: other.example\r\n\r\n")
            #expect(try client.readResponse().status == 405)
        }
        #expect(origin.connections == 0)
    }

    @Test(arguments: ["\u{0}\u{1}\u{2}", "SSH-2.0-OpenSSH_9.6\r\n", "\u{4}\u{5}binary", "<xml/>\r\n\r\n"])
    func namesTheWayOutForWhatIsNeitherTLSNorHTTP(octets: String) async throws {
        let summary = try await TestProxy.run { proxy in
            let client = try proxy.tunnel(to: "db.example:5432")
            try client.send(octets)
            let response = try client.readResponse()
            #expect(response.status >= 400)
            #expect(response.body.contains("--tunnel db.example"))
            #expect(client.readToEnd().end == .closed)
        }
        #expect(summary.warnings.count == 1)
        #expect(summary.warnings.first?.contains("--tunnel db.example") == true, "\(summary.warnings)")
    }

    @Test func splicesWhatTheUserAskedToPassThrough() async throws {
        let origin = try Origin { wire, _, _ in
            try wire.send("220 server speaks first\r\n")
            let line = try wire.read(until: "\n")
            try wire.send("got \(line)")
            #expect(wire.readToEnd().end == .closed)
            try wire.send("after your end")
        }
        defer { origin.stop() }
        var settings = ProxySettings()
        settings.traffic.tunnel = [try #require(try? HostPattern("127.0.0.1"))]
        let summary = try await TestProxy.run(settings: settings) { proxy in
            let client = try proxy.client()
            // The first octets may come with the CONNECT.
            try client.send("CONNECT 127.0.0.1:\(origin.port) HTTP/1.1\r\nHost: a\r\n\r\n\u{0}raw\n")
            #expect(try client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            #expect(try client.read(until: "\r\n") == "220 server speaks first\r\n")
            #expect(try client.read(until: "\n") == "got \u{0}raw\n")
            client.endOutput()
            #expect(client.readToEnd().text == "after your end")
        }
        #expect(summary.tunnelled == 1)
    }

    @Test func deliversTheTailOfASplicedStreamToASlowReader() async throws {
        let size = 20 * 1024 * 1024
        let full = Event()
        let origin = try Origin { wire, _, _ in try wire.send(Data(repeating: 0x61, count: size), whenFull: full) }
        defer { origin.stop() }
        var settings = ProxySettings()
        settings.traffic.tunnel = [try #require(try? HostPattern("127.0.0.1"))]
        try await TestProxy.run(settings: settings) { proxy in
            let client = try proxy.client(receiveBuffer: 16 * 1024)
            try client.send("CONNECT 127.0.0.1:\(origin.port) HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try client.read(until: "\r\n\r\n")
            try full.wait("the way to the client is full")
            let (text, end) = client.readToEnd()
            #expect(text.utf8.count == size)
            #expect(end == .closed)
        }
    }

    @Test(arguments: [
        "127.0.0.1", "localhost", "[::1]", "0.0.0.0", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.2",
        "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::]", "0",
    ])
    func neverConnectsToItself(host: String) async throws {
        try await TestProxy.run { proxy in
            let client = try proxy.client()
            try client.send("GET http://\(host):\(proxy.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.status == 508)
            #expect(response.fields["proxy-status"]?.contains("proxy_loop_detected") == true)
        }
    }

    @Test(arguments: [
        "169.254.169.254", "[fd00:ec2::254]", "[::ffff:169.254.169.254]", "2852039166", "100.100.100.200",
    ])
    func refusesCloudMetadataWhenAsked(host: String) async throws {
        try await TestProxy.run(settings: ProxySettings(refusesMetadata: true)) { proxy in
            let client = try proxy.client()
            try client.send("GET http://\(host)/latest HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.readResponse().status == 403)
        }
    }

    @Test func servesItsCertificateAndNothingElseUnderItsName() async throws {
        try await TestProxy.run(.none) { proxy in
            for (path, status) in [("/ca.pem", 200), ("/", 200), ("/api/v1/status", 404), ("/ca.key", 404)] {
                let client = try proxy.client()
                try client.send("GET http://playhead.internal\(path) HTTP/1.1\r\nHost: playhead.internal\r\n\r\n")
                let response = try client.readResponse()
                #expect(response.status == status)
                if status == 200 { #expect(response.body == proxy.authority.certificatePEM) }
            }
            let client = try proxy.tunnel(to: "playhead.internal:80")
            try client.send("GET /ca.pem HTTP/1.1\r\nHost: playhead.internal\r\n\r\n")
            #expect(try client.readResponse().body == proxy.authority.certificatePEM)
        }
    }

    @Test func explainsItselfToAClientThatTakesItForAnOrigin() async throws {
        try await TestProxy.run(.none) { proxy in
            for target in ["/", "*", "/ca.pem"] {
                let client = try proxy.client()
                let method = target == "*" ? "OPTIONS" : "GET"
                try client.send("\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                let response = try client.readResponse()
                #expect(response.status == 400)
                #expect(response.body.contains("forward proxy"))
            }
        }
    }
}
