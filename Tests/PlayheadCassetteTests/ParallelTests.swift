import Synchronization
import Testing

@testable import PlayheadCassette

@Suite struct ParallelTests {
    @Test(arguments: [0, 1, 2, 1000])
    func givesResultsInOrderAndAsksOnce(count: Int) {
        let asked = Mutex<[Int]>([])
        let results = Parallel.map(count) { index in
            asked.withLock { $0.append(index) }
            return index * 2
        }
        #expect(results == (0..<count).map { $0 * 2 })
        #expect(asked.withLock { $0.sorted() } == Array(0..<count))
    }

    @Test(arguments: [false, true])
    func doesBothOnce(atOnce: Bool) {
        let calls = Atomic(0)
        let (number, text) = Parallel.both(
            atOnce: atOnce,
            { calls.add(1, ordering: .relaxed).newValue > 0 ? 7 : 0 },
            { calls.add(1, ordering: .relaxed).newValue > 0 ? "seven" : "" })
        #expect(number == 7 && text == "seven")
        #expect(calls.load(ordering: .relaxed) == 2)
    }

    @Test func cutsWorkForAllCores() { #expect(Parallel.partCount >= 4) }
}
