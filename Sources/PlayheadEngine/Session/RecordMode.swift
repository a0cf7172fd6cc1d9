/// What a session does with recordings; its effect is decided once, when the session opens.
public enum RecordMode: String, CaseIterable, Sendable {
    /// Records into a missing or empty cassette; afterwards only replays.
    case once
    /// Replays what is there and records what is not.
    case newEpisodes = "new_episodes"
    /// Only replays; never opens a socket.
    case none
    /// Records everything; a new exchange replaces the old ones that match it.
    case all
    /// Records everything into a cassette that starts empty.
    case rewrite
    /// Relays everything and records nothing.
    case passthrough
    /// As `passthrough`, with other values in the JSON of responses.
    case intercept

    /// Reads a mode as written by a user: `new_episodes` and `new-episodes` are the same.
    public static func parse(_ text: String) -> RecordMode? {
        RecordMode(rawValue: String(text.lowercased().map { $0 == "-" ? "_" : $0 }))
    }
}
