import PlayheadEngine
import PlayheadHTTP

/// A request as the pipeline sees it: who is asked for what, with the hop's own fields taken off.
struct ProxiedRequest: Sendable {
    /// The head that goes upstream: origin or asterisk form, end-to-end fields, `Host` right.
    var head: RequestHead
    /// The version that the client spoke; `head` has ours (RFC 9112 section 2.3).
    var clientVersion: HTTPVersion
    /// How the body's length is known.
    var framing: BodyFraming
    /// `http` or `https`.
    var scheme: String
    /// The host that was asked, lower case, without brackets.
    var host: String
    /// The port that was asked.
    var port: Int
    /// The instances of Playhead that it came through.
    var trail = HopTrail()
    /// Whether it came to a reverse port.
    var isReverse = false

    /// The pipeline's view without a body.
    func incoming(body: IncomingBody = .none) -> IncomingRequest {
        IncomingRequest(
            method: self.head.method, scheme: self.scheme, host: self.host, port: self.port,
            pathAndQuery: self.head.target, version: self.clientVersion, headers: self.head.headers, body: body)
    }

    /// Whether it came through a tunnel, so that the client chose what to speak with the origin.
    var isTunnelled = false

    /// Whether it is a call of gRPC, which exists over HTTP/2 alone.
    var isGRPC: Bool {
        self.clientVersion == .http2 && GRPC.isMediaType(self.head.headers.first("content-type"))
    }

    /// The absolute URL, with the scheme's default port left out.
    var url: String { self.incoming().url }

    /// Whether it asks for a WebSocket; no other request keeps the field.
    var asksForWebSocket: Bool { self.head.headers.contains("upgrade") }

    /// Whether the client waits for `100 Continue` (RFC 9110 section 10.1.1).
    var expectsContinue: Bool {
        guard let index = self.head.headers.firstIndex(of: "expect") else { return false }
        return self.head.headers.value(at: index).lowercased() == "100-continue"
    }
}
