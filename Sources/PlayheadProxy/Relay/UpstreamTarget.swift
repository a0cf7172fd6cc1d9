/// Which origin a connection is for; connections with equal targets may be shared.
struct UpstreamTarget: Hashable, Sendable {
    /// Whether TLS is spoken.
    var isSecure: Bool
    /// The host that was asked: the one that is verified and named in SNI.
    var host: String
    /// The port that was asked.
    var port: Int

    /// `host:port`, for people.
    var description: String {
        self.host.utf8.contains(0x3A) ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
    }
}
