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
}
