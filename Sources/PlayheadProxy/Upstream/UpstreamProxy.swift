import PlayheadCassette
import PlayheadHTTP

/// A proxy between us and the origins: where it is, how it is spoken to, and who we are for it.
public struct UpstreamProxy: Sendable, Hashable, CustomStringConvertible {
    /// How a proxy is spoken to.
    public enum Kind: String, Sendable {
        /// HTTP over plain TCP.
        case http
        /// HTTP over TLS.
        case https
        /// SOCKS version 5 (RFC 1928).
        case socks5
    }

    /// What it wants to hear before it serves us; the octets are those of the URL, percent-decoded.
    struct Credentials: Sendable, Hashable {
        var user: [UInt8]
        var password: [UInt8]
    }

    /// Why a URL names no proxy; the text never holds the URL, since that may carry a password.
    public struct Problem: Error, Sendable, CustomStringConvertible {
        /// What is wrong, as the end of a sentence.
        public var description: String
    }

    /// How it is spoken to.
    public let kind: Kind
    /// Its host, without brackets.
    public let host: String
    /// Its port.
    public let port: Int
    /// What people change to use another one: an option or a variable.
    public let setting: String
    let credentials: Credentials?

    /// Reads `[scheme://][user[:password]@]host[:port]`; without a scheme it is `http`.
    public init(_ text: String, setting: String) throws(Problem) {
        var rest = text[...]
        var kind = Kind.http
        if let mark = rest.firstRange(of: "://") {
            switch rest[..<mark.lowerBound].lowercased() {
            case "http": kind = .http
            case "https": kind = .https
            case "socks5", "socks5h", "socks": kind = .socks5
            case let other:
                throw Problem(description: "has the scheme \(other); it takes http, https or socks5")
            }
            rest = rest[mark.upperBound...]
        }
        if rest.last == "/" { rest.removeLast() }
        var credentials: Credentials?
        if let at = rest.lastIndex(of: "@") {
            credentials = try Self.credentials(rest[..<at], for: kind)
            rest = rest[rest.index(after: at)...]
        }
        guard let (host, port) = try? RequestTarget.parseAuthority(String(rest)) else {
            throw Problem(
                description: "is no proxy URL; it takes http://[USER:PASSWORD@]HOST:PORT, https:// or socks5://")
        }
        self.kind = kind
        self.host = host
        self.port = port ?? Self.defaultPort(kind)
        self.setting = setting
        self.credentials = credentials
    }

    /// The URL without user and password.
    public var description: String { "\(self.kind.rawValue)://\(self.address.description)" }

    /// Host and port.
    var address: Authority { Authority(host: self.host, port: self.port) }

    /// The value of `Proxy-Authorization` (RFC 7617 section 2), nil without credentials.
    var authorization: String? {
        guard let credentials = self.credentials else { return nil }
        let octets = credentials.user + [UInt8(ascii: ":")] + credentials.password
        return "Basic " + octets.withUnsafeBytes(Base64.encode)
    }

    private static func defaultPort(_ kind: Kind) -> Int {
        switch kind {
        case .http: 80
        case .https: 443
        case .socks5: 1080
        }
    }

    private static func credentials(_ text: Substring, for kind: Kind) throws(Problem) -> Credentials {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let user = parts.first.flatMap(Self.decoded), !user.isEmpty,
            let password = parts.count > 1 ? Self.decoded(parts[1]) : []
        else { throw Problem(description: "has a user name or password that is empty or badly percent-encoded") }
        switch kind {
        case .http, .https:
            // RFC 7617 section 2: no colon in the user name, no control octets in either.
            guard !user.contains(UInt8(ascii: ":")), (user + password).allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw Problem(description: "has a user name or password that HTTP authentication cannot carry")
            }
        case .socks5:
            // RFC 1929 section 2: one octet of length each, at least 1.
            guard user.count <= 255, (1...255).contains(password.count) else {
                throw Problem(description: "needs a user name and a password of 1 to 255 octets each for SOCKS5")
            }
        }
        return Credentials(user: user, password: password)
    }

    /// Decodes `%41`; nil when an escape is broken.
    private static func decoded(_ text: Substring) -> [UInt8]? {
        var octets: [UInt8] = []
        var rest = Substring(text).utf8[...]
        while let octet = rest.popFirst() {
            guard octet == UInt8(ascii: "%") else {
                octets.append(octet)
                continue
            }
            guard let high = rest.popFirst().flatMap(Self.digit), let low = rest.popFirst().flatMap(Self.digit) else {
                return nil
            }
            octets.append(high << 4 | low)
        }
        return octets
    }

    private static func digit(_ octet: UInt8) -> UInt8? {
        switch octet {
        case 0x30...0x39: octet - 0x30
        case 0x41...0x46: octet - 0x37
        case 0x61...0x66: octet - 0x57
        default: nil
        }
    }
}
