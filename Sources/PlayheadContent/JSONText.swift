/// Reading and writing of JSON strings (RFC 8259 section 7).
public enum JSONText {
    /// The text as a JSON string with its quotes; what need not be escaped stays as it is.
    public static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..<"\u{20}", "\u{7f}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// The text of a scanned JSON string, given with its quotes; a lone surrogate becomes U+FFFD.
    package static func unquoted(_ bytes: UnsafeRawBufferPointer) -> String {
        let inner = UnsafeRawBufferPointer(rebasing: bytes[1..<max(1, bytes.count - 1)])
        guard inner.contains(UInt8(ascii: "\\")) else { return String(decoding: inner, as: UTF8.self) }
        var octets: [UInt8] = []
        octets.reserveCapacity(inner.count)
        var index = 0
        while index < inner.count {
            let octet = inner[index]
            guard octet == UInt8(ascii: "\\"), index + 1 < inner.count else {
                octets.append(octet)
                index += 1
                continue
            }
            index += 2
            switch inner[index - 1] {
            case UInt8(ascii: "n"): octets.append(0x0a)
            case UInt8(ascii: "r"): octets.append(0x0d)
            case UInt8(ascii: "t"): octets.append(0x09)
            case UInt8(ascii: "b"): octets.append(0x08)
            case UInt8(ascii: "f"): octets.append(0x0c)
            case UInt8(ascii: "u"): self.appendEscape(inner, at: &index, to: &octets)
            case let plain: octets.append(plain)
            }
        }
        return String(decoding: octets, as: UTF8.self)
    }

    /// Reads the digits after `\u`, and the second half of a surrogate pair.
    private static func appendEscape(
        _ bytes: UnsafeRawBufferPointer, at index: inout Int, to octets: inout [UInt8]
    ) {
        var value = self.unit(bytes, at: index) ?? 0xfffd
        index += 4
        if value & 0xfc00 == 0xd800, index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
            bytes[index + 1] == UInt8(ascii: "u"), let low = self.unit(bytes, at: index + 2), low & 0xfc00 == 0xdc00
        {
            value = 0x10000 + (value & 0x3ff) << 10 + low & 0x3ff
            index += 6
        }
        let scalar = Unicode.Scalar(value) ?? "\u{fffd}"
        octets.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    private static func unit(_ bytes: UnsafeRawBufferPointer, at index: Int) -> UInt32? {
        guard index + 4 <= bytes.count else { return nil }
        var value: UInt32 = 0
        for octet in bytes[index..<index + 4] {
            guard let digit = hexadecimalValue(octet) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
