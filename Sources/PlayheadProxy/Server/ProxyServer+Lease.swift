import NIOCore
import NIOPosix
package import PlayheadEngine
import Synchronization

extension ProxyServer {
    /// A session and where its clients connect.
    package struct Lease: Sendable {
        package let session: LeasedSession
        package let address: ListenAddress
    }

    /// Opens a session of its own and binds a free port on loopback for it.
    ///
    /// - Throws: `LeaseError`, `CassetteError`, or `ProxyError` when no port is free.
    package func lease(_ options: SessionOptions) async throws -> Lease {
        let (leases, clock) = (self.sessions.leases, self.sessions.standard.clock)
        let session = try await NIOThreadPool.singleton.runIfActive { try leases.open(options, clock: clock) }
        let asked = ListenAddress(host: "127.0.0.1", port: 0)
        do {
            let listener = try await self.bind(asked, lease: session)
            guard let bound = listener.localAddress, let port = bound.port else {
                throw ProxyError.cannotListen(asked, cause: ChannelError.unknownLocalAddress)
            }
            self.protect(bound)
            let lease = Lease(session: session, address: ListenAddress(host: "127.0.0.1", port: port))
            self.leaseListeners.withLock { $0[session.id] = (lease, listener) }
            return lease
        } catch {
            _ = try? await NIOThreadPool.singleton.runIfActive { try leases.close(session) }
            throw error
        }
    }

    /// The leases that are open, in the order in which they were opened.
    package var leases: [Lease] {
        let open = self.leaseListeners.withLock { $0.mapValues { $0.lease } }
        return self.sessions.leases.all.compactMap { open[$0.id] }
    }

    /// Ends a lease: no new connections, a moment for exchanges under way, then its cassette is saved.
    ///
    /// - Returns: what it came to; nil when there is no such lease, or it is ended already.
    /// - Throws: `CassetteError` when the cassette cannot be written; the journal stays and is recovered next time.
    package func endLease(_ id: String, grace: Duration = .seconds(2)) async throws -> ClosedSession? {
        guard let (lease, listener) = self.leaseListeners.withLock({ $0.removeValue(forKey: id) }) else { return nil }
        lease.session.beginEnd()
        try? await listener.close()
        let deadline = ContinuousClock.now + grace
        while await self.endConnections(of: lease.session, atOnce: ContinuousClock.now >= deadline) > 0 {
            guard ContinuousClock.now < deadline + .seconds(1) else { break }
            try? await Task.sleep(for: .milliseconds(10))
        }
        self.unprotect(port: lease.address.port)
        let leases = self.sessions.leases
        return try await NIOThreadPool.singleton.runIfActive { try leases.close(lease.session) }
    }

    /// Opens a lease's cassette again in another mode.
    package func reopen(_ lease: LeasedSession, mode: RecordMode) async throws {
        let leases = self.sessions.leases
        try await NIOThreadPool.singleton.runIfActive { leases.note(try lease.reopen(mode: mode)) }
    }

    /// - Returns: how many connections of the lease are still open.
    private func endConnections(of lease: LeasedSession, atOnce: Bool) async -> Int {
        var count = 0
        for loop in self.loops.values {
            count +=
                (try? await loop.eventLoop.submit { loop.value.endConnections(of: lease, atOnce: atOnce) }.get()) ?? 0
        }
        return count
    }
}
