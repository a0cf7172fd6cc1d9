/// What a miss report says about the session it happened in.
public struct MissContext: Sendable, Hashable {
    /// The name of the cassette.
    public var cassette: String
    /// The mode in effect.
    public var mode: RecordMode

    /// Creates a context.
    public init(cassette: String = "default", mode: RecordMode = .none) {
        self.cassette = cassette
        self.mode = mode
    }
}
