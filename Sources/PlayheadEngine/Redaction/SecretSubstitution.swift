/// Chooses the text that takes the place of a secret: numbered for a cassette, bare for a log or a miss.
struct SecretSubstitution {
    /// The numbers; nil where a bare mask is wanted.
    var ledger: RedactionLedger?
    /// The numbers of an open cassette, in place of ``ledger``.
    private var shared: SharedLedger?
    /// The rule that found something first.
    private(set) var firstRule: String?

    init(ledger: RedactionLedger?) { self.ledger = ledger }

    init(shared: SharedLedger) { self.shared = shared }

    mutating func text(for secret: some Sequence<UInt8>, rule: String) -> Octets {
        if self.firstRule == nil { self.firstRule = rule }
        guard
            let number = self.shared?.number(of: secret, rule: rule) ?? self.ledger?.number(of: secret, rule: rule)
        else {
            return Octets(Placeholder.mask(rule: rule).utf8)
        }
        return Octets(Placeholder.text(rule: rule, number: number).utf8)
    }
}

/// One change in a text: other octets in place of a range.
struct TextEdit {
    var range: Range<Int>
    var replacement: Octets

    /// The text with the edits, which are in order and do not overlap.
    static func apply(_ edits: [TextEdit], to text: Octets) -> Octets {
        guard !edits.isEmpty else { return text }
        var result = Octets()
        result.reserveCapacity(text.count)
        var copied = 0
        for edit in edits where edit.range.lowerBound >= copied {
            result.append(contentsOf: text[copied..<edit.range.lowerBound])
            result.append(contentsOf: edit.replacement)
            copied = edit.range.upperBound
        }
        result.append(contentsOf: text[copied...])
        return result
    }

    /// Where a position of the old text lies in the new one; one inside a change moves to the change's end.
    static func moved(_ position: Int, by edits: [TextEdit]) -> Int {
        var shift = 0
        var covered = 0
        for edit in edits where edit.range.lowerBound >= covered {
            if edit.range.lowerBound >= position { break }
            covered = edit.range.upperBound
            shift += edit.replacement.count - edit.range.count
            if edit.range.upperBound > position { return edit.range.upperBound + shift }
        }
        return position + shift
    }
}
