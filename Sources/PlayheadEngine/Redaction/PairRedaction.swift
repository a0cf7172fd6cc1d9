/// Takes secrets out of `name=value` pairs: a query, a form, the path of a URL.
struct PairRedaction: Sendable {
    let names: SecretNames
    let text: TextRedaction
    /// Whether the keys of bodies count as well as the names of a query.
    let isForm: Bool

    /// The edits in a query or form; the offset is added to every range.
    func edits(in octets: Octets, _ substitution: inout SecretSubstitution) -> [TextEdit] {
        var raw: [(name: Range<Int>, value: Range<Int>)] = []
        FieldPairs.forEachRaw(octets) { raw.append(($0.startIndex..<$0.endIndex, $1.startIndex..<$1.endIndex)) }
        var edits: [TextEdit] = []
        for pair in raw where !pair.value.isEmpty {
            let value = PercentText.decoded(octets[pair.value])
            if Placeholder.isWhole(value) { continue }
            let name = PercentText.decoded(octets[pair.name])
            let finding = self.isForm ? self.names.formField(name) : self.names.query(name)
            if let finding, value.count >= finding.minimumLength {
                edits.append(
                    TextEdit(range: pair.value, replacement: substitution.text(for: value, rule: finding.rule)))
            } else if let clean = self.text.redacted(value, .all, &substitution) {
                edits.append(TextEdit(range: pair.value, replacement: PairRedaction.encoded(clean, isForm: true)))
            }
        }
        return edits
    }

    /// A path without the tokens in its segments; nil if there is none.
    func redactedPath(_ path: Octets, _ substitution: inout SecretSubstitution) -> Octets? {
        var result = Octets()
        var isChanged = false
        for (number, segment) in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).enumerated()
        {
            if number > 0 { result.append(UInt8(ascii: "/")) }
            if let clean = self.text.redacted(PercentText.decodedSegment(segment), [], &substitution) {
                isChanged = true
                result.append(contentsOf: PairRedaction.encoded(clean, isForm: false))
            } else {
                result.append(contentsOf: segment)
            }
        }
        return isChanged ? result : nil
    }

    /// Percent-encodes what may not stand in a value, but leaves placeholders readable.
    static func encoded(_ octets: Octets, isForm: Bool) -> Octets {
        var result = Octets()
        var index = 0
        let digits = Octets("0123456789ABCDEF".utf8)
        let holes = Placeholder.protected(in: octets)
        var next = 0
        while index < octets.count {
            if next < holes.count, holes[next].lowerBound == index {
                result.append(contentsOf: octets[holes[next]])
                index = holes[next].upperBound
                next += 1
                continue
            }
            let octet = octets[index]
            if TokenShape.isWord(octet) || "-.~:@/!$'()*,;".utf8.contains(octet) {
                result.append(octet)
            } else if isForm, octet == 0x20 {
                result.append(UInt8(ascii: "+"))
            } else {
                result.append(UInt8(ascii: "%"))
                result.append(digits[Int(octet >> 4)])
                result.append(digits[Int(octet & 15)])
            }
            index += 1
        }
        return result
    }
}
