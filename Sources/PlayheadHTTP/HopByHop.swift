/// The fields that concern one connection only (RFC 9110 section 7.6.1).
///
/// `Transfer-Encoding` is removed too: the framing that a decoder reports says what to write to the next hop.
/// `Trailer` stays, since trailers are passed on.
public enum HopByHop {
    /// Removes the hop-by-hop fields of a request: Connection and the fields it names, Keep-Alive,
    /// Proxy-Connection, Proxy-Authorization, Proxy-Authenticate, TE, Transfer-Encoding, Upgrade, HTTP2-Settings.
    ///
    /// `TE: trailers` stays. Connection cannot remove fields that frame, route or give meaning to a message, such as
    /// Host or Content-Length. With `keepingUpgrade`, Upgrade stays and Connection names it, for a relayed WebSocket.
    public static func removeFromRequest(_ headers: inout HeaderList, keepingUpgrade: Bool = false) {
        Self.remove(from: &headers, keepingUpgrade: keepingUpgrade)
    }

    /// Removes the hop-by-hop fields of a response; the same set as for requests.
    public static func removeFromResponse(_ headers: inout HeaderList, keepingUpgrade: Bool = false) {
        Self.remove(from: &headers, keepingUpgrade: keepingUpgrade)
    }

    /// Removes what must not stand in trailers: fields that frame, route or authenticate (RFC 9110 section 6.5.1).
    public static func removeFromTrailers(_ trailers: inout HeaderList) {
        trailers.removeAll { list, index in
            list.withName(at: index) { name in
                Self.isHopByHop(name) || Self.isProtected(name)
                    || Self.forbiddenInTrailers.contains(where: { equalsIgnoringCase(name, $0) })
            }
        }
    }

    /// Whether the connection may be used again after this message, as far as its own fields say
    /// (RFC 9112 section 9.3).
    public static func keepsConnection(_ headers: HeaderList, version: HTTPVersion) -> Bool {
        var keeps = version != .http1_0
        for index in headers.indices where headers.isName(at: index, "connection") {
            let (hasClose, hasKeepAlive) = headers.withValue(at: index) { value in
                (Self.hasMember(value, "close"), Self.hasMember(value, "keep-alive"))
            }
            if hasClose { return false }
            if hasKeepAlive { keeps = true }
        }
        return keeps
    }

    private static let forbiddenInTrailers = ["trailer", "expect", "max-forwards", "range", "authentication-info"]

    private static func remove(from headers: inout HeaderList, keepingUpgrade: Bool) {
        guard headers.indices.contains(where: { headers.withName(at: $0) { Self.isHopByHop($0) } }) else { return }
        let nominated = Self.nominated(in: headers)
        var isConnectionKept = false
        let upgrades = keepingUpgrade && headers.contains("upgrade")
        var connection: Int?
        var kept = 0
        headers.removeAll { list, index in
            let isKept = list.withName(at: index) { name -> Bool in
                if name.count == 10, equalsIgnoringCase(name, "connection") {
                    defer { isConnectionKept = isConnectionKept || upgrades }
                    if upgrades, !isConnectionKept { connection = kept }
                    return upgrades && !isConnectionKept
                }
                if name.count == 7, equalsIgnoringCase(name, "upgrade") { return upgrades }
                if name.count == 2, equalsIgnoringCase(name, "te") {
                    return list.withValue(at: index) { equalsIgnoringCase($0, "trailers") }
                }
                if Self.isHopByHop(name) { return false }
                return nominated.isEmpty || Self.isProtected(name)
                    || !nominated.contains { equalsIgnoringCase(name, $0) }
            }
            if isKept { kept += 1 }
            return !isKept
        }
        guard upgrades else { return }
        if let connection {
            headers.setValue(at: connection, "Upgrade")
        } else {
            headers.append(name: "Connection", value: "Upgrade")
        }
    }

    /// Whether a field is hop-by-hop by its name; length and first letter settle it for nearly all others.
    @inline(__always)
    static func isHopByHop(_ name: UnsafeRawBufferPointer) -> Bool {
        guard let first = name.first else { return false }
        switch (name.count, lowercased(first)) {
        case (2, UInt8(ascii: "t")): return equalsIgnoringCase(name, "te")
        case (7, UInt8(ascii: "u")): return equalsIgnoringCase(name, "upgrade")
        case (10, UInt8(ascii: "c")): return equalsIgnoringCase(name, "connection")
        case (10, UInt8(ascii: "k")): return equalsIgnoringCase(name, "keep-alive")
        case (14, UInt8(ascii: "h")): return equalsIgnoringCase(name, "http2-settings")
        case (16, UInt8(ascii: "p")): return equalsIgnoringCase(name, "proxy-connection")
        case (17, UInt8(ascii: "t")): return equalsIgnoringCase(name, "transfer-encoding")
        case (18, UInt8(ascii: "p")): return equalsIgnoringCase(name, "proxy-authenticate")
        case (19, UInt8(ascii: "p")): return equalsIgnoringCase(name, "proxy-authorization")
        case (25, UInt8(ascii: "p")): return equalsIgnoringCase(name, "proxy-authentication-info")
        default: return false
        }
    }

    /// The names that Connection lists, in the common case none: `keep-alive` and `close` are not fields to remove.
    private static func nominated(in headers: HeaderList) -> [String] {
        var names: [String] = []
        for index in headers.indices where headers.isName(at: index, "connection") {
            let isPlain = headers.withValue(at: index) { value in
                equalsIgnoringCase(value, "keep-alive") || equalsIgnoringCase(value, "close")
            }
            if isPlain { continue }
            names += headers.value(at: index).split(separator: ",").map { trimmed($0) }.filter { !$0.isEmpty }
        }
        return names
    }

    /// Fields for all recipients, which Connection must not name (RFC 9110 section 7.6.1).
    private static func isProtected(_ name: UnsafeRawBufferPointer) -> Bool {
        Self.protectedNames.contains { equalsIgnoringCase(name, $0) }
    }

    private static let protectedNames = [
        "host", "content-length", "content-type", "content-encoding", "content-range", "authorization", "cookie",
        "set-cookie", "cache-control",
    ]

    /// Whether a comma-separated value has a member, letter case aside.
    private static func hasMember(_ value: UnsafeRawBufferPointer, _ member: String) -> Bool {
        if equalsIgnoringCase(value, member) { return true }
        guard value.count > member.utf8.count else { return false }
        return decodeText(value).split(separator: ",").contains { trimmed($0).lowercased() == member }
    }
}
