import Foundation
import PlayheadEngine
import Testing

@testable import PlayheadProxy

/// Origins behind an upstream proxy, with the proxy scripted by hand.
@Suite struct TunnelHandlerTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private func settings(_ scheme: String, _ proxy: Origin, tunnel: String? = nil) throws -> ProxySettings {
        var settings = ProxySettings()
        settings.upstreamRoutes = UpstreamRoutes(
            try UpstreamProxy("\(scheme)user:pass-word@127.0.0.1:\(proxy.port)", setting: "--upstream-proxy"))
        if let tunnel { settings.traffic.tunnel = [try #require(try? HostPattern(tunnel))] }
        return settings
    }

    @Test func handsPlainRequestsOnInAbsoluteForm() async throws {
        let upstream = try Origin.answering(Self.ok)
        defer { upstream.stop() }
        try await TestProxy.run(settings: try self.settings("http://", upstream)) { proxy in
            let client = try proxy.client()
            for path in ["/a?b=c", "/d"] {
                try client.send(
                    "GET http://nowhere.example\(path) HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic c2Vzc2lvbg==\r\n"
                        + "Playhead-Cassette: session\r\n\r\n")
                #expect(try client.readResponse().body == "ok")
            }
        }
        let first = try #require(upstream.requests.first).components(separatedBy: "\n")
        #expect(first[0] == "GET http://nowhere.example/a?b=c HTTP/1.1")
        #expect(first.contains("Host: nowhere.example"))
        #expect(
            first.filter { $0.lowercased().hasPrefix("proxy-authorization") } == [
                "Proxy-Authorization: Basic dXNlcjpwYXNzLXdvcmQ="
            ])
        #expect(upstream.requests.count == 2)
        #expect(upstream.connections == 1, "the connection to the proxy is kept")
    }

    @Test func asksForATunnelWhereAMapLeadsElsewhere() async throws {
        let upstream = try Origin { wire, _, origin in
            origin.note(try wire.readRequest())
            try wire.send("HTTP/1.1 200 OK\r\n\r\n")
            origin.note(try wire.readRequest())
            try wire.send(Self.ok)
        }
        defer { upstream.stop() }
        var settings = try self.settings("http://", upstream)
        settings.hostMap = [HostMapping(try HostPattern("name.example"), targetHost: "10.1.2.3", targetPort: 81)]
        try await TestProxy.run(settings: settings) { proxy in
            let client = try proxy.client()
            try client.send("GET http://name.example/a HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.readResponse().body == "ok")
        }
        #expect(upstream.requests.count == 2)
        #expect(
            upstream.requests[0].hasPrefix(
                "CONNECT 10.1.2.3:81 HTTP/1.1\nHost: 10.1.2.3:81\nProxy-Authorization: Basic"))
        #expect(upstream.requests[1] == "GET /a HTTP/1.1\nHost: name.example")
    }

    @Test func splicesThroughAProxyAndKeepsEarlyOctets() async throws {
        let upstream = try Origin { wire, _, origin in
            origin.note(try wire.readRequest())
            try wire.send("HTTP/1.1 200 OK\r\n\r\n220 first\r\n")
            try wire.send("got \(try wire.read(until: "\n"))")
        }
        defer { upstream.stop() }
        try await TestProxy.run(settings: try self.settings("http://", upstream, tunnel: "mail.example")) { proxy in
            let client = try proxy.tunnel(to: "mail.example:25")
            #expect(try client.read(until: "\r\n") == "220 first\r\n")
            try client.send("EHLO\n")
            #expect(try client.read(until: "\n") == "got EHLO\n")
        }
        #expect(upstream.requests.first?.hasPrefix("CONNECT mail.example:25 HTTP/1.1") == true)
    }

    @Test func asksASOCKSProxyByName() async throws {
        let upstream = try Origin { wire, _, origin in
            #expect(Array(try wire.read(count: 5).utf8.prefix(4)) == [5, 3, 0, 2])
            try wire.send(Data([5, 2]))
            #expect(try wire.read(count: 16) == "\u{1}\u{4}user\u{9}pass-word")
            try wire.send(Data([1, 0]))
            #expect(try wire.read(count: 5 + 15 + 2) == "\u{5}\u{1}\u{0}\u{3}\u{f}nowhere.example\u{0}P")
            try wire.send(Data([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
            origin.note(try wire.readRequest())
            try wire.send(Self.ok)
        }
        defer { upstream.stop() }
        try await TestProxy.run(settings: try self.settings("socks5://", upstream)) { proxy in
            let client = try proxy.client()
            try client.send("GET http://nowhere.example/a HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.readResponse().body == "ok")
        }
        #expect(upstream.requests == ["GET /a HTTP/1.1\nHost: nowhere.example"])
    }

    @Test func namesTheSettingWhenTheProxyWantsOtherCredentials() async throws {
        let upstream = try Origin.answering("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n")
        defer { upstream.stop() }
        let folder = try Folder()
        try await TestProxy.run(.all, in: folder, settings: try self.settings("http://", upstream)) { proxy in
            let client = try proxy.client()
            try client.send("GET http://nowhere.example/ HTTP/1.1\r\nHost: x\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.status == 502)
            #expect(response.body.contains("--upstream-proxy"))
            #expect(!response.body.contains("pass-word"))
            #expect(response.fields["proxy-status"]?.contains("proxy_configuration_error") == true)
        }
        #expect(try TestProxy.recorded(in: folder).isEmpty, "a proxy's word is not the origin's")
    }

    @Test func saysWhichProxyCannotBeReached() async throws {
        let gone = try Origin(refuses: true) { _, _, _ in }
        defer { gone.stop() }
        try await TestProxy.run(settings: try self.settings("http://", gone, tunnel: "mail.example")) { proxy in
            let client = try proxy.client()
            try client.send("CONNECT mail.example:25 HTTP/1.1\r\nHost: x\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.status == 502)
            #expect(response.body.contains("The upstream proxy http://127.0.0.1:\(gone.port) cannot be used."))
            #expect(response.body.contains("--upstream-proxy"))
        }
    }

    @Test(arguments: [true, false])
    func endsWhenTheProxySaysNothing(closes: Bool) async throws {
        let upstream = try Origin { wire, _, _ in
            if closes { _ = try wire.readRequest() } else { _ = wire.readToEnd() }
        }
        defer { upstream.stop() }
        var settings = try self.settings("http://", upstream, tunnel: "mail.example")
        settings.timeouts.connect = 1
        try await TestProxy.run(settings: settings) { proxy in
            let client = try proxy.client()
            try client.send("CONNECT mail.example:25 HTTP/1.1\r\nHost: x\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.status == (closes ? 502 : 504))
            #expect(response.body.contains("mail.example:25"))
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost", "[::1]", "2130706433", "a.localhost"])
    func neverAsksAProxyForItself(host: String) async throws {
        let upstream = try Origin.answering(Self.ok)
        defer { upstream.stop() }
        try await TestProxy.run(settings: try self.settings("http://", upstream)) { proxy in
            let client = try proxy.client()
            try client.send("GET http://\(host):\(proxy.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.readResponse().status == 508)
        }
        #expect(upstream.connections == 0)
    }

    @Test(arguments: ["169.254.169.254", "2852039166", "metadata.google.internal"])
    func neverAsksAProxyForMetadata(host: String) async throws {
        let upstream = try Origin.answering(Self.ok)
        defer { upstream.stop() }
        var settings = try self.settings("http://", upstream)
        settings.refusesMetadata = true
        try await TestProxy.run(settings: settings) { proxy in
            let client = try proxy.client()
            try client.send("GET http://\(host)/latest HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.readResponse().status == 403)
        }
        #expect(upstream.connections == 0)
    }
}
