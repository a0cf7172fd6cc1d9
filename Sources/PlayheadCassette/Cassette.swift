/// A named list of exchanges with what is known about its making.
public struct Cassette: Sendable, Equatable {
    /// The newest format version this program writes and reads.
    public static let currentVersion = 1

    /// The program that recorded it, such as `playhead 0.1.0`.
    public var recordedWith: String
    /// Free text of the user, and which redaction rules were off.
    public var metadata: [String: String]
    /// The matchers of the session that recorded it; empty if they were the default.
    public var matchers: [String]
    /// The exchanges in recorded order.
    public var exchanges: [Exchange]

    /// Creates a cassette.
    public init(
        recordedWith: String, metadata: [String: String] = [:], matchers: [String] = [], exchanges: [Exchange] = []
    ) {
        self.recordedWith = recordedWith
        self.metadata = metadata
        self.matchers = matchers
        self.exchanges = exchanges
    }
}
