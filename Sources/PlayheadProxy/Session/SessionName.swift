import PlayheadCassette
import PlayheadHTTP

/// Which session a request asks for: the proxy user's name, else the field `Playhead-Cassette`.
enum SessionName {
    /// The request field that names a cassette; never relayed.
    static let field = "Playhead-Cassette"

    /// The name in a request head; nil if it asks for none.
    ///
    /// - Throws: `CassetteError` when the text is no cassette name.
    static func read(_ headers: HeaderList) throws -> CassetteName? {
        if let user = Self.proxyUser(headers), !user.isEmpty { return try CassetteName.validated(user) }
        if let name = headers.first(Self.field) { return try CassetteName.validated(name) }
        return nil
    }

    /// The user of `Proxy-Authorization: Basic` (RFC 7617 section 2).
    private static func proxyUser(_ headers: HeaderList) -> String? {
        guard let value = headers.first("proxy-authorization") else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", let octets = Base64.decode(String(parts[1])) else {
            return nil
        }
        return String(decoding: octets.prefix { $0 != 0x3A }, as: UTF8.self)
    }
}
