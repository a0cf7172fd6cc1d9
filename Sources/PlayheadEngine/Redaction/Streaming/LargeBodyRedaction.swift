public import NIOCore
public import PlayheadCassette
import PlayheadContent
public import PlayheadHTTP

/// Filters and redacts one body that is too large for memory, piece by piece.
///
/// It finds what ``Redactor`` and ``FilterChain`` find in a smaller one, with the bounds that docs/limits.md names; what
/// cannot be searched within them is left out.
public struct LargeBodyRedaction {
    private var pipes: [StagePipe]
    private var substitution: SecretSubstitution

    /// - Parameters:
    ///   - isRequest: whose filters apply.
    ///   - headers: the fields of the message; the body comes without its content coding.
    /// - Throws: ``EngineError`` when a filter asks for keys of a body that has to be read as a whole for that.
    public init(
        redactor: Redactor, filters: FilterChain, isRequest: Bool, headers: HeaderList, ledger: SharedLedger
    ) throws(EngineError) {
        try self.init(
            redactor: redactor, filters: filters, isRequest: isRequest, headers: headers, ledger: ledger,
            bounds: .standard)
    }

    init(
        redactor: Redactor, filters: FilterChain, isRequest: Bool, headers: HeaderList, ledger: SharedLedger?,
        bounds: StreamBounds, places: FoundPlaces? = nil
    ) throws(EngineError) {
        let type = headers.first("content-type").flatMap { MediaType.parse($0) }
        var stages: [any StreamStage] = []
        let keys = isRequest ? filters.requestBody : filters.responseBody
        if !keys.isEmpty {
            guard EventStream.isEvents(type) || EventStream.isJSONLines(type) else {
                throw EngineError(
                    .badFilter, "filters by key need the whole body, and it is too large; use filters of text or regex")
            }
            let name = headers.first("content-type")
            stages.append(EditStage(.line, bounds: bounds) { keys.edits(in: $0, contentType: name) })
        }
        if !filters.leavesText {
            stages.append(EditStage(.character, bounds: bounds) { filters.textEdits(in: $0) })
        }
        let secrets = redactor.secrets
        if !secrets.isEmpty { stages.append(EditStage(.character, bounds: bounds) { secrets.edits(in: $0) }) }
        stages.append(BodyStage(redactor, type: type, bounds: bounds))
        self.pipes = stages.map { StagePipe($0, bounds: bounds, places: places) }
        self.substitution = ledger.map { SecretSubstitution(shared: $0) } ?? SecretSubstitution(ledger: nil)
    }

    /// Whether anything in the body was changed.
    public var isChanged: Bool { self.isCut || self.pipes.contains { $0.isChanged } }

    /// Whether the rest of the body was left out.
    public var isCut: Bool { self.pipes.contains { $0.isCut } }

    /// The lines that were changed, with the rule of each, if that was asked for.
    var places: [FoundPlaces.Place] { self.pipes.flatMap { $0.places?.found ?? [] } }

    /// The rule that found something first.
    var firstRule: String? { self.substitution.firstRule }

    /// Takes the next octets.
    ///
    /// - Returns: octets that may be stored.
    public mutating func take(_ octets: ByteBuffer) -> ByteBuffer { self.pass(octets, isLast: false) }

    /// Ends the body.
    ///
    /// - Returns: the last octets that may be stored.
    public mutating func finish() -> ByteBuffer { self.pass(ByteBuffer(), isLast: true) }

    /// The lengths of a body's chunks after the changes.
    public func moved(_ chunks: [RecordedResponse.Chunk]) -> [RecordedResponse.Chunk] {
        self.pipes.reduce(chunks) { RecordedResponse.Chunk.moved($0, by: $1.edits) }
    }

    private mutating func pass(_ octets: ByteBuffer, isLast: Bool) -> ByteBuffer {
        var current = Octets(octets.readableBytesView)
        for index in self.pipes.indices {
            current = self.pipes[index].take(current, isLast: isLast, &self.substitution)
        }
        return ByteBuffer(bytes: current)
    }
}
