import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Synchronization

/// The sessions that have a port of their own, and what the ones that ended came to.
package final class SessionLeases: Sendable {
    private struct State {
        var next = 1
        var open: [String: LeasedSession] = [:]
        var ended: [ClosedSession] = []
    }

    /// At most so many are open at once: each has a listener and a cassette in memory.
    package static let limit = 256
    /// The results of so many are kept one by one; those of later ones are added up.
    private static let endedLimit = 100

    private let state = Mutex(State())

    /// Opens a session; reads the disk, so it belongs on a thread.
    ///
    /// - Throws: `LeaseError` when too many are open, or one that records has the cassette; `CassetteError`.
    func open(_ options: SessionOptions, clock: @escaping @Sendable () -> Timestamp) throws -> LeasedSession {
        let id = try self.state.withLock { state in
            guard state.open.count < Self.limit else { throw LeaseError.tooMany(Self.limit) }
            defer { state.next += 1 }
            return "lease-\(state.next)"
        }
        var options = options
        options.id = id
        let lease = LeasedSession(id: id, session: try CassetteSession.open(options, clock: clock))
        let isFull = self.state.withLock { state in
            guard state.open.count < Self.limit else { return true }
            state.open[id] = lease
            return false
        }
        guard !isFull else {
            _ = try? lease.session.close()
            throw LeaseError.tooMany(Self.limit)
        }
        return lease
    }

    /// An open one.
    package func find(_ id: String) -> LeasedSession? { self.state.withLock { $0.open[id] } }

    /// The open ones, in the order in which they were opened.
    package var all: [LeasedSession] {
        self.state.withLock { $0.open.values.sorted { ($0.id.utf8.count, $0.id) < ($1.id.utf8.count, $1.id) } }
    }

    /// What the ended ones came to.
    var ended: [ClosedSession] { self.state.withLock { $0.ended } }

    /// Saves and closes one; belongs on a thread.
    ///
    /// - Throws: `CassetteError` when the file cannot be written; the journal stays.
    func close(_ lease: LeasedSession, discards: Bool = false) throws -> ClosedSession {
        self.state.withLock { $0.open[lease.id] = nil }
        let closed = try lease.close(discards: discards)
        self.note(closed)
        return closed
    }

    /// Keeps the result of a session for the verdict at the end.
    func note(_ closed: ClosedSession) {
        self.state.withLock { state in
            guard let last = state.ended.indices.last, state.ended.count >= Self.endedLimit else {
                return state.ended.append(closed)
            }
            state.ended[last].add(closed)
        }
    }
}

/// Why a session with a port of its own is not opened.
package enum LeaseError: Error, Sendable, CustomStringConvertible {
    /// The bound is reached.
    case tooMany(Int)
    /// It is being ended.
    case ending

    package var description: String {
        switch self {
        case .tooMany(let limit): "\(limit) sessions with ports of their own are open; end one with DELETE first"
        case .ending: "the session is being ended"
        }
    }
}
