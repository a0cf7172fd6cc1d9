import NIOCore
import PlayheadContent

/// Takes secrets out of JSON text by the names of keys at any depth; all other octets stay as they are.
struct JSONRedaction: Sendable {
    /// How deeply JSON inside strings inside JSON is read.
    static let depth = 4

    let names: SecretNames
    let text: TextRedaction

    /// The edits in a JSON text; nil when it cannot be read as JSON.
    func edits(in octets: Octets, _ substitution: inout SecretSubstitution, depth: Int = JSONRedaction.depth)
        -> [TextEdit]?
    {
        guard let json = try? JSONSpans(ByteBuffer(bytes: octets)) else { return nil }
        // The rule of the container a value lies in, if the container's key is secret.
        var inherited: [SecretNames.Finding?] = []
        inherited.reserveCapacity(json.spans.count)
        var edits: [TextEdit] = []
        var identifiers: [Range<Int>]?
        for (index, span) in json.spans.enumerated() {
            let own = span.key.flatMap { self.names.bodyKey(Octets($0.utf8)) }
            let finding = own ?? span.parent.flatMap { inherited[$0] }
            inherited.append(finding)
            switch span.kind {
            case .null, .bool, .array, .object: break
            case .number:
                // Only a number that is the value itself: `expires_in` beside a token is none.
                guard let own else { break }
                edits.append(self.edit(span.range, Octets(octets[span.range]), own.rule, &substitution))
            case .string:
                guard let text = json.string(at: index), !text.isEmpty else { break }
                if let edit = self.edit(string: Octets(text.utf8), span.range, finding, &substitution, depth) {
                    edits.append(edit)
                } else if self.text.awsRule != nil, TextRedaction.isAWSSecret(text.utf8) {
                    let known = identifiers ?? octets.withUnsafeBufferPointer { self.text.awsIdentifiers(in: $0) }
                    identifiers = known
                    if let rule = self.text.awsRule, TextRedaction.isBeside(span.range, known) {
                        edits.append(self.edit(span.range, Octets(text.utf8), rule, &substitution))
                    }
                }
            }
        }
        return self.withKeys(edits, json.spans, octets, &substitution)
    }

    /// Adds the tokens that are keys: what is found by its look and lies in no string value.
    private func withKeys(
        _ edits: [TextEdit], _ spans: [JSONSpans.Span], _ octets: Octets, _ substitution: inout SecretSubstitution
    ) -> [TextEdit] {
        var tokens: [(range: Range<Int>, rule: String)] = []
        octets.withUnsafeBufferPointer { buffer in
            var start = 0
            for span in spans where span.kind == .string {
                tokens += self.text.tokens(in: buffer, start..<span.range.lowerBound)
                start = span.range.upperBound
            }
            tokens += self.text.tokens(in: buffer, start..<octets.count)
        }
        guard !tokens.isEmpty else { return edits }
        let keys = tokens.map {
            TextEdit(range: $0.range, replacement: substitution.text(for: octets[$0.range], rule: $0.rule))
        }
        return (edits + keys).sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    func edit(
        string: Octets, _ range: Range<Int>, _ finding: SecretNames.Finding?,
        _ substitution: inout SecretSubstitution, _ depth: Int
    ) -> TextEdit? {
        if Placeholder.isWhole(string) { return nil }
        if let finding, string.count >= finding.minimumLength {
            // `"authorization": "Bearer x"` keeps its scheme as the header does.
            if finding.rule == "authorization", let space = string.firstIndex(of: 0x20), space + 1 < string.count {
                let secret = string[(space + 1)...]
                if Placeholder.occurs(in: secret) || Placeholder.isWhole(Octets(secret)) { return nil }
                let clean = string[...space] + substitution.text(for: secret, rule: finding.rule)
                return TextEdit(range: range, replacement: JSONRedaction.quoted(Octets(clean)))
            }
            return self.edit(range, string, finding.rule, &substitution)
        }
        if depth > 0, let first = string.first(where: { $0 > 0x20 }),
            first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
            let inner = self.edits(in: string, &substitution, depth: depth - 1)
        {
            guard !inner.isEmpty else { return nil }
            return TextEdit(range: range, replacement: JSONRedaction.quoted(TextEdit.apply(inner, to: string)))
        }
        return self.text.redacted(string, .all, &substitution).map {
            TextEdit(range: range, replacement: JSONRedaction.quoted($0))
        }
    }

    func edit(
        _ range: Range<Int>, _ secret: Octets, _ rule: String, _ substitution: inout SecretSubstitution
    ) -> TextEdit {
        TextEdit(range: range, replacement: JSONRedaction.quoted(substitution.text(for: secret, rule: rule)))
    }

    private static func quoted(_ octets: Octets) -> Octets {
        Octets(JSONText.quoted(String(decoding: octets, as: UTF8.self)).utf8)
    }
}
