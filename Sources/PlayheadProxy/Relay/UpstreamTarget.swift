import PlayheadHTTP

/// Which origin a connection is for; connections with equal targets may be shared.
struct UpstreamTarget: Hashable, Sendable {
    /// Which versions of HTTP an origin may be spoken to in.
    enum Versions: Hashable, Sendable {
        /// HTTP/1.1 alone.
        case http1
        /// What the origin chooses by ALPN.
        case both
        /// HTTP/2 without asking (RFC 9113 section 3.3); if that fails, HTTP/1.1.
        case http2
    }

    /// Whether TLS is spoken.
    var isSecure: Bool
    /// The host that was asked: the one that is verified and named in SNI.
    var host: String
    /// The port that was asked.
    var port: Int
    /// Whether other things than HTTP requests go over it; a proxy is then asked for a tunnel even without TLS.
    var isTunnel = false
    /// What is spoken.
    var versions = Versions.http1
    /// The instances of Playhead that asked; a proxy is told them with CONNECT.
    var trail = HopTrail()

    /// Whether plain HTTP/1 requests go over it, which a proxy takes in absolute form.
    var isPlainHTTP: Bool { !self.isSecure && !self.isTunnel && self.versions == .http1 }

    /// The same origin when it is known to speak HTTP/1: with TLS it is still asked, without there is nobody to ask.
    var spokenInHTTP1: UpstreamTarget {
        var target = self
        if !target.isSecure { target.versions = .http1 }
        return target
    }

    /// The same origin when HTTP/2 is out of the question; a WebSocket has a connection of its own there.
    func inHTTP1(forWebSocket: Bool) -> UpstreamTarget {
        var target = self
        target.versions = .http1
        target.isTunnel = forWebSocket
        return target
    }

    /// `host:port`, for people.
    var description: String {
        self.host.utf8.contains(0x3A) ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
    }

    /// `host:port` as a field says it: without the scheme's own port.
    var authority: String {
        guard self.port == RequestIntent.defaultPort(self.isSecure ? "https" : "http") else { return self.description }
        return self.host.utf8.contains(0x3A) ? "[\(self.host)]" : self.host
    }
}

extension UpstreamTarget {
    /// The origin of a request, in the versions that its client would have had without us.
    init(_ request: ProxiedRequest, http2: HTTP2Use) {
        self.init(
            isSecure: request.scheme == "https", host: request.host, port: request.port,
            isTunnel: request.asksForWebSocket)
        self.trail = request.trail
        guard http2 != .off else { return }
        let isHTTP2 = request.clientVersion == .http2
        if self.isSecure {
            self.versions = isHTTP2 || http2 == .always ? .both : .http1
        } else if isHTTP2, request.isTunnelled || request.isGRPC {
            // In a tunnel the client knew that the origin speaks HTTP/2; gRPC knows no other version.
            self.versions = .http2
        }
        // Over HTTP/2 a WebSocket is one stream beside others.
        if self.versions != .http1 { self.isTunnel = false }
    }
}
