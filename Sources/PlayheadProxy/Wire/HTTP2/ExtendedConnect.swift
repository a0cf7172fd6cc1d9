import PlayheadCassette
import PlayheadHTTP

/// The opening of a WebSocket over a stream of HTTP/2 (RFC 8441), in terms of the one over HTTP/1.1.
///
/// The rest of the proxy, and the cassette, know one way to open a WebSocket: a recording serves clients of both.
enum ExtendedConnect {
    /// Adds the fields that HTTP/1.1 asks with, and HTTP/2 leaves out (RFC 8441 section 5).
    ///
    /// - Throws: for another protocol, or a stream that is over or has a length: no frame could follow.
    static func rewrite(
        _ headers: inout HeaderList, as name: String, length: Int?, endsStream: Bool
    ) throws(MalformedMessage) {
        guard name == "websocket" else { throw MalformedMessage(reason: "the protocol is not websocket") }
        guard !endsStream, length == nil else { throw MalformedMessage(reason: "a WebSocket has no length") }
        guard !headers.contains("sec-websocket-key") else {
            throw MalformedMessage(reason: "a WebSocket over HTTP/2 has no key")
        }
        headers.append(name: "upgrade", value: "websocket")
        headers.append(name: "connection", value: "Upgrade")
        var generator = SystemRandomNumberGenerator()
        let key = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        headers.append(name: "sec-websocket-key", value: key.withUnsafeBytes { Base64.encode($0) })
    }

    /// The head that says yes: 200, without what HTTP/1.1 switches with.
    static func accepted(_ head: ResponseHead) -> ResponseHead {
        var head = head
        head.status = 200
        for name in ["upgrade", "connection", "sec-websocket-accept"] { head.headers.remove(name) }
        return head
    }
}
