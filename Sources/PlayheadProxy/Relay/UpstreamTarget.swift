/// Which origin a connection is for; connections with equal targets may be shared.
struct UpstreamTarget: Hashable, Sendable {
    /// Whether TLS is spoken.
    var isSecure: Bool
    /// The host that was asked: the one that is verified and named in SNI.
    var host: String
    /// The port that was asked.
    var port: Int
    /// Whether other things than HTTP requests go over it; a proxy is then asked for a tunnel even without TLS.
    var isTunnel = false

    /// Whether plain HTTP requests go over it, which a proxy takes in absolute form.
    var isPlainHTTP: Bool { !self.isSecure && !self.isTunnel }

    /// `host:port`, for people.
    var description: String {
        self.host.utf8.contains(0x3A) ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
    }
}
