import Foundation
import PlayheadTLS
import Synchronization
import Testing

@testable import PlayheadCA

@Suite struct LeafCacheTests {
    private final class Clock: Sendable {
        let seconds: Mutex<Int64>
        init(_ seconds: Int64) { self.seconds = Mutex(seconds) }
        var now: Int64 {
            get { seconds.withLock { $0 } }
            set { seconds.withLock { $0 = newValue } }
        }
    }

    private let clock = Clock(1_800_000_000)
    private let authority: CertificateAuthority

    init() throws { authority = try CertificateAuthority.ephemeral(userAtHost: "me@here", now: 1_800_000_000) }

    private func cache(capacity: Int = 1000) throws -> LeafCache {
        try LeafCache(authority: authority, capacity: capacity) { [clock] in clock.now }
    }

    @Test func makesOneLeafForManyThreadsThatAskAtOnce() async throws {
        let cache = try cache()
        let distinct = try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<50 { group.addTask { ObjectIdentifier(try cache.identity(for: "new.example")) } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(distinct.count == 1)
        #expect(cache.mintedCount == 1)
    }

    @Test func knowsANameInAllItsSpellings() throws {
        let cache = try cache()
        let first = try cache.identity(for: "a.example")
        #expect(try cache.identity(for: "A.Example.") === first)
        #expect(try cache.identity(for: "a.example") === first)
        #expect(cache.mintedCount == 1)
    }

    @Test func renewsWhenLessThanAThirdIsLeft() throws {
        let cache = try cache()
        let first = try cache.identity(for: "a.example")
        let end = first.certificate.notAfter
        clock.now = end - 10 * 86_400
        #expect(try cache.identity(for: "a.example") === first)
        clock.now += 1
        let second = try cache.identity(for: "a.example")
        #expect(second !== first)
        #expect(second.certificate.notAfter > end)
    }

    @Test func renewsWhenTheClockWasSetBack() throws {
        let cache = try cache()
        clock.now += 100 * 86_400
        let first = try cache.identity(for: "a.example")
        clock.now -= 100 * 86_400
        #expect(try cache.identity(for: "a.example") !== first)
    }

    @Test func forgetsTheNameThatWasNotAskedForLongest() throws {
        let cache = try cache(capacity: 3)
        for name in ["a", "b", "c", "a", "d"] { _ = try cache.identity(for: name) }
        #expect(cache.count == 3)
        #expect(cache.mintedCount == 4)
        _ = try cache.identity(for: "a")
        _ = try cache.identity(for: "c")
        #expect(cache.mintedCount == 4)
        _ = try cache.identity(for: "b")
        #expect(cache.mintedCount == 5)
    }

    @Test func staysBoundedUnderManyNames() throws {
        var table = LeastRecentlyUsed<Int, Int>(capacity: 10)
        var model: [Int] = []
        var random = SystemRandomNumberGenerator()
        for step in 0..<10_000 {
            let key = Int.random(in: 0..<25, using: &random)
            if step.isMultiple(of: 3) {
                let value = table.value(for: key)
                #expect((value != nil) == model.contains(key))
                if value == nil { continue }
            } else {
                table.insert(step, for: key)
            }
            model.removeAll { $0 == key }
            model.append(key)
            if model.count > 10 { model.removeFirst() }
        }
        #expect(table.count == 10)
    }
}
