package import PlayheadCassette
import Synchronization

/// The last exchanges of all sessions, for those who look on: the admin API.
///
/// A ring of bounded length and weight. Event loops write to it while they answer, so the lock is held for a few
/// stores only; what an entry looks like is worked out when somebody asks.
package final class ExchangeLog: Sendable {
    /// One exchange with its number.
    package struct Entry: Sendable {
        /// Counts from 1, without gaps.
        package var number: Int
        /// When it was noted.
        package var at: Timestamp
        /// What happened.
        package var event: ExchangeEvent
    }

    /// Several entries that follow each other.
    package struct Page: Sendable {
        package var entries: [Entry]
        /// The number of the oldest entry that is still kept.
        package var first: Int
    }

    private struct State {
        var ring: [Entry?]
        /// How many were noted in all: the number of the newest.
        var last = 0
        /// The number of the oldest that is kept.
        var first = 1
        var weight = 0
        var observers: [Int: @Sendable () -> Void] = [:]
        var nextObserver = 1
    }

    /// At most so many entries are kept.
    package static let defaultCapacity = 1000
    /// At most so many octets of bodies are kept, but always the newest entry.
    package static let defaultWeight = 32 << 20

    private let capacity: Int
    private let weightLimit: Int
    private let state: Mutex<State>

    /// Creates an empty log.
    package init(capacity: Int = ExchangeLog.defaultCapacity, weight: Int = ExchangeLog.defaultWeight) {
        self.capacity = max(1, capacity)
        self.weightLimit = weight
        self.state = Mutex(State(ring: Array(repeating: nil, count: max(1, capacity))))
    }

    /// Notes an exchange and wakes the observers.
    func note(_ event: ExchangeEvent, at: Timestamp) {
        let observers = self.state.withLock { state -> [@Sendable () -> Void] in
            if state.last - state.first + 1 == self.capacity { self.dropFirst(&state) }
            state.last += 1
            state.ring[(state.last - 1) % self.capacity] = Entry(number: state.last, at: at, event: event)
            state.weight += event.weight
            while state.weight > self.weightLimit, state.first < state.last { self.dropFirst(&state) }
            return state.observers.isEmpty ? [] : Array(state.observers.values)
        }
        for wake in observers { wake() }
    }

    private func dropFirst(_ state: inout State) {
        let place = (state.first - 1) % self.capacity
        state.weight -= state.ring[place]?.event.weight ?? 0
        state.ring[place] = nil
        state.first += 1
    }

    /// The number of the newest entry; 0 when there is none.
    package var last: Int { self.state.withLock { $0.last } }

    /// An entry that is still kept.
    package func entry(_ number: Int) -> Entry? {
        self.state.withLock { state in
            guard number >= state.first, number <= state.last else { return nil }
            return state.ring[(number - 1) % self.capacity]
        }
    }

    /// The entries after a number, oldest first, that `isWanted`; at most `limit`.
    package func page(after number: Int, limit: Int, where isWanted: (Entry) -> Bool = { _ in true }) -> Page {
        let (kept, first) = self.state.withLock { state -> ([Entry], Int) in
            let start = max(number + 1, state.first)
            guard start <= state.last else { return ([], state.first) }
            return ((start...state.last).compactMap { state.ring[($0 - 1) % self.capacity] }, state.first)
        }
        var entries: [Entry] = []
        for entry in kept where isWanted(entry) {
            guard entries.count < limit else { break }
            entries.append(entry)
        }
        return Page(entries: entries, first: first)
    }

    /// Calls `wake` after each new entry, on whatever thread noted it, until ``stopObserving(_:)``.
    package func observe(_ wake: @escaping @Sendable () -> Void) -> Int {
        self.state.withLock { state in
            let id = state.nextObserver
            state.nextObserver += 1
            state.observers[id] = wake
            return id
        }
    }

    /// Ends an observation.
    package func stopObserving(_ id: Int) { self.state.withLock { $0.observers[id] = nil } }
}
