import Logging
import NIOCore
import NIOPosix
import PlayheadCassette

extension ProxyLoop {
    /// Gives the session of a cassette: at once if it is open, else when a thread has opened it.
    func openSession(_ name: CassetteName, _ completion: @escaping (Result<CassetteSession, any Error>) -> Void) {
        let sessions = self.core.sessions
        if let open = sessions.session(name) { return completion(.success(open)) }
        NIOThreadPool.singleton.runIfActive(eventLoop: self.eventLoop) { try sessions.open(name) }
            .assumeIsolated().whenComplete { completion($0) }
    }

    /// Saves and closes the sessions that nobody used for long, on a thread.
    func closeIdleSessions() {
        let (sessions, logger, now) = (self.core.sessions, self.core.logger, self.now)
        guard sessions.hasIdle(now: now) else { return }
        NIOThreadPool.singleton.submit { _ in
            for name in sessions.closeIdle(now: now) {
                logger.info("Saved and closed a cassette that was idle", metadata: ["cassette": "\(name)"])
            }
        }
    }
}

/// What a client hears whose cassette is not opened.
struct SessionRefusal {
    var status: Int
    var reason: String

    init(_ name: CassetteName, _ error: any Error) {
        self.status = error is TooManySessions ? 503 : 400
        self.reason = "The cassette \(name) cannot be opened: \(error)"
    }
}
