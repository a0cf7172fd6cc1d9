import PlayheadContent

extension BodyValue {
    /// In what a request's body differs from a recorded one.
    func differences(from recorded: BodyValue, ignoring ignored: IgnoredPlaces) -> [Difference] {
        switch (recorded, self) {
        case (.none, .none): return []
        case (.json(let a), .json(let b)):
            var walk = JSONComparison(ignored: ignored)
            walk.compare(a, b)
            return walk.differences
        case (.form(let a), .form(let b)):
            return FieldPairs.differences(recorded: a, requested: b, isIgnored: { ignored.formKeys.contains($0) }).map {
                Difference(
                    .form(displayText($0.name)), recorded: BodyValue.joined($0.recorded),
                    requested: BodyValue.joined($0.requested))
            }
        case (.multipart(let a), .multipart(let b)): return BodyValue.partDifferences(a, b, ignored)
        case (.hashed(let a, _), .hashed(let b, _)) where a == b: return []
        case (.octets(let a), .octets(let b)):
            if Placeholder.matches(a, b) { return [] }
        default: break
        }
        return [Difference(.body, recorded: recorded.summary, requested: self.summary)]
    }

    /// Whether two bodies are equal.
    func isEqual(to recorded: BodyValue, ignoring ignored: IgnoredPlaces) -> Bool {
        self.differences(from: recorded, ignoring: ignored).isEmpty
    }

    private static func partDifferences(
        _ recorded: [(name: String, body: BodyValue)], _ requested: [(name: String, body: BodyValue)],
        _ ignored: IgnoredPlaces
    ) -> [Difference] {
        func kept(_ parts: [(name: String, body: BodyValue)]) -> [(name: String, body: BodyValue)] {
            parts.filter { !ignored.formKeys.contains(Octets($0.name.utf8)) }
        }
        var found: [Difference] = []
        var open = kept(requested)
        for part in kept(recorded) {
            guard let place = open.firstIndex(where: { $0.name == part.name }) else {
                found.append(Difference(.multipart(part.name), recorded: part.body.summary, requested: nil))
                continue
            }
            let other = open.remove(at: place)
            if !other.body.isEqual(to: part.body, ignoring: ignored) {
                found.append(
                    Difference(.multipart(part.name), recorded: part.body.summary, requested: other.body.summary))
            }
        }
        found += open.map { Difference(.multipart($0.name), recorded: nil, requested: $0.body.summary) }
        return found
    }

    /// The body in a few words; text is cut well behind what is shown, so that masking sees whole secrets.
    var summary: String {
        switch self {
        case .none: return "no body"
        case .json: return "a JSON value"
        case .form(let pairs): return "a form with \(pairs.pairs.count) fields"
        case .multipart(let parts): return "a multipart body with \(parts.count) parts"
        case .hashed(let sha256, let length): return "\(length) octets with SHA-256 \(sha256.prefix(12))…"
        case .octets(let octets):
            var head = octets.prefix(4096)
            // The cut may lie inside a character.
            for _ in 0..<4 {
                if let text = String(validating: head, as: UTF8.self) { return text }
                head = head.dropLast()
            }
            return "\(octets.count) octets"
        }
    }

    private static func joined(_ values: [Octets]?) -> String? {
        values.map { $0.map { displayText($0) }.joined(separator: ", ") }
    }
}
