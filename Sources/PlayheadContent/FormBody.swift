public import NIOCore

/// A form or query in `application/x-www-form-urlencoded`, as ordered pairs.
///
/// What is not changed is written back octet by octet, so the escapes of the sender stay.
public struct FormBody: Sendable, Equatable {
    /// One `name=value`.
    public struct Pair: Sendable, Equatable {
        /// The decoded name.
        public let name: String
        /// The decoded value; empty without `=`.
        public private(set) var value: String
        /// The octets as sent, without the `&`.
        public private(set) var source: String

        /// Creates a pair from its text as sent.
        public init(source: String) {
            let parts = source.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            self.name = FormBody.decoded(parts.first ?? "")
            self.value = parts.count > 1 ? FormBody.decoded(parts[1]) : ""
            self.source = source
        }

        /// Puts another value in place; the name keeps its escapes.
        public mutating func setValue(_ value: String) {
            let name = self.source.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
            self.value = value
            self.source = "\(name)=\(FormBody.encoded(value))"
        }
    }

    /// The pairs in order; an empty piece between two `&` is a pair with an empty name.
    public var pairs: [Pair]

    /// Reads a form or a query without its `?`.
    public init(_ text: String) {
        self.pairs =
            text.isEmpty
            ? []
            : text.split(separator: "&", omittingEmptySubsequences: false).map {
                Pair(source: String($0))
            }
    }

    /// Reads a body; nil if it is not UTF-8, since it could not be written back.
    public init?(_ body: ByteBuffer) {
        guard let text = body.withUnsafeReadableBytes({ String(validating: $0, as: UTF8.self) }) else { return nil }
        self.init(text)
    }

    /// The form as text.
    public var text: String { self.pairs.map(\.source).joined(separator: "&") }

    /// The decoded form of an escaped text: `+` is a space, `%XX` an octet, a broken escape stays.
    public static func decoded(_ text: some StringProtocol) -> String {
        let source = Array(text.utf8)
        guard source.contains(UInt8(ascii: "%")) || source.contains(UInt8(ascii: "+")) else { return String(text) }
        var octets: [UInt8] = []
        octets.reserveCapacity(source.count)
        var index = 0
        while index < source.count {
            if source[index] == UInt8(ascii: "%"), index + 2 < source.count,
                let high = hexadecimalValue(source[index + 1]), let low = hexadecimalValue(source[index + 2])
            {
                octets.append(high << 4 | low)
                index += 3
            } else {
                octets.append(source[index] == UInt8(ascii: "+") ? 0x20 : source[index])
                index += 1
            }
        }
        return String(decoding: octets, as: UTF8.self)
    }

    /// The text with everything escaped but letters, digits and `*-._`; a space is `+`.
    public static func encoded(_ text: String) -> String {
        var octets: [UInt8] = []
        for octet in text.utf8 {
            switch octet {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                octets.append(octet)
            case 0x20: octets.append(UInt8(ascii: "+"))
            default:
                octets.append(UInt8(ascii: "%"))
                octets.append(contentsOf: [octet >> 4, octet & 15].map { $0 < 10 ? $0 + 0x30 : $0 - 10 + 0x41 })
            }
        }
        return String(decoding: octets, as: UTF8.self)
    }
}
