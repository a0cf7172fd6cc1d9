import COpenSSL

/// The key of encrypted cassettes; its value never appears in a text.
public struct CassetteKey: Sendable, Hashable, CustomStringConvertible {
    /// A passphrase has at least this many octets.
    public static let minimumLength = 16

    private let octets: [UInt8]

    /// Makes a key of a secret: 64 hexadecimal digits are the key itself, anything else is a passphrase.
    ///
    /// A passphrase goes through scrypt (RFC 7914; N 32768, r 8, p 1, a salt that is the same everywhere), so that trying
    /// out passphrases is slow; it takes about 0.1 s.
    public init(secret: [UInt8]) throws(CassetteError) {
        if secret.count == 64, let key = Self.octets(ofHex: secret) {
            self.octets = key
            return
        }
        guard secret.count >= Self.minimumLength else {
            throw CassetteError(
                .key,
                "the key has \(secret.count) octets and needs \(Self.minimumLength) or more; "
                    + "make one with: openssl rand -hex 32")
        }
        let salt = Array("playhead cassette key v1".utf8)
        var key = [UInt8](repeating: 0, count: 32)
        let isDone = secret.withUnsafeBytes { secret in
            EVP_PBE_scrypt(
                secret.baseAddress?.assumingMemoryBound(to: CChar.self), secret.count, salt, salt.count, 32768, 8, 1,
                64 << 20, &key, key.count)
        }
        guard isDone == 1 else { throw CassetteError(.key, "the key cannot be derived: OpenSSL refuses scrypt") }
        self.octets = key
    }

    /// Says nothing about the key.
    public var description: String { "a key" }

    /// 32 octets for one purpose, by HMAC-SHA256 over the purpose and what is given.
    func derived(_ purpose: String, _ data: [UInt8]) -> [UInt8] {
        let message = Array(purpose.utf8) + [0] + data
        var result = [UInt8](repeating: 0, count: 32)
        var length = 0
        let isDone = EVP_Q_mac(
            nil, "HMAC", nil, "SHA256", nil, self.octets, self.octets.count, message, message.count, &result,
            result.count, &length)
        precondition(isDone != nil && length == 32, "HMAC-SHA256 is always there")
        return result
    }

    private static func octets(ofHex digits: [UInt8]) -> [UInt8]? {
        var octets: [UInt8] = []
        for index in stride(from: 0, to: digits.count - 1, by: 2) {
            guard let high = Self.value(digits[index]), let low = Self.value(digits[index + 1]) else { return nil }
            octets.append(high << 4 | low)
        }
        return octets
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
