import PlayheadCassette
import PlayheadHTTP

/// What a client says about itself to the proxy: the user names a session, the password carries the token.
struct ProxyCredentials: Equatable {
    var user: String
    var password: [UInt8]

    /// Reads `Proxy-Authorization: Basic` (RFC 7617 section 2); nil when there is none that can be read.
    static func read(_ headers: HeaderList) -> ProxyCredentials? {
        guard let value = headers.first("proxy-authorization") else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", let octets = Base64.decode(String(parts[1])) else {
            return nil
        }
        let user = octets.prefix { $0 != UInt8(ascii: ":") }
        return ProxyCredentials(
            user: String(decoding: user, as: UTF8.self), password: Array(octets.dropFirst(user.count + 1)))
    }
}
