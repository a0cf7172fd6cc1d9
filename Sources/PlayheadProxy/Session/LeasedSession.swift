package import PlayheadCassette
import PlayheadEngine
import Synchronization

/// A session with a listener of its own: whoever connects to the port is in it, whatever the request names.
///
/// It is isolated: it shares neither play counts nor recordings with another session, not even of the same cassette.
package final class LeasedSession: Sendable {
    private struct State {
        var session: CassetteSession
        var isEnding = false
    }

    /// Its name in the API.
    package let id: String
    /// When it was opened.
    package let openedAt: Timestamp
    private let state: Mutex<State>
    private let reopening = Mutex(())

    init(id: String, session: CassetteSession) {
        self.id = id
        self.openedAt = session.clock()
        self.state = Mutex(State(session: session))
    }

    /// The cassette as it is open now.
    package var session: CassetteSession { self.state.withLock { $0.session } }

    /// Whether its end has begun: connections finish what they do and close.
    var isEnding: Bool { self.state.withLock { $0.isEnding } }

    func beginEnd() { self.state.withLock { $0.isEnding = true } }

    /// Saves what was recorded and opens the cassette again in another mode; reads the disk, so it belongs on a thread.
    ///
    /// A mode's effect is decided when a cassette is opened and never again, so this is another session of the
    /// cassette under the same id. An exchange that is under way belongs to the one before.
    ///
    /// - Returns: what the session before came to.
    /// - Throws: `LeaseError` when the end has begun; `CassetteError`; when the cassette cannot be opened again, the
    ///   session before stays, closed.
    func reopen(mode: RecordMode) throws -> ClosedSession {
        // The state's own lock is taken by event loops, which must not wait for the disk.
        try self.reopening.withLock { _ in
            guard !self.isEnding else { throw LeaseError.ending }
            let old = self.session
            let closed = try old.closed()
            var options = old.options
            options.mode = mode
            let new = try CassetteSession.open(options, clock: old.clock)
            self.state.withLock { $0.session = new }
            return closed
        }
    }

    /// Saves and closes the cassette for good; belongs on a thread.
    func close(discards: Bool) throws -> ClosedSession {
        self.beginEnd()
        // One that is being opened again is waited for, or nobody would close it.
        return try self.reopening.withLock { _ in
            return try self.session.closed(discards: discards)
        }
    }
}
