import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Synchronization
import Testing

@testable import PlayheadProxy

@Suite struct ExchangeLogTests {
    private static func event(_ number: Int, octets: Int = 0) throws -> ExchangeEvent {
        let location = CassetteLocation(folder: "/nowhere", name: try CassetteName.validated("x"))
        let source = ExchangeEvent.Source(session: "s", location: location, redactor: .standard)
        guard octets > 0 else {
            return ExchangeEvent(source: source, subject: .ignored(method: "GET", url: "http://a.test/\(number)"))
        }
        let body = RecordedBody(.octets(.init(repeating: 0x61, count: octets)))
        return ExchangeEvent(
            source: source,
            subject: .recorded(
                Exchange(
                    id: "\(number)", recordedAt: Timestamp(milliseconds: 0),
                    request: RecordedRequest(method: "GET", url: "http://a.test/\(number)"),
                    outcome: .response(RecordedResponse(status: 200, body: body)))))
    }

    private static let moment = Timestamp(milliseconds: 7)

    @Test func numbersGoOnAndTheOldestGoes() throws {
        let log = ExchangeLog(capacity: 3)
        #expect(log.page(after: 0, limit: 10).entries.isEmpty)
        for number in 1...5 { log.note(try Self.event(number), at: Self.moment) }
        let page = log.page(after: 0, limit: 10)
        #expect(page.entries.map(\.number) == [3, 4, 5])
        #expect(page.first == 3)
        #expect(page.entries.map(\.event.url) == ["http://a.test/3", "http://a.test/4", "http://a.test/5"])
        #expect(log.page(after: 4, limit: 10).entries.map(\.number) == [5])
        #expect(log.page(after: 0, limit: 2).entries.map(\.number) == [3, 4])
        #expect(log.page(after: 9, limit: 2).entries.isEmpty)
        #expect(log.page(after: 0, limit: 1) { $0.number == 5 }.entries.map(\.number) == [5])
        #expect(log.entry(2) == nil && log.entry(6) == nil && log.entry(0) == nil && log.entry(-1) == nil)
        #expect(log.entry(5)?.at == Self.moment)
        #expect(log.last == 5)
    }

    /// Bodies are bounded too, but the newest exchange can always be looked at.
    @Test func bodiesAreBounded() throws {
        let log = ExchangeLog(capacity: 100, weight: 25)
        for number in 1...4 { log.note(try Self.event(number, octets: 10), at: Self.moment) }
        #expect(log.page(after: 0, limit: 10).entries.map(\.number) == [3, 4])
        log.note(try Self.event(5, octets: 100), at: Self.moment)
        #expect(log.page(after: 0, limit: 10).entries.map(\.number) == [5])
        log.note(try Self.event(6), at: Self.moment)
        #expect(log.page(after: 0, limit: 10).entries.map(\.number) == [6])
    }

    private final class Counter: Sendable {
        let count = Atomic(0)
    }

    @Test func observersAreWokenUntilTheyLeave() throws {
        let log = ExchangeLog()
        let calls = Counter()
        let id = log.observe { calls.count.add(1, ordering: .relaxed) }
        log.note(try Self.event(1), at: Self.moment)
        log.stopObserving(id)
        log.note(try Self.event(2), at: Self.moment)
        #expect(calls.count.load(ordering: .relaxed) == 1)
    }
}
