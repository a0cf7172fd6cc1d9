import PlayheadContent

/// Chooses how a big body is searched, by its type and by how it begins, as small bodies are.
struct BodyStage: StreamStage {
    /// How much is seen before the choice.
    private static let sample = 4096

    private let redactor: Redactor
    private let type: MediaType?
    private let bounds: StreamBounds
    private let depth: Int
    private var chosen: (any StreamStage)?

    init(_ redactor: Redactor, type: MediaType?, bounds: StreamBounds, depth: Int = 4) {
        self.redactor = redactor
        self.type = type
        self.bounds = bounds
        self.depth = depth
    }

    mutating func settle(_ pending: Octets, isLast: Bool, _ substitution: inout SecretSubstitution) -> Settled {
        guard isLast || self.chosen != nil || pending.count >= min(Self.sample, self.bounds.window) else {
            return .nothing
        }
        var stage = self.chosen ?? self.choice(pending)
        let settled = stage.settle(pending, isLast: isLast, &substitution)
        self.chosen = stage
        return settled
    }

    private func choice(_ sample: Octets) -> any StreamStage {
        let (bounds, text, json) = (self.bounds, self.redactor.text, self.redactor.json)
        if let type = self.type {
            if Redactor.opaqueTypes.contains(type.type) { return OpaqueStage() }
            if type.isForm { return FormStage(self.redactor.form, bounds: bounds) }
            if let boundary = type.multipartBoundary, self.depth > 0 {
                return MultipartStage(self.redactor, boundary: boundary, bounds: bounds, depth: self.depth)
            }
        }
        if EventStream.isStream(sample, type: self.type) {
            return EventStage(StreamRedaction(text: text, json: json), type: self.type, bounds: bounds)
        }
        let first = sample.first { $0 > 0x20 }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "\"") {
            return JSONStage(json, bounds: bounds)
        }
        return TextStage(text, bounds: bounds)
    }
}
