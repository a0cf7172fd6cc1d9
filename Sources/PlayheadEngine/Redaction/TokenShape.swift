/// A kind of secret that is known by its look.
public enum TokenShape: Sendable, Hashable, CaseIterable {
    /// A JSON web token: three base64url parts, the first of which begins with `eyJ` (RFC 7519).
    case jwt
    /// A PEM block of a private key (RFC 7468).
    case privateKey
    /// An AWS access key identifier: `AKIA` or `ASIA` and 16 more.
    case awsAccessKey
    /// `ghp_`, `gho_`, `ghs_`, `ghu_`, `ghr_`, `github_pat_`.
    case github
    /// `glpat-`.
    case gitlab
    /// `xoxa-`, `xoxb-`, `xoxp-`, `xoxr-`, `xoxs-`.
    case slack
    /// `sk_live_`, `sk_test_`, `rk_live_`, `rk_test_`, `whsec_`.
    case stripe
    /// `sk-`, as several model providers write their keys.
    case sk
    /// `AIza` and 35 more.
    case googleKey
    /// `ya29.`.
    case googleToken
    /// `npm_`.
    case npm
    /// `pypi-`.
    case pypi
    /// User and password of a URL, between `//` and `@` (RFC 3986 section 3.2.1).
    case userinfo
    /// `Basic` and base64 that says `user:password` (RFC 7617 section 2).
    case basicCredentials
    /// `SharedAccessSignature` of Azure: `sr=…&sig=…&se=…`.
    case sharedAccessSignature
    /// `AccountKey=` and `SharedAccessKey=` in a connection string of Azure.
    case azureKey

    /// Where a token of this shape ends that begins at `start`, or nil.
    func end(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
        switch self {
        case .jwt: return TokenShape.jwtEnd(text, start)
        case .privateKey: return TokenShape.privateKeyEnd(text, start)
        case .userinfo: return TokenShape.userinfoEnd(text, start)
        case .basicCredentials: return TokenShape.basicEnd(text, start)
        case .sharedAccessSignature: return TokenShape.signatureEnd(text, start)
        case .azureKey: return TokenShape.azureKeyEnd(text, start)
        case .awsAccessKey, .github, .gitlab, .slack, .stripe, .sk, .googleKey, .googleToken, .npm, .pypi: break
        }
        for prefix in self.prefixes where TokenShape.has(prefix.text, text, start) {
            var end = start + prefix.text.utf8CodeUnitCount
            let body = end
            while end < text.count, prefix.alphabet.contains(text[end]) { end += 1 }
            if end - body >= prefix.least { return end }
        }
        return nil
    }

    /// How many octets of what was found stay: a scheme or a name says what the secret was.
    func prefixLength(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Int {
        switch self {
        case .userinfo: 2
        case .basicCredentials: 6
        case .sharedAccessSignature: "SharedAccessSignature".utf8.count + 1
        case .azureKey: (text[start...].firstIndex(of: UInt8(ascii: "=")) ?? start - 1) + 1 - start
        case .jwt, .privateKey, .awsAccessKey, .github, .gitlab, .slack, .stripe, .sk, .googleKey, .googleToken, .npm,
            .pypi:
            0
        }
    }

    /// The octets with which a token of this shape can begin.
    var firstOctets: [UInt8] {
        switch self {
        case .jwt: [UInt8(ascii: "e")]
        case .privateKey: [UInt8(ascii: "-")]
        case .userinfo: [UInt8(ascii: "/")]
        case .basicCredentials: [UInt8(ascii: "B"), UInt8(ascii: "b")]
        case .sharedAccessSignature: [UInt8(ascii: "S")]
        case .azureKey: [UInt8(ascii: "A"), UInt8(ascii: "S")]
        case .awsAccessKey, .github, .gitlab, .slack, .stripe, .sk, .googleKey, .googleToken, .npm, .pypi:
            Array(Set(self.prefixes.map { $0.text.utf8Start.pointee })).sorted()
        }
    }

    /// The octets a token consists of after its prefix.
    private enum Alphabet {
        case upper, word, wordDash, wordDashDot

        @inline(__always)
        func contains(_ octet: UInt8) -> Bool {
            switch self {
            case .upper: octet &- 0x41 < 26 || octet &- 0x30 < 10
            case .word: TokenShape.isWord(octet)
            case .wordDash: TokenShape.isWord(octet) || octet == UInt8(ascii: "-")
            case .wordDashDot: TokenShape.isWord(octet) || octet == UInt8(ascii: "-") || octet == UInt8(ascii: ".")
            }
        }
    }

    private struct Prefix {
        var text: StaticString
        var alphabet: Alphabet
        var least: Int

        init(_ text: StaticString, _ alphabet: Alphabet, _ least: Int) {
            self.text = text
            self.alphabet = alphabet
            self.least = least
        }
    }

    private var prefixes: [Prefix] {
        switch self {
        case .jwt, .privateKey, .userinfo, .basicCredentials, .sharedAccessSignature, .azureKey: []
        case .awsAccessKey: [Prefix("AKIA", .upper, 16), Prefix("ASIA", .upper, 16)]
        case .github:
            [
                Prefix("ghp_", .word, 20), Prefix("gho_", .word, 20), Prefix("ghs_", .word, 20),
                Prefix("ghu_", .word, 20), Prefix("ghr_", .word, 20), Prefix("github_pat_", .word, 20),
            ]
        case .gitlab: [Prefix("glpat-", .wordDashDot, 16)]
        case .slack:
            [
                Prefix("xoxa-", .wordDash, 10), Prefix("xoxb-", .wordDash, 10), Prefix("xoxp-", .wordDash, 10),
                Prefix("xoxr-", .wordDash, 10), Prefix("xoxs-", .wordDash, 10),
            ]
        case .stripe:
            [
                Prefix("sk_live_", .word, 10), Prefix("sk_test_", .word, 10), Prefix("rk_live_", .word, 10),
                Prefix("rk_test_", .word, 10), Prefix("whsec_", .word, 16),
            ]
        case .sk: [Prefix("sk-", .wordDash, 20)]
        case .googleKey: [Prefix("AIza", .wordDash, 30)]
        case .googleToken: [Prefix("ya29.", .wordDashDot, 20)]
        case .npm: [Prefix("npm_", .word, 20)]
        case .pypi: [Prefix("pypi-", .wordDash, 16)]
        }
    }

    /// Letters, digits and `_`.
    @inline(__always)
    static func isWord(_ octet: UInt8) -> Bool {
        lowercased(octet) &- 0x61 < 26 || octet &- 0x30 < 10 || octet == UInt8(ascii: "_")
    }

    @inline(__always)
    static func has(_ prefix: StaticString, _ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Bool {
        let length = prefix.utf8CodeUnitCount
        guard start + length <= text.count else { return false }
        for offset in 0..<length where prefix.utf8Start[offset] != text[start + offset] { return false }
        return true
    }

    private static func jwtEnd(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int? {
        guard has("eyJ", text, start) else { return nil }
        var index = start
        var dots = 0
        var partStart = start
        while index < text.count {
            let octet = text[index]
            if octet == UInt8(ascii: "."), dots < 2 {
                guard index - partStart >= 4 else { return nil }
                dots += 1
                partStart = index + 1
            } else if !isWord(octet), octet != UInt8(ascii: "-") {
                break
            }
            index += 1
        }
        // The last part is empty in an unsigned token.
        return dots == 2 ? index : nil
    }

    private static func privateKeyEnd(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int? {
        guard has("-----BEGIN ", text, start) else { return nil }
        var index = start + 11
        while index < text.count, index - start < 60, text[index] != UInt8(ascii: "-") { index += 1 }
        let label = UnsafeBufferPointer(rebasing: text[(start + 11)..<index])
        guard firstIndex(of: Octets("PRIVATE KEY".utf8), inBuffer: label, from: 0) != nil else { return nil }
        // A block that is cut off is secret up to the end of the text.
        guard let end = firstIndex(of: Octets("-----END ".utf8), inBuffer: text, from: index) else {
            return text.count
        }
        var last = end + 9
        while last < text.count, text[last] != UInt8(ascii: "-") { last += 1 }
        // Five dashes, and no more: the next block may follow at once.
        let dashes = last
        while last < text.count, last - dashes < 5, text[last] == UInt8(ascii: "-") { last += 1 }
        return last
    }

    private static func userinfoEnd(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int? {
        guard start > 1, text[start - 1] == UInt8(ascii: ":"), has("//", text, start) else { return nil }
        var index = start + 2
        var at: Int?
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "@"): at = index
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\""), UInt8(ascii: "'"),
                UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), 0...0x20, 0x7F:
                return at
            default: break
            }
            index += 1
        }
        return at
    }
}
