import PlayheadHTTP

/// Through which door a request came to us; it says what the request's target may be.
enum Door {
    /// Straight to the proxy: absolute form, or CONNECT.
    case proxy
    /// Inside an intercepted tunnel.
    case tunnel(Authority, isSecure: Bool)
    /// To a port that stands for a server.
    case reverse(ReverseDoor)

    /// How the addresses in an exchange are put across; nil where client and server use the same ones.
    func rewrite(for head: RequestHead) -> ReverseRewrite? {
        switch self {
        case .proxy, .tunnel: nil
        case .reverse(let door): door.rewrite(for: head)
        }
    }
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
