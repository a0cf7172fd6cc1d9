import Foundation
import PlayheadCassette
import PlayheadEngine
import Testing

@testable import PlayheadProxy

/// SOCKS5 clients on the proxy's own port.
@Suite struct SOCKSHandlerTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// The greeting and a request for a name, in one piece.
    private func request(_ host: String, _ port: Int, greeting: [UInt8] = [5, 1, 0]) -> Data {
        Data(
            greeting + [5, 1, 0, 3, UInt8(host.utf8.count)] + Array(host.utf8) + [UInt8(port >> 8), UInt8(port & 255)])
    }

    private static let accepted = Data([5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0])

    private func received(_ client: Wire, _ count: Int) throws -> Data {
        while client.received.count < count, client.receive() == nil {}
        let data = client.received.prefix(count)
        client.received = Data(client.received.dropFirst(count))
        return Data(data)
    }

    @Test func servesHTTPInATunnel() async throws {
        let origin = try Origin.answering(Self.ok)
        defer { origin.stop() }
        let summary = try await TestProxy.run(.all) { proxy in
            let client = try proxy.client()
            try client.send(self.request("localhost", origin.port))
            #expect(try self.received(client, 12) == Self.accepted)
            for path in ["/a", "/b"] {
                try client.send("GET \(path) HTTP/1.1\r\nHost: localhost:\(origin.port)\r\n\r\n")
                #expect(try client.readResponse().body == "ok")
            }
        }
        #expect(summary.recorded == 2)
    }

    @Test func namesTheWayOutForWhatIsNeitherTLSNorHTTP() async throws {
        try await TestProxy.run { proxy in
            let client = try proxy.client()
            try client.send(self.request("db.example", 5432) + Data([0, 0, 1]))
            #expect(try self.received(client, 12) == Self.accepted)
            #expect(client.readToEnd().text.contains("--tunnel db.example"))
        }
    }

    @Test func splicesAndReportsFailures() async throws {
        let origin = try Origin { wire, _, _ in
            try wire.send("220 first\r\n")
            try wire.send("got \(try wire.read(until: "\n"))")
        }
        defer { origin.stop() }
        var settings = ProxySettings()
        settings.traffic.tunnel = [try #require(try? HostPattern("*"))]
        let summary = try await TestProxy.run(settings: settings) { proxy in
            let client = try proxy.client()
            try client.send(self.request("127.0.0.1", origin.port) + Data("early\n".utf8))
            #expect(try self.received(client, 12) == Self.accepted)
            #expect(try client.read(until: "\r\n") == "220 first\r\n")
            #expect(try client.read(until: "\n") == "got early\n")
            for (port, code) in [(proxy.port, UInt8(2)), (1, 5)] {
                let refused = try proxy.client()
                try refused.send(self.request("127.0.0.1", port))
                #expect(try self.received(refused, 12) == Data([5, 0, 5, code, 0, 1, 0, 0, 0, 0, 0, 0]))
                #expect(refused.readToEnd().end == .closed)
            }
        }
        #expect(summary.tunnelled == 1)
    }

    @Test func theUserNamesTheSessionAndThePasswordIsTheToken() async throws {
        let origin = try Origin.answering(Self.ok)
        defer { origin.stop() }
        let folder = try Folder()
        var settings = ProxySettings()
        settings.gate = ProxyGate(token: "right")
        let summary = try await TestProxy.run(.all, in: folder, settings: settings) { proxy in
            let login: [UInt8] = [5, 1, 2, 1, 5] + Array("other".utf8) + [5] + Array("right".utf8)
            let client = try proxy.client()
            try client.send(self.request("localhost", origin.port, greeting: login))
            #expect(try self.received(client, 14) == Data([5, 2, 1, 0]) + Self.accepted.dropFirst(2))
            try client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.readResponse().body == "ok")
            let other = try CassetteName.validated("other")
            #expect(proxy.server.sessions.session(other)?.summary.recorded == 1)
            for greeting in [[5, 1, 0], [5, 1, 2, 1, 1, 97, 5] + Array("wrong".utf8)] as [[UInt8]] {
                let refused = try proxy.client()
                try refused.send(self.request("localhost", origin.port, greeting: greeting))
                let answer = greeting.count == 3 ? Data([5, 0xFF]) : Data([5, 2, 1, 1])
                #expect(try self.received(refused, answer.count) == answer)
                #expect(refused.readToEnd().end == .closed)
            }
        }
        #expect(summary.recorded == 0, "the default session took no part")
        #expect(origin.requests.count == 1)
    }
}
