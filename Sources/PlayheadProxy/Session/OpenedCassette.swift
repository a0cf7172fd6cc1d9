import PlayheadCassette
import PlayheadEngine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A cassette as it was found: what is in it, who else has it, and what the mode means for it.
struct OpenedCassette {
    var cassette: Cassette
    var plan: SessionPlan
    /// Held only by a session that records: replaying sessions of one cassette run side by side.
    var lock: CassetteLock?
    /// What had to be repaired, in sentences for the user.
    var notices: [String] = []

    static func open(_ options: SessionOptions, now: Timestamp) throws -> OpenedCassette {
        switch options.mode {
        case .passthrough, .intercept:
            // Neither replayed nor recorded: the cassette is not even read.
            return OpenedCassette(
                cassette: Cassette(recordedWith: options.recordedWith), plan: Self.plan(options, nil, now))
        case .none:
            return try Self.hasJournal(options)
                ? Self.openToReplay(options, now: now) : Self.read(options, now: now)
        case .once:
            if !Self.hasJournal(options) {
                let found = try Self.read(options, now: now)
                if !found.plan.records { return found }
            }
            return try Self.openToRecord(options, now: now)
        case .newEpisodes, .all:
            return try Self.openToRecord(options, now: now)
        case .rewrite:
            return try Self.openToRewrite(options, now: now)
        }
    }

    /// The old exchanges are never played, so only what stands before them is read.
    private static func openToRewrite(_ options: SessionOptions, now: Timestamp) throws -> OpenedCassette {
        if Self.hasJournal(options) {
            // What a run left behind belongs to the old cassette, which stays if nothing is recorded.
            var opened = try Self.openToRecord(options, now: now)
            opened.cassette.exchanges = []
            return opened
        }
        let lock = try CassetteLock.acquire(options.location, wait: options.waitsForLock)
        let header = try CassetteReader.readHeader(options.location)
        return OpenedCassette(
            cassette: header ?? Cassette(recordedWith: options.recordedWith), plan: Self.plan(options, header, now),
            lock: lock)
    }

    private static func openToRecord(_ options: SessionOptions, now: Timestamp) throws -> OpenedCassette {
        let lock = try CassetteLock.acquire(options.location, wait: options.waitsForLock)
        let recovered = try CassetteJournal.recover(options.location)
        var notices = Self.notices(recovered.exchanges.count, recovered.torn, options)
        if !recovered.exchanges.isEmpty {
            let stored = try CassetteReader.read(options.location)
            _ = try CassetteMerge.save(
                options.location, base: stored ?? Cassette(recordedWith: options.recordedWith),
                journal: try CassetteJournal.open(options.location))
            notices.append("\(recovered.exchanges.count == 1 ? "It is" : "They are") in \(options.displayPath) now.")
        }
        var opened = try Self.read(options, now: now)
        opened.notices = notices
        if opened.plan.records { opened.lock = lock } else { lock.release() }
        return opened
    }

    /// A journal without a living recorder belongs to the cassette; with one, it is that recorder's business.
    private static func openToReplay(_ options: SessionOptions, now: Timestamp) throws -> OpenedCassette {
        var opened = try Self.read(options, now: now)
        do {
            let lock = try CassetteLock.acquire(options.location, wait: false)
            defer { lock.release() }
            let recovered = try CassetteJournal.recover(options.location)
            opened.cassette.append(journal: recovered.exchanges)
            opened.notices = Self.notices(recovered.exchanges.count, recovered.torn, options)
        } catch {
            guard error.code == .locked else { throw error }
            opened.notices = [
                "Another process is recording into \(options.displayPath); its exchanges are not replayed yet."
            ]
        }
        return opened
    }

    private static func read(_ options: SessionOptions, now: Timestamp) throws -> OpenedCassette {
        let stored = try CassetteReader.read(options.location)
        let cassette = stored ?? Cassette(recordedWith: options.recordedWith)
        return OpenedCassette(cassette: cassette, plan: Self.plan(options, stored, now))
    }

    private static func plan(_ options: SessionOptions, _ stored: Cassette?, _ now: Timestamp) -> SessionPlan {
        SessionPlan.decide(
            mode: options.mode, cassetteExists: stored != nil, exchangeCount: stored?.exchanges.count ?? 0,
            oldest: stored?.exchanges.map(\.recordedAt).min(), now: now, reRecordAfter: options.reRecordAfter)
    }

    private static func hasJournal(_ options: SessionOptions) -> Bool {
        access(options.location.journal, F_OK) == 0
    }

    private static func notices(_ count: Int, _ torn: CassetteJournal.TornTail?, _ options: SessionOptions) -> [String]
    {
        var notices: [String] = []
        if let torn {
            notices.append(
                "\(options.location.journal) ended in a torn record (\(torn.reason)); \(torn.length) octets are set aside "
                    + "in \(torn.setAside).")
        }
        if count > 0 {
            notices.append(
                "\(options.location.journal) held \(count) \(count == 1 ? "exchange" : "exchanges") of a run that did not end."
            )
        }
        return notices
    }
}
