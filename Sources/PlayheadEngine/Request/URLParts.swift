/// An absolute URL cut into the parts that matching looks at.
///
/// Nothing is decoded. What follows a `#` stays in the path or query, since a placeholder such as
/// `[REDACTED:token#1]` holds one and requests never carry a fragment (RFC 9110 section 7.1).
public struct URLParts: Sendable, Hashable {
    /// Scheme, host and port.
    public let origin: Origin
    /// The text between `//` and `@`, or nil.
    public let userinfo: String?
    /// Path and query as written; begins with a slash.
    public let pathAndQuery: String

    /// Cuts a URL.
    ///
    /// - Throws: ``EngineError`` when the scheme is neither `http` nor `https`, or host or port cannot be read.
    public init(_ url: String) throws {
        let octets = Octets(url.utf8)
        guard let colon = octets.firstIndex(of: UInt8(ascii: ":")), octets.count > colon + 3,
            octets[colon + 1] == UInt8(ascii: "/"), octets[colon + 2] == UInt8(ascii: "/")
        else { throw URLParts.refused(url) }
        let scheme = asciiLowercased(displayText(octets[..<colon]))
        guard scheme == "http" || scheme == "https" || scheme == "ws" || scheme == "wss" else {
            throw URLParts.refused(url)
        }
        let start = colon + 3
        let end = octets[start...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? octets.count
        var authority = octets[start..<end]
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            self.userinfo = displayText(authority[..<at])
            authority = authority[(at + 1)...]
        } else {
            self.userinfo = nil
        }
        var host = authority
        var port = Origin.defaultPort(scheme: scheme)
        let bracket = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        if let colon = authority[bracket...].lastIndex(of: UInt8(ascii: ":")) {
            host = authority[..<colon]
            let digits = authority[(colon + 1)...]
            if !digits.isEmpty {
                guard let number = Int(displayText(digits)), number > 0, number < 65536 else {
                    throw URLParts.refused(url)
                }
                port = number
            }
        }
        guard !host.isEmpty else { throw URLParts.refused(url) }
        self.origin = Origin(scheme: scheme, host: displayText(host), port: port)
        let rest = displayText(octets[end...])
        self.pathAndQuery = rest.utf8.first == UInt8(ascii: "/") ? rest : "/" + rest
    }

    private static func refused(_ url: String) -> EngineError {
        let shown = url.prefix { $0 != "?" }
        return EngineError(
            .badURL, "\"\(shown)\" is no absolute http or https URL; write https://host/path")
    }
}
