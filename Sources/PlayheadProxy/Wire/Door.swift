/// Through which door a request came to us; it says what the request's target may be.
enum Door {
    /// Straight to the proxy: absolute form, or CONNECT.
    case proxy
    /// Inside an intercepted tunnel.
    case tunnel(Authority, isSecure: Bool)
}

/// The host and port of a CONNECT request.
struct Authority: Sendable, Equatable {
    /// Lower case, without brackets.
    var host: String
    var port: Int

    /// `host:port`, with brackets around IPv6.
    var description: String {
        self.host.utf8.contains(0x3A) ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
    }
}
