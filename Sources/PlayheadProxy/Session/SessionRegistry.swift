public import NIOCore
public import PlayheadCassette
public import PlayheadEngine
import Synchronization

/// The open cassettes of one proxy: the default one, and those that clients ask for by name.
public final class SessionRegistry: Sendable {
    /// How many cassettes clients may have open by name at once, unless said.
    public static let standardLimit = 256

    /// The session of requests that name none.
    public let standard: CassetteSession
    /// How a session is opened that says nothing else.
    package let options: SessionOptions
    /// The sessions with ports of their own.
    package let leases = SessionLeases()
    private let limit: Int
    private let idle: TimeAmount?
    /// Held while a cassette is opened or closed: one that is being saved is not opened again before that is done.
    private let opening = Mutex(())
    private let named = Mutex(NamedSessions())

    /// Creates a registry; sessions that clients name are opened like the default one, with another cassette.
    ///
    /// - Parameters:
    ///   - limit: how many cassettes may be open by name at once.
    ///   - idle: a named session that nobody used for this time is saved and closed; nil for never.
    public init(
        standard: CassetteSession, options: SessionOptions, limit: Int = SessionRegistry.standardLimit,
        idle: TimeAmount? = nil
    ) {
        self.standard = standard
        self.options = options
        self.limit = limit
        self.idle = idle
    }

    /// A session that is open already.
    func session(_ name: CassetteName) -> CassetteSession? {
        name == self.options.location.name ? self.standard : self.named.withLock { $0.use(name, now: .now()) }
    }

    /// Opens a session; reads the disk, so it belongs on a thread.
    ///
    /// Two that ask at once get the same session.
    ///
    /// - Throws: `TooManySessions`, or `CassetteError` when the cassette cannot be used.
    func open(_ name: CassetteName) throws -> CassetteSession {
        try self.opening.withLock { _ in
            if let session = self.session(name) { return session }
            guard self.named.withLock({ $0.count }) < self.limit else { throw TooManySessions(limit: self.limit) }
            var options = self.options
            options.move(
                to: CassetteLocation(
                    folder: self.options.location.folder, name: name, key: self.options.location.key))
            options.id = "user:\(name)"
            let session = try CassetteSession.open(options, clock: self.standard.clock)
            self.named.withLock { $0.add(session, name, now: .now()) }
            return session
        }
    }

    /// The open sessions, the default one first, then by name.
    public var all: [CassetteSession] {
        let named = self.named.withLock { $0.all }
        return [self.standard] + named + self.leases.all.map(\.session)
    }

    // MARK: the end

    /// Whether a named session has been idle for its time; cheap, for event loops to ask once a second.
    func hasIdle(now: NIODeadline) -> Bool {
        guard let idle = self.idle else { return false }
        return self.named.withLock { $0.hasIdle(for: idle, now: now) }
    }

    /// Saves and closes the named sessions that have been idle for their time; belongs on a thread.
    ///
    /// - Returns: what they were called.
    func closeIdle(now: NIODeadline) -> [CassetteName] {
        guard let idle = self.idle else { return [] }
        return self.opening.withLock { _ in
            self.named.withLock { $0.takeIdle(for: idle, now: now) }.map { session in
                self.end(session)
                return session.location.name
            }
        }
    }

    /// What cannot be saved stays in the journal, and counts as a failure at the end.
    private func end(_ session: CassetteSession) {
        var closed = ClosedSession(session, summary: session.summary)
        do { closed = try session.closed() } catch { closed.summary.recordingFailure = "\(error)" }
        self.leases.note(closed)
    }

    /// Closes every session; all are closed even if one cannot be saved.
    ///
    /// - Throws: the first `CassetteError`; the journal of that cassette stays and is recovered next time.
    public func close(discards: Bool = false) throws -> [ClosedSession] {
        try self.opening.withLock { _ in
            let leased = self.leases.all.map { lease in Result { try self.leases.close(lease, discards: discards) } }
            let results = self.all.map { session in
                Result { try session.closed(discards: discards) }
            }
            for result in leased { _ = try result.get() }
            return try results.map { try $0.get() } + self.leases.ended
        }
    }
}

/// What a session came to.
public struct ClosedSession: Sendable {
    /// What its mode meant.
    public var plan: SessionPlan
    /// Its counts, misses and warnings.
    public var summary: RunSummary
    /// The cassettes that it read or wrote; several where results were added up.
    public var cassettes: [CassetteLocation] = []

    init(_ session: CassetteSession, summary: RunSummary) {
        self.plan = session.plan
        self.summary = summary
        if session.usesCassette { self.cassettes = [session.location] }
    }

    /// Adds what another session came to, one of the same plan or not.
    mutating func add(_ other: ClosedSession) {
        self.summary.add(other.summary)
        let known = Set(self.cassettes.map(\.file))
        self.cassettes += other.cassettes.filter { !known.contains($0.file) }
    }
}

extension CassetteSession {
    /// Saves and closes the cassette, and says what came of it.
    ///
    /// - Throws: `CassetteError` when the file cannot be written; the journal stays and is recovered next time.
    func closed(discards: Bool = false) throws -> ClosedSession {
        var summary = try self.close(discards: discards)
        if !discards {
            summary.dropped = self.state.withLock { state in
                state.merge.droppedCount(playCounts: state.playback.sessionPlayCounts)
            }
        }
        return ClosedSession(self, summary: summary)
    }
}

/// As many cassettes are open by name as may be.
struct TooManySessions: Error, CustomStringConvertible {
    var limit: Int

    var description: String {
        "\(self.limit) cassettes are open by name, the most that --max-sessions allows. Raise it, or let idle ones be "
            + "closed sooner with --session-idle."
    }
}
