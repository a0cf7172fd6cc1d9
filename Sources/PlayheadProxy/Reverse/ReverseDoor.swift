import PlayheadHTTP
import PlayheadTLS

/// A port of ours that stands for a server, as one connection came to it.
struct ReverseDoor: Sendable {
    let origin: ReverseOrigin
    /// Whether the client speaks TLS with us.
    let isSecure: Bool
    /// Whether only this machine reaches the port.
    let isLoopback: Bool
    /// The port's number.
    let port: Int
    /// All reverse ports, of which redirects may name another one.
    let all: [ReversePort]

    /// The reason why a request is not taken, or nil.
    ///
    /// A page in a browser can have its own name lead to loopback (DNS rebinding), and a client may take the port for
    /// that of a forward proxy; both show in the host that they name.
    func refusal(host: String, port: Int?, isAbsolute: Bool) -> String? {
        let isOurs = Self.isLocal(host) || host == self.origin.host
        if self.isLoopback {
            guard !isOurs else { return nil }
        } else {
            guard isAbsolute, host != self.origin.host, port != self.port else { return nil }
        }
        return
            "This port stands for \(self.origin) (--reverse); the request names \(host). Ask for it as localhost, or "
            + "use the forward proxy's port for other servers."
    }

    /// How addresses of the server and of this port are put across for a request; nil when it names no host.
    func rewrite(for head: RequestHead) -> ReverseRewrite? {
        guard let authority = head.headers.first("host"), !authority.isEmpty else { return nil }
        return ReverseRewrite(door: self, authority: authority)
    }

    static func isLocal(_ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        guard let octets = TLSHost.octets(of: host) else { return false }
        return octets.count == 4 ? octets[0] == 127 : octets.dropLast().allSatisfy { $0 == 0 } && octets.last == 1
    }
}

/// A reverse port that is listened on.
struct ReversePort: Sendable, Equatable {
    var port: Int
    var origin: ReverseOrigin
}
