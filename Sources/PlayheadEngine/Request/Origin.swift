/// Where a request goes: scheme, host and port (RFC 9110 section 4.3.1).
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`, in lower case.
    public let scheme: String
    /// The host in lower case, without a trailing dot; an IPv6 address without brackets.
    public let host: String
    /// The port.
    public let port: Int

    /// Creates an origin; scheme and host are brought to their normal form.
    public init(scheme: String, host: String, port: Int) {
        self.scheme = asciiLowercased(scheme)
        self.host = Origin.normalizedHost(host)
        self.port = port
    }

    /// The scheme's default port: 443 for `https` and `wss`, else 80.
    public static func defaultPort(scheme: String) -> Int { scheme == "https" || scheme == "wss" ? 443 : 80 }

    /// `scheme://host`, and `:port` unless it is the default; an IPv6 address in brackets.
    public var description: String {
        let host = self.host.utf8.contains(UInt8(ascii: ":")) ? "[\(self.host)]" : self.host
        let port = self.port == Origin.defaultPort(scheme: self.scheme) ? "" : ":\(self.port)"
        return "\(self.scheme)://\(host)\(port)"
    }

    /// A host in lower case, without brackets and without one trailing dot; the same string if it is so already.
    public static func normalizedHost(_ host: String) -> String {
        var text = asciiLowercased(host)
        if text.utf8.first == UInt8(ascii: "["), text.utf8.last == UInt8(ascii: "]") {
            text = String(text.dropFirst().dropLast())
        }
        if text.utf8.last == UInt8(ascii: "."), text.utf8.count > 1 { text = String(text.dropLast()) }
        return text
    }
}
