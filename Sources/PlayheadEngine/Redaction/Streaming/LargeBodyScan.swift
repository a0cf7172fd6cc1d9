public import NIOCore
public import PlayheadHTTP

/// Says what the rules find in one body that is too large for memory, and which comes piece by piece.
///
/// It finds what ``Redactor/findings(in:)`` finds in a smaller one; places are lines, and at most a thousand are named.
public struct LargeBodyScan {
    private var redaction: LargeBodyRedaction
    private let place: String

    /// - Parameters:
    ///   - headers: the fields of the message; the body comes without its content coding.
    ///   - place: what the body is called, such as `response body`.
    public init(redactor: Redactor, headers: HeaderList, place: String) throws(EngineError) {
        try self.init(redactor: redactor, headers: headers, place: place, bounds: .standard)
    }

    init(redactor: Redactor, headers: HeaderList, place: String, bounds: StreamBounds) throws(EngineError) {
        self.redaction = try LargeBodyRedaction(
            redactor: redactor, filters: FilterChain(), isRequest: false, headers: headers, ledger: nil,
            bounds: bounds, places: FoundPlaces())
        self.place = place
    }

    /// Takes the next octets.
    public mutating func take(_ octets: ByteBuffer) { _ = self.redaction.take(octets) }

    /// Ends the body.
    ///
    /// - Returns: what was found, and whether its rest could not be searched.
    public mutating func finish() -> (found: [SecretFinding], isCut: Bool) {
        _ = self.redaction.finish()
        let found = self.redaction.places.map { place in
            SecretFinding(
                place: "\(self.place) line \(place.line)", rule: place.rule ?? self.redaction.firstRule ?? "")
        }
        return (found, self.redaction.isCut)
    }
}
