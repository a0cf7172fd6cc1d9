import NIOCore
public import PlayheadCassette
import PlayheadContent
public import PlayheadEngine
import PlayheadHTTP
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open cassette: what answers requests, and where recorded exchanges go.
///
/// Shared by all event loops under one short lock: the replay path must not suspend, so this is not an actor.
public final class CassetteSession: Sendable {
    /// What the session answers a request with.
    enum Answer {
        /// The whole response in wire form.
        case wire(ByteBuffer)
        /// A recording that takes more than one write; `completed` or `giveBack` must follow.
        case exchange(Exchange, Play)
        case miss(MissReport)
    }

    /// One play of a recording.
    struct Play: Sendable {
        /// The recording's position in the cassette.
        var index: Int
        /// How often the session had been rewound.
        var round: Int
        /// Whether it was not played before, or given back.
        var isFirst: Bool
    }

    struct State {
        var playback: Playback
        var merge: KeptExchanges
        var lock: CassetteLock?
        var wire: WireForms
        var journal: CassetteJournal?
        var nextID: Int
        var isClosed = false
        var summary: RunSummary
        var failures = FailureNotes()
        var distrustingHosts: Set<String> = []
        /// Hosts whose tunnels carried something else than HTTP.
        var foreignHosts: Set<String> = []
        /// Hosts with which clients finished TLS and left without a request, and those they sent requests to.
        var silentHosts: Set<String> = []
        var servedHosts: Set<String> = []
        /// How often the session was rewound.
        var round = 0
        /// The order of all answers' parts, if they keep it.
        var chronology: SessionChronology?
        /// How many recordings were named that chronological playback waited for in vain.
        var absent = 0

        /// Names the hosts with which clients did no more than a TLS handshake.
        mutating func noteSilentHosts() {
            guard self.servedHosts.count < CassetteSession.servedHostLimit else { return }
            for host in self.silentHosts.subtracting(self.servedHosts).sorted() {
                self.summary.warn(
                    "clients did TLS with \(host) and left without a request; if they pin its certificate, or it "
                        + "speaks another protocol, pass it through with --tunnel \(host)")
            }
        }
    }

    /// At most this many hosts whose clients refused our certificate are named.
    private static let namedHostLimit = 100
    /// At most this many hosts are known to get requests; with more, nothing is said about silent ones.
    private static let servedHostLimit = 1000

    /// What the mode means for this cassette; decided once, at opening.
    public let plan: SessionPlan
    /// Where the cassette is.
    public let location: CassetteLocation
    /// The moment, for `recorded_at` and certificates.
    public let clock: @Sendable () -> Timestamp
    /// What opening had to repair, in sentences for the user.
    public let notices: [String]
    let options: SessionOptions
    /// Who it is for those who look on; nil when nobody can.
    let source: ExchangeEvent.Source?
    /// What is changed in each answer, by the session's options and the cassette's metadata.
    private let changes: ReplayChanges
    let base: Cassette
    let state: Mutex<State>
    /// The numbers of the secrets.
    let ledger: SharedLedger
    /// How many side files were begun.
    let sideFileNumber = Atomic(0)

    /// Opens a cassette: reads it, recovers a journal that was left, and decides the plan.
    ///
    /// - Throws: `CassetteError` when the cassette cannot be used, or another process is recording into it.
    public static func open(
        _ options: SessionOptions, clock: @escaping @Sendable () -> Timestamp
    ) throws -> CassetteSession {
        let opened = try OpenedCassette.open(options, now: clock())
        let playable = try Self.playable(opened.cassette, options)
        return CassetteSession(opened: opened, playable: playable, options: options, clock: clock)
    }

    private init(
        opened: sending OpenedCassette, playable: [Exchange], options: SessionOptions,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        let cassette = opened.cassette
        let plan = opened.plan
        self.options = options
        self.source =
            options.log == nil
            ? nil
            : ExchangeEvent.Source(session: options.id, location: options.location, redactor: options.redactor)
        self.plan = plan
        self.location = options.location
        self.notices = opened.notices + Self.notices(about: options)
        self.base = cassette
        self.changes = Self.changes(cassette, options)
        self.clock = clock
        let context = MissContext(cassette: options.location.name.description, mode: plan.mode)
        let hasForms = plan.replays && options.answersAtOnce && self.changes.isEmpty
        let (playback, wire) = Parallel.both(
            atOnce: playable.count >= Parallel.exchangeLimit,
            {
                Playback(
                    exchanges: playable, rules: options.rules, repeats: options.repeats, redactor: options.redactor,
                    context: context)
            },
            { hasForms ? WireForms(playable) : WireForms(count: playable.count) })
        let merge = KeptExchanges(
            plan: plan, rules: options.rules, old: playable, dropsUnused: options.dropsUnused)
        let nextID = (cassette.exchanges.compactMap { Int($0.id) }.max() ?? 0) + 1
        self.ledger = SharedLedger(
            plan.records
                ? RedactionLedger(continuing: cassette.exchanges, at: options.location) : RedactionLedger())
        self.state = Mutex(
            State(
                playback: playback, merge: merge, lock: opened.lock, wire: wire,
                nextID: nextID, summary: RunSummary(cassettePath: options.displayPath),
                chronology: options.order == .chronological ? SessionChronology(Chronology(playable)) : nil))
    }

    /// When the cassette's first exchange was recorded.
    public var recordedAt: Timestamp? { self.base.exchanges.map(\.recordedAt).min() }

    // MARK: replay

    /// Whether any recording has the request's key, body aside.
    func hasCandidates(_ request: IncomingRequest) -> Bool {
        let request = self.options.filters.filtered(request)
        return self.state.withLock { $0.playback.hasCandidates(request) }
    }

    /// Whether a recording answers a call of gRPC in the middle of its request.
    func callInProgress(_ request: IncomingRequest, begun: ByteBuffer, messages: Int) -> Playback.CallInProgress {
        let request = self.options.filters.filtered(request)
        return self.state.withLock { $0.playback.callInProgress(request, begun: begun, messages: messages) }
    }

    func answer(_ request: IncomingRequest, wantsWireForm: Bool) -> Answer {
        guard !self.changes.isEmpty else { return self.recorded(request, wantsWireForm: wantsWireForm) }
        let answer = self.recorded(request, wantsWireForm: false)
        guard case .exchange(let exchange, let play) = answer else { return answer }
        let changed = self.changes.applied(
            to: exchange, for: request, now: self.clock(), random: self.options.random)
        guard wantsWireForm, self.options.answersAtOnce, let wire = ReplayResponse.whole(changed)?.wire() else {
            return .exchange(changed, play)
        }
        self.completed(play)
        return .wire(wire)
    }

    /// What the cassette holds for a request.
    private func recorded(_ request: IncomingRequest, wantsWireForm: Bool) -> Answer {
        let request = self.options.filters.filtered(request)
        let atOnce = wantsWireForm && self.options.answersAtOnce
        let answer: Answer = self.state.withLock { state in
            switch state.playback.take(request) {
            case .miss(var report):
                report.id = "\(state.summary.missed + 1)"
                return .miss(report)
            case .play(let index, let count):
                state.summary.replayed += 1
                self.observe(.replayed(self.base.exchanges[index]))
                let play = Play(index: index, round: state.round, isFirst: count == 1)
                if play.isFirst { state.chronology?.begin(index) }
                guard atOnce, let wire = state.wire[index] else {
                    return .exchange(state.playback.exchanges[index], play)
                }
                state.playback.completed(index: index)
                return .wire(wire)
            }
        }
        // Not made at opening. Made outside the lock, for which other connections may wait; kept from the second play
        // on, since most recordings are played once.
        guard atOnce, case .exchange(let exchange, let play) = answer, let wire = ReplayResponse.whole(exchange)?.wire()
        else { return answer }
        self.state.withLock { state in
            if play.round == state.round { state.playback.completed(index: play.index) }
            if !play.isFirst { state.wire.keep(wire, at: play.index) }
        }
        return .wire(wire)
    }

    func completed(_ play: Play) {
        self.state.withLock { if play.round == $0.round { $0.playback.completed(index: play.index) } }
    }

    func giveBack(_ play: Play) {
        self.state.withLock {
            $0.summary.replayed -= 1
            guard play.round == $0.round else { return }
            $0.playback.giveBack(index: play.index)
            if play.isFirst { $0.chronology?.left(play.index) }
        }
    }

    /// A recording that cannot be read answered nothing.
    func countUnreadable(_ play: Play, _ reason: String) {
        self.giveBack(play)
        self.noteUnreadable(reason)
    }

    /// The run fails, whatever the client made of it.
    func noteUnreadable(_ reason: String) {
        self.state.withLock { $0.summary.replayFailure = $0.summary.replayFailure ?? reason }
    }

    func openSideFile(_ reference: SideFileReference) throws -> SideFileReader {
        try SideFileReader(self.location, reference)
    }

    func loadBody(_ body: RecordedBody) throws -> ByteBuffer { try body.octets(at: self.location) }

    // MARK: counts

    /// Adds a warning to the summary, once.
    func warn(_ text: String) {
        self.state.withLock { $0.summary.warn(text) }
    }

    func countIgnored(_ request: ProxiedRequest) {
        self.state.withLock { $0.summary.ignored += 1 }
        self.observe(.ignored(method: request.head.method, url: request.url))
    }

    func countTunnel() { self.state.withLock { $0.summary.tunnelled += 1 } }

    func countMiss(_ report: MissReport) {
        self.state.withLock { $0.summary.note(report) }
        self.observe(.missed(report))
    }

    /// - Returns: whether it is the first time for this host.
    func countClientTLSFailure(host: String, reason: String, agent: String?, advice: String) -> Bool {
        self.state.withLock { state in
            state.summary.failedTLS += 1
            // Bounded: the names are the client's choice.
            guard state.distrustingHosts.count < Self.namedHostLimit, state.distrustingHosts.insert(host).inserted
            else { return false }
            state.summary.warn(
                "\(agent ?? "a client") refused our certificate for \(host) (\(reason)); \(advice); "
                    + "or pass the host through with --tunnel \(host)")
            return true
        }
    }

    /// Warns, once for a host, of a tunnel that was no use to its client.
    func noteForeignTunnel(host: String, _ what: String) {
        self.state.withLock { state in
            guard state.foreignHosts.count < Self.namedHostLimit, state.foreignHosts.insert(host).inserted else {
                return
            }
            state.summary.warn(
                "the tunnel to \(host) \(what); if it is another protocol, pass it through with --tunnel \(host)")
        }
    }

    /// A client took our certificate for a host and has sent no request.
    func noteSilentTLS(host: String) {
        self.state.withLock { state in
            guard state.silentHosts.count < Self.namedHostLimit, !state.servedHosts.contains(host) else { return }
            state.silentHosts.insert(host)
        }
    }

    /// A client sent a request to a host over TLS.
    func noteServed(host: String) {
        self.state.withLock { state in
            state.silentHosts.remove(host)
            if state.servedHosts.count < Self.servedHostLimit { state.servedHosts.insert(host) }
        }
    }

    /// The counts so far.
    public var summary: RunSummary { self.state.withLock { $0.summary } }

    // MARK: close

    /// Merges the journal into the cassette's file and gives the lock back.
    ///
    /// - Parameter discards: leaves the cassette as it was, as `discard_on_failure` asks.
    /// - Returns: the summary; `recordingFailure` in it says what could not be stored.
    /// - Throws: `CassetteError` when the file cannot be written; the journal stays and is recovered next time.
    public func close(discards: Bool = false) throws -> RunSummary {
        try self.state.withLock { state in
            // Once: what the journal held is in the file now, and another process may have the lock.
            guard !state.isClosed else { return state.summary }
            defer {
                state.lock?.release()
                state.lock = nil
            }
            state.isClosed = true
            state.noteSilentHosts()
            for warning in state.failures.warnings(cassette: self.options.displayPath) { state.summary.warn(warning) }
            state.summary.unused = state.playback.unused.count
            let playCounts = state.playback.sessionPlayCounts
            if let warning = self.failureWarning(playCounts) { state.summary.warn(warning) }
            if self.options.reportsExchanges, self.plan.replays {
                for (exchange, plays) in zip(self.base.exchanges, playCounts).prefix(ExchangeLine.limit) {
                    state.summary.note(self.line(exchange, plays > 0 ? .replayed : .unused, plays: plays))
                }
            }
            let journal = state.journal
            state.journal = nil
            if discards {
                journal?.remove()
                state.summary.discard()
                return state.summary
            }
            guard state.merge.needsWriting(playCounts: playCounts) else { return state.summary }
            var base = self.base
            base.exchanges = state.merge.kept(playCounts: playCounts).map { self.base.exchanges[$0] }
            if journal != nil { self.noteDisabledRules(in: &base.metadata) }
            _ = try CassetteMerge.save(self.location, base: base, journal: journal)
            return state.summary
        }
    }

    /// Whoever reads the cassette sees which redaction rules were off when something in it was recorded.
    private func noteDisabledRules(in metadata: inout [String: String]) {
        let key = "no_redact"
        let old = (metadata[key] ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
        let all = Set(old).union(self.options.redactor.disabledRules)
        if !all.isEmpty { metadata[key] = all.sorted().joined(separator: ", ") }
    }
}
