/// What a run came to, as text that can be kept, read again and shown anywhere.
///
/// Every encoder starts from this type, so JSON, JUnit and HTML say the same. All texts are masked.
public struct RunReport: Sendable, Equatable {
    /// The version of the JSON form.
    public static let version = 1

    /// Where the first cassette lies; nil if there is none.
    public var cassette: String?
    /// The counts by their names in JSON, in the order in which they are shown.
    public var counts: [Count] = []
    /// Why recording failed, if it did.
    public var recordingFailure: String?
    /// Why a recording could not be replayed.
    public var replayFailure: String?
    /// Sentences the user should read.
    public var warnings: [String] = []
    /// What became of each exchange; bounded by ``ExchangeLine/limit``.
    public var exchanges: [ExchangeLine] = []
    /// The requests that no recording answered; bounded by ``RunSummary/missLimit``.
    public var misses: [Miss] = []

    /// A count with its name.
    public struct Count: Sendable, Equatable {
        /// Such as `replayed`.
        public var name: String
        /// How many.
        public var value: Int

        /// Creates a count.
        public init(name: String, value: Int) {
            self.name = name
            self.value = value
        }
    }

    /// A request that no recording answered.
    public struct Miss: Sendable, Equatable {
        /// The identifier that the response and the log have too.
        public var id: String
        /// The word for the cause, such as `no_match`.
        public var reason: String
        /// One sentence on the cause.
        public var cause: String
        /// The name of the cassette.
        public var cassette: String
        /// The mode in effect.
        public var mode: String
        /// The method of the request.
        public var method: String
        /// The URL of the request.
        public var url: String
        /// The nearest recordings, best first.
        public var nearest: [Candidate]
        /// The option that would make the nearest one answer.
        public var suggestedRule: String?
        /// The command that would record the request.
        public var recordCommand: String
    }

    /// A recording that comes close.
    public struct Candidate: Sendable, Equatable {
        /// The identifier of the exchange.
        public var exchange: String
        /// Its place in the cassette, counted from 1.
        public var number: Int
        /// Its method.
        public var method: String
        /// Its URL.
        public var url: String
        /// Which request of the session played it; nil if none did.
        public var alreadyPlayedAt: Int?
        /// The parts that differ.
        public var differences: [Part]
    }

    /// One part in which a request and a recording differ.
    public struct Part: Sendable, Equatable {
        /// Such as `query date`.
        public var name: String
        /// The value in the recording; nil when it does not have the part.
        public var recorded: String?
        /// The value in the request; nil when it does not have the part.
        public var requested: String?
    }

    /// The count of this name; 0 if there is none.
    public func count(_ name: String) -> Int { self.counts.first { $0.name == name }?.value ?? 0 }
}

/// What became of one exchange of a cassette in a run.
public struct ExchangeLine: Sendable, Equatable {
    /// The words for what became of it.
    public enum Outcome: String, Sendable, CaseIterable {
        /// It answered requests.
        case replayed
        /// It is new.
        case recorded
        /// It was recorded and not saved, since the command failed.
        case discarded
        /// It answered no request.
        case unused
    }

    /// How many of these a report has at most.
    public static let limit = 10_000

    /// The identifier of the exchange.
    public var id: String
    /// The method.
    public var method: String
    /// The URL, masked.
    public var url: String
    /// What became of it.
    public var outcome: Outcome
    /// How often it was played.
    public var plays: Int

    /// Creates a line.
    public init(id: String, method: String, url: String, outcome: Outcome, plays: Int = 0) {
        self.id = id
        self.method = method
        self.url = url
        self.outcome = outcome
        self.plays = plays
    }
}

extension RunReport {
    /// Creates the report of a summary.
    public init(_ summary: RunSummary) {
        self.cassette = summary.cassettePath
        self.counts = [
            Count(name: "replayed", value: summary.replayed), Count(name: "recorded", value: summary.recorded),
            Count(name: "missed", value: summary.missed), Count(name: "tunnelled", value: summary.tunnelled),
            Count(name: "ignored", value: summary.ignored), Count(name: "failed", value: summary.failed),
            Count(name: "failed_tls", value: summary.failedTLS), Count(name: "unused", value: summary.unused),
        ]
        if summary.discarded > 0 { self.counts.append(Count(name: "discarded", value: summary.discarded)) }
        if summary.dropped > 0 { self.counts.append(Count(name: "dropped", value: summary.dropped)) }
        self.recordingFailure = summary.recordingFailure
        self.replayFailure = summary.replayFailure
        self.warnings = summary.warnings
        self.exchanges = summary.exchanges
        self.misses = summary.misses.map { Miss($0) }
    }
}

extension RunReport.Miss {
    package init(_ miss: MissReport) {
        self.init(
            id: miss.id, reason: miss.reason.rawValue, cause: miss.cause, cassette: miss.cassette,
            mode: miss.mode.rawValue, method: miss.method, url: miss.url,
            nearest: miss.nearest.map { candidate in
                RunReport.Candidate(
                    exchange: candidate.exchange, number: candidate.number, method: candidate.method,
                    url: candidate.url, alreadyPlayedAt: candidate.alreadyPlayedAt,
                    differences: candidate.differences.map {
                        RunReport.Part(name: $0.name, recorded: $0.recorded, requested: $0.requested)
                    })
            }, suggestedRule: miss.suggestedRule, recordCommand: miss.recordCommand)
    }

    /// A few lines for people: the cause, the nearest recording with what differs, and the way out.
    public var lines: [String] {
        var lines = [visible(self.cause)]
        if let candidate = self.nearest.first {
            let played = candidate.alreadyPlayedAt.map { ", already played at #\($0)" } ?? ""
            lines.append(
                "nearest: recording \(candidate.number) \(visible(candidate.method)) \(visible(candidate.url))\(played)"
            )
            lines += candidate.differences.prefix(MissReport.shownDifferences).map { "  \($0.sentence)" }
            let rest = candidate.differences.count - MissReport.shownDifferences
            if rest > 0 { lines.append("  and \(rest) more") }
        }
        if let rule = self.suggestedRule { lines.append("it would match with: \(rule)") }
        lines.append("to record it: \(self.recordCommand)")
        return lines
    }
}

extension RunReport.Part {
    /// `query date: recorded "1", requested "2"`.
    public var sentence: String {
        Difference(.custom(""), recorded: self.recorded, requested: self.requested).sentence(named: self.name)
    }
}
