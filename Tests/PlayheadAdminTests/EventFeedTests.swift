import NIOCore
import PlayheadEngine
import PlayheadProxy
import Testing

@testable import PlayheadAdmin

@Suite(.timeLimit(.minutes(2))) struct EventFeedTests {
    private static func feed(_ log: ExchangeLog, _ lastID: String?, query: String = "") throws -> EventFeed {
        try EventFeed(
            log: log, run: "r", lastID: lastID, filter: ExchangeFilter(AdminRequest(method: "GET", target: "/\(query)"))
        )
    }

    /// Events without their data.
    private static func ids(_ feed: inout EventFeed, limit: Int = 50) -> [String] {
        guard let text = feed.next(limit: limit).map({ String(buffer: $0) }) else { return [] }
        return text.split(separator: "\n\n").map { event in
            event.split(separator: "\n").filter { !$0.hasPrefix("data: {\"number") }.joined(separator: " ")
        }
    }

    /// A log with misses of a proxy, of which the last two are kept.
    private static func log(_ body: (ExchangeLog, AdminClient) async throws -> Void) async throws {
        let log = ExchangeLog(capacity: 2)
        try await TestAdmin.run(.none, log: log) { admin in
            let client = try #require(
                AdminClient(url: "http://127.0.0.1:\(admin.server.addresses[0].port ?? 0)"))
            for path in 1...2 { _ = try await client.get("http://a.test/\(path)") }
            try await body(log, client)
        }
    }

    @Test func withoutAnIDOnlyNewEventsCome() async throws {
        try await Self.log { log, client in
            var feed = try Self.feed(log, nil)
            #expect(Self.ids(&feed).isEmpty)
            _ = try await client.get("http://a.test/3")
            #expect(Self.ids(&feed) == ["event: exchange id: r-3"])
            #expect(Self.ids(&feed).isEmpty)
        }
    }

    @Test func anIDContinuesWhereItWas() async throws {
        try await Self.log { log, client in
            var feed = try Self.feed(log, "r-1")
            #expect(Self.ids(&feed) == ["event: exchange id: r-2"])
            feed = try Self.feed(log, "r-0")
            #expect(Self.ids(&feed, limit: 1) == ["event: exchange id: r-1"])
            #expect(Self.ids(&feed, limit: 1) == ["event: exchange id: r-2"])
            #expect(Self.ids(&feed, limit: 1).isEmpty)
            for path in 3...5 { _ = try await client.get("http://a.test/\(path)") }
            #expect(
                Self.ids(&feed) == [
                    "event: reset id: r-3 data: {\"lost\":1}", "event: exchange id: r-4", "event: exchange id: r-5",
                ])
        }
    }

    /// Whoever comes back to another run, or with nonsense, is told so and gets everything.
    @Test(arguments: ["other-1", "r-99", "r-x", "r", "-", "r--1"]) func anUnknownIDIsAReset(_ id: String) async throws {
        try await Self.log { log, _ in
            var feed = try Self.feed(log, id)
            #expect(
                Self.ids(&feed) == [
                    "event: reset id: r-0 data: {\"lost\":0}", "event: exchange id: r-1", "event: exchange id: r-2",
                ])
            #expect(Self.ids(&feed).isEmpty)
        }
    }

    @Test func whatTheFilterLeavesOutIsPassedBy() async throws {
        try await Self.log { log, client in
            var feed = try Self.feed(log, "r-0", query: "?url=/2")
            #expect(Self.ids(&feed) == ["event: exchange id: r-2"])
            for path in 3...6 { _ = try await client.get("http://a.test/\(path)") }
            #expect(Self.ids(&feed) == ["event: reset id: r-4 data: {\"lost\":2}"])
            _ = try await client.get("http://a.test/22")
            #expect(Self.ids(&feed) == ["event: exchange id: r-7"])
        }
    }
}
