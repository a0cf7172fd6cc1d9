import Dispatch
import NIOCore
import Synchronization

/// Work on all cores, for what takes long and nobody can wait for asynchronously: reading and preparing a cassette.
package enum Parallel {
    /// Fewer exchanges are not worth a second thread.
    package static let exchangeLimit = 10_000

    /// In how many parts to cut long work: more than there are cores, so that a core that is busy with something else
    /// holds the others up for little.
    package static var partCount: Int { max(1, System.coreCount) * 4 }

    /// The results of `body` for 0 up to `count`, in order.
    package static func map<Result: Sendable>(_ count: Int, _ body: @Sendable (Int) -> Result) -> [Result] {
        guard count > 1 else { return (0..<count).map(body) }
        let results = Mutex([Result?](repeating: nil, count: count))
        DispatchQueue.concurrentPerform(iterations: count) { index in
            let result = body(index)
            results.withLock { $0[index] = result }
        }
        return results.withLock { $0.compactMap { $0 } }
    }

    /// The results of two pieces of work, done at once if it is worth a second thread.
    package static func both<First: Sendable, Second: Sendable>(
        atOnce: Bool, _ first: @Sendable () -> First, _ second: @Sendable () -> Second
    ) -> (First, Second) {
        guard atOnce else { return (first(), second()) }
        let results = self.map(2) { $0 == 0 ? Either.first(first()) : Either.second(second()) }
        guard case .first(let one) = results.first, case .second(let other) = results.last else {
            return (first(), second())
        }
        return (one, other)
    }

    private enum Either<First: Sendable, Second: Sendable>: Sendable {
        case first(First)
        case second(Second)
    }
}
