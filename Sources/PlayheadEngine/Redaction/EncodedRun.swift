import NIOCore
import PlayheadContent

/// A run of base64 in a text: where it lies, and what it says once decoded.
///
/// Both alphabets of RFC 4648 are read, with or without padding, and broken into lines as MIME does.
struct EncodedRun {
    /// A shorter run holds nothing worth hiding: `{"pwd":"hush"}` takes 20.
    static let minimumLength = 16
    /// How many octets are decoded to see whether the rest is worth it.
    private static let probe = 64
    /// What compressed octets may grow to; a run that grows more is no message.
    private static let inflatedLimit = 8 << 20
    private static let inflatedRatio = 200

    /// The octets of the run, padding included.
    var range: Range<Int>

    /// The run that begins at `start`, where none was before; nil if it is short.
    ///
    /// - Parameter end: set to the end of the run, also of a short one.
    init?(in text: UnsafeBufferPointer<UInt8>, at start: Int, end: inout Int) {
        var index = start
        var lineStart = start
        while index < text.count {
            if EncodedRun.value(text[index]) != nil {
                index += 1
            } else if let next = EncodedRun.nextLine(text, index, lineLength: index - lineStart) {
                index = next
                lineStart = next
            } else {
                break
            }
        }
        end = index
        guard index - start >= EncodedRun.minimumLength else { return nil }
        var padding = 0
        while index < text.count, text[index] == UInt8(ascii: "="), padding < 2 {
            index += 1
            padding += 1
        }
        self.range = start..<index
    }

    /// What the run says: text, taken out of gzip, zlib or Zstandard if need be; nil if it is other data.
    func decoded(_ text: UnsafeBufferPointer<UInt8>) -> Octets? {
        let head = EncodedRun.decode(
            text[self.range.lowerBound..<min(self.range.upperBound, self.range.lowerBound + Self.probe)])
        guard let coding = EncodedRun.coding(of: head) else {
            guard EncodedRun.looksLikeText(head) else { return nil }
            return EncodedRun.decode(text[self.range])
        }
        let packed = ByteBuffer(bytes: EncodedRun.decode(text[self.range]))
        let plain = try? ContentDecoder.decode(
            packed, codings: [coding], limit: Self.inflatedLimit, ratioLimit: Self.inflatedRatio)
        return plain.map { Octets($0.readableBytesView) }
    }

    /// Whether octets are the base64 alphabet's.
    @inline(__always)
    static func isPart(_ octet: UInt8) -> Bool { Self.value(octet) != nil }

    /// Whether a run, its line breaks or its padding may hold this octet.
    static func mayHold(_ octet: UInt8) -> Bool {
        Self.isPart(octet) || octet == 0x0A || octet == 0x0D || octet == UInt8(ascii: "=")
    }

    /// The octets of base64 text; what is not in the alphabet is skipped.
    static func decode(_ text: some Sequence<UInt8>) -> Octets {
        var result = Octets()
        var group: UInt32 = 0
        var count = 0
        for letter in text {
            guard let value = Self.value(letter) else { continue }
            group = group << 6 | UInt32(value)
            count += 1
            guard count == 4 else { continue }
            result.append(UInt8(truncatingIfNeeded: group >> 16))
            result.append(UInt8(truncatingIfNeeded: group >> 8))
            result.append(UInt8(truncatingIfNeeded: group))
            (group, count) = (0, 0)
        }
        if count > 1 { result.append(UInt8(truncatingIfNeeded: group >> (count == 2 ? 4 : 10))) }
        if count > 2 { result.append(UInt8(truncatingIfNeeded: group >> 2)) }
        return result
    }

    /// Whether octets read as text: UTF-8 that may be cut off at its end, without control octets but white space.
    static func looksLikeText(_ octets: Octets) -> Bool {
        guard !octets.isEmpty,
            octets.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D })
        else { return false }
        return (0...min(3, octets.count - 1)).contains { String(validating: octets.dropLast($0), as: UTF8.self) != nil }
    }

    /// The first octets of each format (RFC 1952 section 2.3.1, RFC 1950 section 2.2, RFC 8878 section 3.1.1).
    private static func coding(of head: Octets) -> ContentCoding? {
        guard head.count > 4 else { return nil }
        if head[0] == 0x1F, head[1] == 0x8B { return .gzip }
        if head[0] == 0x78, (UInt(head[0]) << 8 | UInt(head[1])) % 31 == 0, head[1] & 0x20 == 0 { return .deflate }
        if head[..<4].elementsEqual([0x28, 0xB5, 0x2F, 0xFD]) { return .zstd }
        return nil
    }

    /// Where the next line of base64 begins, if the line that ends here is as long as encoders make them.
    private static func nextLine(_ text: UnsafeBufferPointer<UInt8>, _ end: Int, lineLength: Int) -> Int? {
        guard lineLength == 64 || lineLength == 76 else { return nil }
        var index = end
        if index < text.count, text[index] == 0x0D { index += 1 }
        guard index < text.count, text[index] == 0x0A else { return nil }
        return index + 1 < text.count && Self.isPart(text[index + 1]) ? index + 1 : nil
    }

    @inline(__always)
    private static func value(_ letter: UInt8) -> UInt8? {
        switch letter {
        case 0x41...0x5A: letter &- 0x41
        case 0x61...0x7A: letter &- 0x61 + 26
        case 0x30...0x39: letter &- 0x30 + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
