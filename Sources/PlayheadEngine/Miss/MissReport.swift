/// Why no recording answered a request, and what would help (recording.md section 7).
///
/// All texts are masked: a secret of the request or of a recording does not occur in them.
public struct MissReport: Sendable, Equatable {
    /// Why nothing answered.
    public enum Reason: String, Sendable, CaseIterable {
        /// The cassette is missing or has no exchanges.
        case cassetteEmpty = "cassette_empty"
        /// No recording matches.
        case noMatch = "no_match"
        /// Recordings match, but each was played already.
        case exhausted
        /// A hook left the exchange out, and the mode forbids going upstream.
        case leftOut = "left_out"
        /// A WebSocket's client said something else than in the recording.
        case messageDiffers = "message_differs"
    }

    /// A recording that comes close.
    public struct Candidate: Sendable, Equatable {
        /// The identifier of the exchange.
        public let exchange: String
        /// Its place in the cassette, counted from 1.
        public let number: Int
        /// Its method.
        public let method: String
        /// Its URL, masked.
        public let url: String
        /// How many required matchers hold.
        public let passed: Int
        /// The parts that differ; empty when it matches.
        public let differences: [Difference]
        /// Which request of the session played it last, counted from 1; nil if it is unplayed.
        public let alreadyPlayedAt: Int?
    }

    /// The identifier that the response, the log and the report share; the caller gives it.
    public var id: String = ""
    /// Why nothing answered.
    public var reason: Reason
    /// The method of the request.
    public let method: String
    /// The URL of the request, masked.
    public let url: String
    /// The nearest recordings, best first; at most three.
    public let nearest: [Candidate]
    /// The name of the cassette.
    public let cassette: String
    /// The mode in effect.
    public let mode: RecordMode
    /// How many exchanges the cassette has.
    public let exchangeCount: Int
    /// The option that would make the nearest recording answer, if one does.
    public let suggestedRule: String?

    /// The command that would record the request.
    public var recordCommand: String {
        // A recording that matches is played, so another one has to take its place.
        RecordCommand.text(cassette: self.cassette, mode: self.reason == .messageDiffers ? .all : .newEpisodes)
    }

    /// One sentence on the cause.
    public var cause: String {
        switch self.reason {
        case .cassetteEmpty: "the cassette \"\(self.cassette)\" has no exchanges"
        case .noMatch where self.exchangeCount == 1: "the one recording in \"\(self.cassette)\" does not match"
        case .noMatch: "none of the \(self.exchangeCount) recordings in \"\(self.cassette)\" matches"
        case .exhausted:
            "every matching recording in \"\(self.cassette)\" was already played"
                + (self.nearest.first?.alreadyPlayedAt.map { " (the last one at #\($0))" } ?? "")
        case .leftOut: "a hook leaves this exchange out of \"\(self.cassette)\""
        case .messageDiffers: "a message of the client is not the recorded one"
        }
    }

    /// One sentence on why it was not asked for upstream.
    public var modeNote: String {
        if self.reason == .messageDiffers { return "with --websocket lenient it may say what it wants" }
        return switch self.mode {
        case .none: "mode none never goes upstream"
        case .once: "mode once records only into a missing or empty cassette"
        case .newEpisodes, .all, .rewrite, .passthrough, .intercept: "mode \(self.mode.rawValue)"
        }
    }
}
