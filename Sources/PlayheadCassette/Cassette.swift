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

extension Cassette {
    /// Adds the exchanges of a journal, as saving would.
    ///
    /// One that is here already, with the same id and content, is left out; one whose id is taken by another gets a new
    /// number.
    public mutating func append(journal: [Exchange]) {
        var known = Dictionary(self.exchanges.map { ($0.id, $0) }) { first, _ in first }
        var next = (self.exchanges.compactMap { Int($0.id) }.max() ?? 0) + 1
        for var exchange in journal where known[exchange.id] != exchange {
            if known[exchange.id] != nil {
                while known["\(next)"] != nil { next += 1 }
                exchange.id = "\(next)"
            }
            known[exchange.id] = exchange
            self.exchanges.append(exchange)
        }
    }
}
