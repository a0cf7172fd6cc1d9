import PlayheadHTTP

/// A request as a forwarding proxy takes it: in absolute form, with our credentials for it (RFC 9112 section 3.2.2).
struct ForwardedForm: Sendable, Equatable {
    /// The proxy that reads it.
    var proxy: UpstreamProxy
    /// The origin's host and port.
    var authority: Authority

    /// Rewrites a head in origin or asterisk form.
    func apply(to head: inout RequestHead) {
        let port = self.authority.port
        let bare = Authority(host: self.authority.host, port: 80).description.dropLast(":80".utf8.count)
        let place = port == 80 ? String(bare) : self.authority.description
        // RFC 9112 section 3.2.4: OPTIONS for the server as a whole has no path.
        head.target = "http://" + place + (head.target == "*" ? "" : head.target)
        if let authorization = self.proxy.authorization {
            head.headers.append(name: "Proxy-Authorization", value: authorization)
        }
    }
}
