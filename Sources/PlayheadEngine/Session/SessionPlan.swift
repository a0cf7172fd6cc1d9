public import PlayheadCassette

/// What a session may do, decided once when it opens and never again (recording.md section 1).
public struct SessionPlan: Sendable, Hashable {
    /// What becomes of the exchanges that were in the cassette when the session opened.
    public enum OldExchanges: Sendable, Hashable {
        /// All stay, in front of the new ones.
        case keepAll
        /// Those that match a new one by the session's matchers are replaced; the others stay.
        case replaceMatching
        /// None stays.
        case dropAll
    }

    /// The mode that is in effect; differs from the asked one when the cassette was too old.
    public let mode: RecordMode
    /// The mode that was asked for.
    public let asked: RecordMode
    /// Whether recordings answer requests.
    public let replays: Bool
    /// Whether new exchanges are recorded, and thus whether the cassette may be written.
    public let records: Bool
    /// Whether a request without a recording may go upstream.
    public let relays: Bool
    /// What becomes of the old exchanges at close.
    public let oldExchanges: OldExchanges
    /// Whether an old recording answers, with a warning, when upstream cannot be reached.
    ///
    /// True only when `re_record_after` turned the mode into `all`.
    public let fallsBackToOld: Bool

    /// Decides what a session does, from the cassette as it is at open.
    ///
    /// - Parameter reRecordAfter: the age in milliseconds after which everything is recorded anew.
    public static func decide(
        mode: RecordMode, cassetteExists: Bool, exchangeCount: Int, oldest: Timestamp?, now: Timestamp,
        reRecordAfter: Int64?
    ) -> SessionPlan {
        let isEmpty = !cassetteExists || exchangeCount == 0
        switch mode {
        case .once, .newEpisodes, .all, .rewrite:
            if mode != .all, mode != .rewrite, let age = reRecordAfter, let oldest, isOlder(oldest, now, age) {
                return SessionPlan(.all, asked: mode, replays: false, records: true, .replaceMatching, fallsBack: true)
            }
        case .none, .passthrough, .intercept: break
        }
        switch mode {
        case .once: return SessionPlan(mode, asked: mode, replays: true, records: isEmpty, .keepAll)
        case .newEpisodes: return SessionPlan(mode, asked: mode, replays: true, records: true, .keepAll)
        case .none: return SessionPlan(mode, asked: mode, replays: true, records: false, .keepAll)
        case .all: return SessionPlan(mode, asked: mode, replays: false, records: true, .replaceMatching)
        case .rewrite: return SessionPlan(mode, asked: mode, replays: false, records: true, .dropAll)
        case .passthrough, .intercept:
            return SessionPlan(mode, asked: mode, replays: false, records: false, .keepAll, relays: true)
        }
    }

    private static func isOlder(_ oldest: Timestamp, _ now: Timestamp, _ age: Int64) -> Bool {
        let (difference, overflow) = now.milliseconds.subtractingReportingOverflow(oldest.milliseconds)
        return !overflow && difference > age
    }

    private init(
        _ mode: RecordMode, asked: RecordMode, replays: Bool, records: Bool, _ oldExchanges: OldExchanges,
        relays: Bool? = nil, fallsBack: Bool = false
    ) {
        self.mode = mode
        self.asked = asked
        self.replays = replays
        self.records = records
        self.relays = relays ?? records
        self.oldExchanges = oldExchanges
        self.fallsBackToOld = fallsBack
    }

    /// One line that says what the session will do; for the log, the admin API and the report.
    public var explanation: String {
        if self.fallsBackToOld {
            return
                "mode \(self.asked.rawValue): the cassette is older than re_record_after, so everything is recorded anew"
        }
        switch self.mode {
        case .once where self.records: return "mode once: the cassette is missing or empty, so everything is recorded"
        case .once: return "mode once: the cassette has exchanges, so it is only replayed"
        case .newEpisodes: return "mode new_episodes: replays what is there and records what is not"
        case .none: return "mode none: only replays; nothing goes upstream"
        case .all: return "mode all: records everything; new exchanges replace the old ones that match"
        case .rewrite: return "mode rewrite: records everything into a new cassette"
        case .passthrough: return "mode passthrough: relays everything and records nothing"
        case .intercept: return "mode intercept: relays everything, overrides JSON values and records nothing"
        }
    }
}
