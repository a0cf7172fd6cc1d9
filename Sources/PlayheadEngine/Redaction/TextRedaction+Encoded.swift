extension TextRedaction {
    /// The run of base64 at `start` if something secret is in it, as a whole.
    func encoded(_ text: UnsafeBufferPointer<UInt8>, _ run: EncodedRun) -> (range: Range<Int>, rule: String)? {
        guard let inner = run.decoded(text), let rule = self.deeper.rule(of: inner) else { return nil }
        return (run.range, rule)
    }

    /// The rule of the first secret in octets of unknown type; nil if there is none.
    func rule(of octets: Octets) -> String? {
        if let name = self.known.name(in: octets) { return name }
        // A probe: nothing is replaced, so no number may be used up.
        var probe = SecretSubstitution(ledger: nil)
        let first = octets.first { $0 > 0x20 }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "\"") {
            if JSONRedaction(names: self.names, text: self).edits(in: octets, &probe) != nil { return probe.firstRule }
        }
        if octets.contains(UInt8(ascii: "=")), octets.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
            _ = PairRedaction(names: self.names, text: self, isForm: true).edits(in: octets, &probe)
            if let rule = probe.firstRule { return rule }
        }
        _ = self.edits(in: octets, .all, &probe)
        return probe.firstRule
    }

    /// Where tokens lie that are known by their look alone, in a part of a text.
    func tokens(in text: UnsafeBufferPointer<UInt8>, _ part: Range<Int>) -> [(range: Range<Int>, rule: String)] {
        var found: [(range: Range<Int>, rule: String)] = []
        self.plain.scan(UnsafeBufferPointer(rebasing: text[part]), []) { range, rule in
            found.append((range.lowerBound + part.lowerBound..<range.upperBound + part.lowerBound, rule))
        }
        return found
    }

    /// A range that is an AWS secret beside an identifier.
    func awsSecret(
        _ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ identifiers: inout [Range<Int>]?
    ) -> (range: Range<Int>, rule: String)? {
        guard let rule = self.awsRule, TextRedaction.isAWSSecret(text[range]) else { return nil }
        let known = identifiers ?? self.awsIdentifiers(in: text)
        identifiers = known
        return TextRedaction.isBeside(range, known) ? (range, rule) : nil
    }

    /// The AWS secret access key next to an access key identifier: 40 letters of base64 that begin at `start`.
    ///
    /// Nothing marks such a key but its company, so a digest in hexadecimal, which has no capitals, is not meant.
    static func isAWSSecret(_ octets: some Collection<UInt8>) -> Bool {
        guard octets.count == 40 else { return false }
        var kinds: (upper: Bool, lower: Bool, digit: Bool) = (false, false, false)
        for octet in octets {
            switch octet {
            case 0x41...0x5A: kinds.upper = true
            case 0x61...0x7A: kinds.lower = true
            case 0x30...0x39: kinds.digit = true
            case UInt8(ascii: "+"), UInt8(ascii: "/"): break
            default: return false
            }
        }
        return kinds.upper && kinds.lower && kinds.digit
    }

    /// Where AWS access key identifiers lie, if the rule for them is on.
    func awsIdentifiers(in text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
        guard self.awsRule != nil else { return [] }
        var found: [Range<Int>] = []
        var index = 0
        while index < text.count {
            if text[index] == UInt8(ascii: "A"), index == 0 || !TokenShape.isWord(text[index - 1]),
                let end = TokenShape.awsAccessKey.end(in: text, at: index)
            {
                found.append(index..<end)
                index = end
            } else {
                index += 1
            }
        }
        return found
    }

    /// How near to an identifier a secret is looked for, in octets.
    static let awsNeighbourhood = 512

    /// Whether a range lies beside one of the identifiers.
    static func isBeside(_ range: Range<Int>, _ identifiers: [Range<Int>]) -> Bool {
        identifiers.contains {
            range.lowerBound < $0.upperBound + Self.awsNeighbourhood
                && $0.lowerBound < range.upperBound + Self.awsNeighbourhood
        }
    }
}
