/// What stands in a cassette in place of a secret: `[REDACTED:<rule>#<n>]`.
enum Placeholder {
    /// How every placeholder begins.
    static let opening = Octets("[REDACTED:".utf8)

    /// The placeholder for the secret with a number.
    static func text(rule: String, number: Int) -> String { "[REDACTED:\(rule)#\(number)]" }

    /// The placeholder where no number is known: logs and miss texts.
    static func mask(rule: String) -> String { "[REDACTED:\(rule)]" }

    /// Where placeholders lie.
    static func ranges(in octets: some RandomAccessCollection<UInt8>) -> [Range<Int>] {
        let octets = Octets(octets)
        var result: [Range<Int>] = []
        var start = 0
        while let found = firstIndex(of: opening, in: octets, from: start) {
            guard let end = end(of: octets, from: found + opening.count) else {
                start = found + opening.count
                continue
            }
            result.append(found..<end)
            start = end
        }
        return result
    }

    /// Whether octets are one placeholder or one mark of a variable, such as `{{API_KEY}}`, and nothing else.
    static func isWhole(_ octets: some RandomAccessCollection<UInt8>) -> Bool {
        protected(in: octets).contains(0..<octets.count)
    }

    /// Where placeholders and marks of variables lie: nothing in them is a secret.
    static func protected(in octets: some RandomAccessCollection<UInt8>) -> [Range<Int>] {
        let octets = Octets(octets)
        let found = ranges(in: octets)
        guard firstIndex(of: Octets("{{".utf8), in: octets) != nil else { return found }
        return (found + marks(in: octets)).sorted { $0.lowerBound < $1.lowerBound }
    }

    /// Where marks of variables lie.
    private static func marks(in octets: Octets) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var start = 0
        while let open = firstIndex(of: Octets("{{".utf8), in: octets, from: start) {
            start = open + 2
            guard let close = firstIndex(of: Octets("}}".utf8), in: octets, from: start), close - start <= 200 else {
                continue
            }
            let parts = octets[start..<close].split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard (1...2).contains(parts.count), parts.allSatisfy({ isVariableName($0) }) else { continue }
            start = close + 2
            result.append(open..<start)
        }
        return result
    }

    /// Whether octets are the name of an environment variable (POSIX.1, section 8.1).
    static func isVariableName(_ octets: some Collection<UInt8>) -> Bool {
        guard let first = octets.first, first &- 0x30 >= 10 else { return false }
        return octets.allSatisfy { TokenShape.isWord($0) }
    }

    /// Whether octets hold a placeholder.
    static func occurs(in octets: some RandomAccessCollection<UInt8>) -> Bool {
        guard firstIndex(of: opening, in: octets) != nil else { return false }
        return !ranges(in: octets).isEmpty
    }

    /// Whether a text holds a placeholder.
    static func occurs(in text: String) -> Bool { occurs(in: Octets(text.utf8)) }

    /// Whether two values are equal, where a placeholder on either side stands for any octets.
    static func matches(_ left: Octets, _ right: Octets) -> Bool {
        if left == right { return true }
        return fits(left, right) || fits(right, left)
    }

    /// The number at the end of the placeholder in `octets`, or nil.
    static func number(of octets: some BidirectionalCollection<UInt8>) -> Int? {
        guard let hash = octets.lastIndex(of: UInt8(ascii: "#")) else { return nil }
        return Int(displayText(Octets(octets[octets.index(after: hash)...].dropLast())))
    }

    /// The rule that a placeholder or mask names, or nil.
    static func rule(in octets: Octets) -> String? {
        guard let start = firstIndex(of: opening, in: octets) else { return nil }
        let name = octets[(start + opening.count)...].prefix { $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "]") }
        return displayText(name)
    }

    /// Whether `text` is `pattern` with something in place of each placeholder.
    private static func fits(_ pattern: Octets, _ text: Octets) -> Bool {
        let holes = ranges(in: pattern)
        guard let first = holes.first, let last = holes.last else { return false }
        let head = pattern[..<first.lowerBound]
        let tail = pattern[last.upperBound...]
        guard text.count >= head.count + tail.count, text.starts(with: head),
            text[(text.count - tail.count)...].elementsEqual(tail)
        else { return false }
        var position = head.count
        let end = text.count - tail.count
        for (hole, next) in zip(holes, holes.dropFirst()) {
            let literal = Octets(pattern[hole.upperBound..<next.lowerBound])
            guard let found = firstIndex(of: literal, in: text[..<end], from: position) else { return false }
            position = found + literal.count
        }
        return position <= end
    }

    private static func end(of octets: Octets, from start: Int) -> Int? {
        var index = start
        // A rule name is short; a bracket without an end in sight is text that only looks like a placeholder.
        while index < octets.count, index - start <= 80 {
            let octet = octets[index]
            if octet == UInt8(ascii: "]") { return index > start ? index + 1 : nil }
            let isNameOctet =
                lowercased(octet) &- 0x61 < 26 || octet &- 0x30 < 10 || octet == UInt8(ascii: "-")
                || octet == UInt8(ascii: "_") || octet == UInt8(ascii: ".") || octet == UInt8(ascii: "#")
            guard isNameOctet else { return nil }
            index += 1
        }
        return nil
    }
}
