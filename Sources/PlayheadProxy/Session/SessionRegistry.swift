import PlayheadCassette
public import PlayheadEngine
import Synchronization

/// The open cassettes of one proxy: the default one, and those that clients ask for by name.
public final class SessionRegistry: Sendable {
    /// The session of requests that name none.
    public let standard: CassetteSession
    /// How a session is opened that says nothing else.
    package let options: SessionOptions
    /// The sessions with ports of their own.
    package let leases = SessionLeases()
    private let opening = Mutex(())
    private let named = Mutex<[CassetteName: CassetteSession]>([:])

    /// Creates a registry; sessions that clients name are opened like the default one, with another cassette.
    public init(standard: CassetteSession, options: SessionOptions) {
        self.standard = standard
        self.options = options
    }

    /// A session that is open already.
    func session(_ name: CassetteName) -> CassetteSession? {
        name == self.options.location.name ? self.standard : self.named.withLock { $0[name] }
    }

    /// Opens a session; reads the disk, so it belongs on a thread.
    ///
    /// Two that ask at once get the same session.
    func open(_ name: CassetteName) throws -> CassetteSession {
        try self.opening.withLock { _ in
            if let session = self.session(name) { return session }
            var options = self.options
            options.location = CassetteLocation(
                folder: self.options.location.folder, name: name, key: self.options.location.key)
            options.displayPath = options.location.file
            options.id = "user:\(name)"
            let session = try CassetteSession.open(options, clock: self.standard.clock)
            self.named.withLock { $0[name] = session }
            return session
        }
    }

    /// The open sessions, the default one first, then by name.
    public var all: [CassetteSession] {
        let named = self.named.withLock { $0 }.sorted { $0.key.description < $1.key.description }
        return [self.standard] + named.map(\.value) + self.leases.all.map(\.session)
    }
}

/// What a session came to.
public struct ClosedSession: Sendable {
    /// What its mode meant.
    public var plan: SessionPlan
    /// Its counts, misses and warnings.
    public var summary: RunSummary
}

extension SessionRegistry {
    /// Closes every session; all are closed even if one cannot be saved.
    ///
    /// - Throws: the first `CassetteError`; the journal of that cassette stays and is recovered next time.
    public func close(discards: Bool = false) throws -> [ClosedSession] {
        let leased = self.leases.all.map { lease in Result { try self.leases.close(lease, discards: discards) } }
        let results = self.all.map { session in
            Result { ClosedSession(plan: session.plan, summary: try session.close(discards: discards)) }
        }
        for result in leased { _ = try result.get() }
        return try results.map { try $0.get() } + self.leases.ended
    }
}
