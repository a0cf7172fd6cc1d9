/// Finds a value in a text whichever of its characters are escaped.
///
/// Percent-encoding and strings of JSON leave that to who writes them (RFC 3986 section 2.1, RFC 8259 section 7): curl
/// writes `%2f`, Python leaves the slash as it is, PHP writes `\/` in JSON.
struct SpelledSecret: Sendable {
    /// What is used besides the characters themselves.
    enum Spelling { case percent, form, json }

    /// The value itself.
    let value: Octets

    /// Where the value is spelled with escapes, in order; places where it stands plainly are left out.
    func places(in text: UnsafeBufferPointer<UInt8>) -> [(range: Range<Int>, spelling: Spelling)] {
        guard let first = self.value.first else { return [] }
        var found: [(range: Range<Int>, spelling: Spelling)] = []
        var index = 0
        while index < text.count {
            let octet = text[index]
            let mayBegin =
                octet == first || octet == UInt8(ascii: "%") || octet == UInt8(ascii: "\\")
                || octet == UInt8(ascii: "+")
            if mayBegin, let match = self.match(in: text, at: index) {
                found.append((index..<match.end, match.spelling))
                index = match.end
            } else {
                index += 1
            }
        }
        return found
    }

    /// Whether a text has any character that an escape begins with.
    static func mayOccur(in text: Octets) -> Bool {
        text.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "+") }
    }

    private func match(
        in text: UnsafeBufferPointer<UInt8>, at start: Int
    ) -> (end: Int, spelling: Spelling)? {
        var index = start
        var place = 0
        var spelling: Spelling?
        while place < self.value.count {
            guard index < text.count else { return nil }
            let octet = text[index]
            if octet == UInt8(ascii: "%"), index + 2 < text.count, let high = hexValue(text[index + 1]),
                let low = hexValue(text[index + 2]), high << 4 | low == self.value[place]
            {
                spelling = spelling ?? .percent
                index += 3
                place += 1
            } else if octet == UInt8(ascii: "+"), self.value[place] == 0x20 {
                spelling = .form
                index += 1
                place += 1
            } else if octet == UInt8(ascii: "\\"), let escape = Self.escape(in: text, at: index),
                self.value[place...].starts(with: escape.octets)
            {
                spelling = .json
                index = escape.end
                place += escape.octets.count
            } else if octet == self.value[place] {
                index += 1
                place += 1
            } else {
                return nil
            }
        }
        return spelling.map { (index, $0) }
    }

    /// What an escape of JSON stands for.
    private static func escape(
        in text: UnsafeBufferPointer<UInt8>, at start: Int
    ) -> (octets: Octets, end: Int)? {
        guard start + 1 < text.count else { return nil }
        let short: UInt8? =
            switch text[start + 1] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text[start + 1]
            case UInt8(ascii: "b"): 0x08
            case UInt8(ascii: "f"): 0x0C
            case UInt8(ascii: "n"): 0x0A
            case UInt8(ascii: "r"): 0x0D
            case UInt8(ascii: "t"): 0x09
            default: nil
            }
        if let short { return ([short], start + 2) }
        guard let unit = Self.unit(in: text, at: start) else { return nil }
        var scalar = Unicode.Scalar(unit)
        var end = start + 6
        if 0xD800..<0xDC00 ~= unit, let low = Self.unit(in: text, at: end), 0xDC00..<0xE000 ~= low {
            scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
            end += 6
        }
        return scalar.map { (Octets(String($0).utf8), end) }
    }

    /// The number of `\uXXXX`.
    private static func unit(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> UInt32? {
        guard start + 5 < text.count, text[start] == UInt8(ascii: "\\"), text[start + 1] == UInt8(ascii: "u") else {
            return nil
        }
        var value: UInt32 = 0
        for index in start + 2..<start + 6 {
            guard let digit = hexValue(text[index]) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
