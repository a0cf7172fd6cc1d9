import NIOCore
import PlayheadEngine
import Testing

@testable import PlayheadProxy

/// Names with addresses of which the first does not answer: what speaks TLS, HTTP or to a proxy stands on the connection
/// that is used, whatever became of the others.
@Suite struct DiallerTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhere"

    /// Nothing listens on the first two; the second is for documentation and leads nowhere.
    private static let addresses = [["::1", "127.0.0.1"], ["2001:db8::1", "127.0.0.1"], ["127.0.0.1"]]

    /// Settings for a machine on which `both.example` has these addresses.
    private static func settings(_ addresses: [String]) -> ProxySettings {
        var settings = ProxySettings()
        settings.lookUp = { name, port in
            guard name == "both.example" else { return .failure(.unknown) }
            return .success(addresses.compactMap { try? SocketAddress(ipAddress: $0, port: port) })
        }
        return settings
    }

    @Test(arguments: addresses)
    func speaksTLSOverWhichAnswers(addresses: [String]) async throws {
        let origin = try Origin { wire, _, _ in
            while true {
                _ = try wire.readRequest()
                try wire.send(Self.ok)
            }
        }
        defer { origin.stop() }
        let front = try TLSFront(before: origin.port, alpn: ["http/1.1"])
        defer { front.stop() }
        try await TestProxy.run(settings: Self.settings(addresses), upstreamRoots: [front.root]) { proxy in
            for _ in 0..<2 {
                let client = try proxy.client()
                try client.send("GET https://both.example:\(front.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try client.readResponse().body == "here")
            }
        }
    }

    @Test(arguments: addresses)
    func speaksInClearText(addresses: [String]) async throws {
        let origin = try Origin.answering(Self.ok)
        defer { origin.stop() }
        try await TestProxy.run(settings: Self.settings(addresses)) { proxy in
            let client = try proxy.client()
            try client.send("GET http://both.example:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.readResponse().body == "here")
        }
    }

    @Test(arguments: addresses)
    func asksAProxyForATunnel(addresses: [String]) async throws {
        let upstream = try Origin { wire, _, origin in
            origin.note(try wire.readRequest())
            try wire.send("HTTP/1.1 200 OK\r\n\r\nhello")
            _ = wire.readToEnd()
        }
        defer { upstream.stop() }
        var settings = Self.settings(addresses)
        settings.upstreamRoutes = UpstreamRoutes(
            try UpstreamProxy("http://both.example:\(upstream.port)", setting: "--upstream-proxy"))
        settings.traffic.tunnel = [try #require(try? HostPattern("tunnel.example"))]
        try await TestProxy.run(settings: settings) { proxy in
            let client = try proxy.client()
            try client.send("CONNECT tunnel.example:22 HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.readResponse(toHead: true).status == 200)
            #expect(try client.read(count: 5) == "hello")
            #expect(upstream.requests.count == 1)
        }
    }

    /// The server speaks first, at once.
    @Test(arguments: addresses)
    func losesNothingOfAServerThatSpeaksFirst(addresses: [String]) async throws {
        let origin = try Origin { wire, _, _ in
            try wire.send("220 here")
            _ = wire.readToEnd()
        }
        defer { origin.stop() }
        var settings = Self.settings(addresses)
        settings.traffic.tunnel = [try #require(try? HostPattern("both.example"))]
        try await TestProxy.run(settings: settings) { proxy in
            let client = try proxy.client()
            try client.send("CONNECT both.example:\(origin.port) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.readResponse(toHead: true).status == 200)
            #expect(try client.read(count: 8) == "220 here")
        }
    }

    @Test func saysSoWhenNoneAnswers() async throws {
        let origin = try Origin.answering(Self.ok)
        let port = origin.port
        origin.stop()
        try await TestProxy.run(settings: Self.settings(["::1", "127.0.0.1"])) { proxy in
            let client = try proxy.client()
            try client.send("GET http://both.example:\(port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.status == 502)
            #expect(response.fields["proxy-status"]?.contains("connection_refused") == true)
        }
    }
}
