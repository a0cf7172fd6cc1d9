/// A request target, taken apart for a proxy (RFC 9112 section 3.2).
///
/// The path and query are kept as sent: nothing is decoded, normalised or rewritten.
public struct RequestTarget: Sendable, Hashable {
    /// The four forms of a target.
    public enum Form: Sendable, Hashable {
        /// `/path?query`.
        case origin
        /// `http://host/path?query`.
        case absolute
        /// `host:port`, with CONNECT only.
        case authority
        /// `*`, with OPTIONS only.
        case asterisk
    }

    /// The form the target was sent in.
    public var form: Form
    /// `http` or `https`, in lower case; nil unless the form is absolute.
    public var scheme: String?
    /// Whether the scheme was sent as `ws` or `wss`, as some clients of WebSocket do; nothing else may.
    public var namesWebSocket = false
    /// The user information before the host, as sent; never to be forwarded.
    public var userinfo: String?
    /// The host in lower case, an IPv6 literal without brackets; empty in origin and asterisk form.
    public var host: String
    /// Whether the host is an IPv6 literal.
    public var isIPv6Literal: Bool
    /// The port as sent; nil when there was none.
    public var port: Int?
    /// The path and query to put on a request line; empty in authority form, `*` for the server as a whole.
    public var pathAndQuery: String

    /// Host, in brackets when it is an IPv6 literal, and the port if one was sent: the text for a `Host` field.
    public var authorityText: String {
        let bare = self.isIPv6Literal ? "[\(self.host)]" : self.host
        guard let port = self.port else { return bare }
        return "\(bare):\(port)"
    }

    /// The port to connect to: the one sent, else the default of the scheme.
    public var effectivePort: Int? {
        self.port ?? (self.scheme == "https" ? 443 : self.scheme == "http" ? 80 : nil)
    }

    /// Parses the target of a request that a decoder let pass.
    public static func parse(_ target: String, method: String) throws(HTTP1Error) -> RequestTarget {
        var target = target
        let result = target.withUTF8 { octets -> Result<RequestTarget, HTTP1Error> in
            Result { () throws(HTTP1Error) in try Self.parse(UnsafeRawBufferPointer(octets), method: method) }
        }
        return try result.get()
    }

    /// Parses `host`, `host:port`, `[v6]` or `[v6]:port`, as in a `Host` field or a CONNECT target.
    ///
    /// The host comes back in lower case and without brackets; the port is nil when none was given.
    public static func parseAuthority(_ text: String) throws(HTTP1Error) -> (host: String, port: Int?) {
        var text = text
        let result = text.withUTF8 { octets -> Result<Authority, HTTP1Error> in
            Result { () throws(HTTP1Error) in try Authority.parse(UnsafeRawBufferPointer(octets)) }
        }
        let authority = try result.get()
        return (authority.host, authority.port)
    }

    private static func parse(_ octets: UnsafeRawBufferPointer, method: String) throws(HTTP1Error) -> RequestTarget {
        var hasHighOctets = false
        guard let first = octets.first, Octets.areTarget(octets, hasHighOctets: &hasHighOctets) else {
            throw HTTP1Error(.badTarget)
        }
        if octets.contains(UInt8(ascii: "#")) { throw HTTP1Error(.fragmentInTarget) }
        if method == "CONNECT" { return try Self.parseConnect(octets) }
        if first == UInt8(ascii: "/") {
            return RequestTarget(form: .origin, host: "", isIPv6Literal: false, pathAndQuery: Self.text(octets))
        }
        if first == UInt8(ascii: "*"), octets.count == 1 {
            guard method == "OPTIONS" else { throw HTTP1Error(.badTargetForm) }
            return RequestTarget(form: .asterisk, host: "", isIPv6Literal: false, pathAndQuery: "*")
        }
        return try Self.parseAbsolute(octets, method: method)
    }

    private static func parseConnect(_ octets: UnsafeRawBufferPointer) throws(HTTP1Error) -> RequestTarget {
        if octets.contains(UInt8(ascii: "/")) { throw HTTP1Error(.badTargetForm) }
        let authority = try Authority.parse(octets)
        guard authority.port != nil else { throw HTTP1Error(.missingPort) }
        return RequestTarget(
            form: .authority, host: authority.host, isIPv6Literal: authority.isIPv6Literal, port: authority.port,
            pathAndQuery: "")
    }

    private static func parseAbsolute(
        _ octets: UnsafeRawBufferPointer, method: String
    ) throws(HTTP1Error) -> RequestTarget {
        guard let colon = octets.firstIndex(of: Octets.colon), colon > 0 else { throw HTTP1Error(.badTargetForm) }
        let schemeOctets = UnsafeRawBufferPointer(rebasing: octets[..<colon])
        let start = colon + 3
        guard octets.count >= start, octets[colon + 1] == UInt8(ascii: "/"), octets[colon + 2] == UInt8(ascii: "/")
        else { throw HTTP1Error(.badTargetForm) }
        let scheme: String
        var namesWebSocket = false
        if equalsIgnoringCase(schemeOctets, "http") {
            scheme = "http"
        } else if equalsIgnoringCase(schemeOctets, "https") {
            scheme = "https"
        } else if equalsIgnoringCase(schemeOctets, "ws") {
            (scheme, namesWebSocket) = ("http", true)
        } else if equalsIgnoringCase(schemeOctets, "wss") {
            (scheme, namesWebSocket) = ("https", true)
        } else {
            throw HTTP1Error(.unsupportedScheme)
        }
        var end = start
        while end < octets.count, octets[end] != UInt8(ascii: "/"), octets[end] != UInt8(ascii: "?") { end += 1 }
        var hostStart = start
        var userinfo: String?
        if let at = octets[start..<end].lastIndex(of: UInt8(ascii: "@")) {
            // A backslash is a slash to some readers (WHATWG URL), and then the host is another one.
            if octets[start..<at].contains(UInt8(ascii: "\\")) { throw HTTP1Error(.badAuthority) }
            userinfo = Self.text(UnsafeRawBufferPointer(rebasing: octets[start..<at]))
            hostStart = at + 1
        }
        let authority = try Authority.parse(UnsafeRawBufferPointer(rebasing: octets[hostStart..<end]))
        var path = Self.text(UnsafeRawBufferPointer(rebasing: octets[end...]))
        if end == octets.count {
            // RFC 9112 section 3.2.4: OPTIONS without a path is about the server as a whole.
            path = method == "OPTIONS" ? "*" : "/"
        } else if octets[end] == UInt8(ascii: "?") {
            path = "/" + path
        }
        return RequestTarget(
            form: .absolute, scheme: scheme, namesWebSocket: namesWebSocket, userinfo: userinfo, host: authority.host,
            isIPv6Literal: authority.isIPv6Literal, port: authority.port, pathAndQuery: path)
    }

    private static func text(_ octets: UnsafeRawBufferPointer) -> String { String(decoding: octets, as: UTF8.self) }
}
