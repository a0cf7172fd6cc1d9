import PlayheadCassette
import PlayheadEngine
import Testing

@testable import PlayheadProxy

/// What the proxy does is in the log, as it happens.
@Suite(.timeLimit(.minutes(2))) struct ObservedExchangeTests {
    private static func get(_ proxy: TestProxy, _ port: Int, _ path: String) throws -> Int {
        let wire = try proxy.client()
        try wire.send("GET http://127.0.0.1:\(port)\(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        return try wire.readResponse().status
    }

    @Test func recordedReplayedMissedAndIgnoredAreTold() async throws {
        let folder = try Folder()
        let origin = try Origin.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        defer { origin.stop() }
        let log = ExchangeLog()
        try await TestProxy.run(.once, in: folder, options: { $0.log = log }) { proxy in
            _ = try Self.get(proxy, origin.port, "/one?token=secret-1234567890")
        }
        let first = try #require(log.entry(1))
        #expect(first.event.outcome == "recorded")
        #expect(first.event.source.session == "default")
        #expect(!first.event.url.contains("secret-1234567890"))
        try await TestProxy.run(.none, in: folder, options: { $0.log = log }) { proxy in
            let known = try Self.get(proxy, origin.port, "/one?token=secret-1234567890")
            let unknown = try Self.get(proxy, origin.port, "/other")
            #expect(known == 200 && unknown == 501)
        }
        let rules = TrafficRules(ignore: [try HostPattern("127.0.0.1")])
        try await TestProxy.run(
            .none, in: folder, settings: ProxySettings(traffic: rules), options: { $0.log = log }
        ) { proxy in
            let live = try Self.get(proxy, origin.port, "/live")
            #expect(live == 200)
        }
        let events = log.page(after: 1, limit: 10).entries.map(\.event)
        #expect(events.map(\.outcome) == ["replayed", "missed", "ignored"])
        #expect(events[0].exchange?.id == "1")
        #expect(events[1].url.hasSuffix("/other"))
        #expect(events[2].url.hasSuffix("/live") && events[2].method == "GET")
    }
}
