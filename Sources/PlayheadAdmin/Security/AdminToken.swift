/// The secret that opens the admin API.
public struct AdminToken: Sendable {
    /// The text that follows `Bearer`.
    public let text: String

    /// Makes a token of 256 random bits, as 64 hexadecimal digits.
    public static func random(using generator: inout some RandomNumberGenerator) -> AdminToken {
        let digits = (0..<4).map { _ in
            let part = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - part.utf8.count) + part
        }
        return AdminToken(unchecked: digits.joined())
    }

    /// Takes a token that the user gave; nil when it is shorter than 16 octets or not printable ASCII without spaces.
    public init?(_ text: String) {
        guard text.utf8.count >= 16, text.utf8.count <= 1024, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return nil
        }
        self.text = text
    }

    private init(unchecked text: String) { self.text = text }

    /// Whether a text equals the token; the time it takes tells nothing but the length.
    func equals(_ other: String) -> Bool {
        let (mine, theirs) = (Array(self.text.utf8), Array(other.utf8))
        guard mine.count == theirs.count else { return false }
        var difference: UInt8 = 0
        for (a, b) in zip(mine, theirs) { difference |= a ^ b }
        return difference == 0
    }
}
