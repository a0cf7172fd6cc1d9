/// What happened in a run: the counts, the misses, and where it was saved.
public struct RunSummary: Sendable, Equatable {
    /// Requests that a recording answered.
    public var replayed = 0
    /// Exchanges that were recorded.
    public var recorded = 0
    /// Exchanges that were recorded and then not saved, since the command failed.
    public private(set) var discarded = 0
    /// Requests that no recording answered and that were not sent on.
    public var missed = 0
    /// Tunnels that were spliced.
    public var tunnelled = 0
    /// Requests that were relayed and not recorded.
    public var ignored = 0
    /// Requests that failed upstream.
    public var failed = 0
    /// TLS handshakes that a client broke off, mostly because it distrusts the CA.
    public var failedTLS = 0
    /// Recordings that were not played.
    public var unused = 0
    /// Recordings that were removed since nobody used them.
    public var dropped = 0
    /// Why recording failed, if it did: a full disk, for example.
    public var recordingFailure: String?
    /// Why a recording could not be replayed, if one could not: a side file that is gone, for example.
    public var replayFailure: String?
    /// Sentences the user should read; bounded by ``warningLimit``.
    public private(set) var warnings: [String] = []
    /// The misses in order; bounded by ``missLimit``, while `missed` counts all.
    public private(set) var misses: [MissReport] = []
    /// What became of each exchange; bounded by ``ExchangeLine/limit``.
    public private(set) var exchanges: [ExchangeLine] = []
    /// Where the cassette lies, as shown to the user; nil if there is none.
    public var cassettePath: String?

    /// How many misses are kept in full.
    public static let missLimit = 1000

    /// How many warnings are kept: clients can cause them, each with a name of their choice.
    public static let warningLimit = 200

    /// Creates an empty summary.
    public init(cassettePath: String? = nil) { self.cassettePath = cassettePath }

    /// Counts a miss and keeps its report.
    public mutating func note(_ miss: MissReport) {
        self.missed += 1
        if self.misses.count < RunSummary.missLimit { self.misses.append(miss) }
    }

    /// Adds a warning, unless it is there or there are too many.
    public mutating func warn(_ text: String) {
        guard self.warnings.count < RunSummary.warningLimit, !self.warnings.contains(text) else { return }
        self.warnings.append(text)
    }

    /// Keeps what became of an exchange.
    public mutating func note(_ line: ExchangeLine) {
        if self.exchanges.count < ExchangeLine.limit { self.exchanges.append(line) }
    }

    /// Notes that what was recorded is not saved.
    public mutating func discard() {
        self.discarded += self.recorded
        self.recorded = 0
        for index in self.exchanges.indices where self.exchanges[index].outcome == .recorded {
            self.exchanges[index].outcome = .discarded
        }
    }

    /// Adds what another session of the same run did.
    public mutating func add(_ other: RunSummary) {
        self.replayed += other.replayed
        self.recorded += other.recorded
        self.discarded += other.discarded
        self.missed += other.missed
        self.tunnelled += other.tunnelled
        self.ignored += other.ignored
        self.failed += other.failed
        self.failedTLS += other.failedTLS
        self.unused += other.unused
        self.dropped += other.dropped
        self.recordingFailure = self.recordingFailure ?? other.recordingFailure
        self.replayFailure = self.replayFailure ?? other.replayFailure
        for warning in other.warnings { self.warn(warning) }
        self.misses.append(contentsOf: other.misses.prefix(max(0, RunSummary.missLimit - self.misses.count)))
        self.exchanges.append(contentsOf: other.exchanges.prefix(max(0, ExchangeLine.limit - self.exchanges.count)))
        if self.cassettePath == nil { self.cassettePath = other.cassettePath }
    }

    /// The one line after a run: `playhead: 12 replayed, 3 recorded, 0 missed, 1 tunnelled -> cassettes/checkout.yaml`.
    ///
    /// What was discarded, dropped or ignored, failures and distrusting clients are named only if there were any.
    public var line: String {
        var counts = [
            "\(self.replayed) replayed", "\(self.recorded) recorded", "\(self.missed) missed",
            "\(self.tunnelled) tunnelled",
        ]
        if self.discarded > 0 { counts.append("\(self.discarded) discarded") }
        if self.dropped > 0 { counts.append("\(self.dropped) dropped") }
        if self.ignored > 0 { counts.append("\(self.ignored) ignored") }
        if self.failed > 0 { counts.append("\(self.failed) failed") }
        if self.failedTLS > 0 { counts.append("\(self.failedTLS) failed TLS") }
        let place = self.cassettePath.map { " -> \($0)" } ?? ""
        return "playhead: \(counts.joined(separator: ", "))\(place)"
    }

    /// The line, then the warnings, then each miss with its nearest recording; ends with a newline.
    public var text: String {
        var text = self.line + "\n"
        if let failure = self.recordingFailure { text += "playhead: recording failed: \(visible(failure))\n" }
        if let failure = self.replayFailure {
            text += "playhead: a recording cannot be replayed: \(visible(failure))\n"
        }
        for warning in self.warnings { text += "playhead: warning: \(visible(warning))\n" }
        for miss in self.misses { text += miss.text() }
        let rest = self.missed - self.misses.count
        if rest > 0 { text += "and \(rest) more misses\n" }
        return text
    }

    /// The summary as JSON, version 1; for `--report FILE:json` and the admin API.
    public func json() -> [UInt8] { RunReport(self).json() }

    /// Writes the counts as members of an object.
    package func writeCounts(to writer: inout JSONWriter) {
        for count in RunReport(self).counts { writer.member(count.name, count.value) }
    }
}
