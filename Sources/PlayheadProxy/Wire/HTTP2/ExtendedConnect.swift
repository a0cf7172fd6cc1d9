import NIOHPACK
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

    /// Asks an origin over HTTP/2: the pseudo-header fields of a GET that wants a WebSocket become those of CONNECT, and
    /// what only HTTP/1.1 asks with goes (RFC 8441 sections 4 and 5).
    static func asking(_ fields: HPACKHeaders) -> HPACKHeaders {
        var asking = HPACKHeaders()
        asking.reserveCapacity(fields.count + 1)
        for (name, value, indexing) in fields {
            switch name {
            case ":method":
                asking.add(name: name, value: "CONNECT")
                asking.add(name: ":protocol", value: "websocket")
            case "sec-websocket-key": continue
            default: asking.add(name: name, value: value, indexing: indexing)
            }
        }
        return asking
    }

    /// An origin's yes over HTTP/2 as HTTP/1.1 says it, to the key of the request.
    static func agreed(_ head: ResponseHead, key: String) -> ResponseHead {
        var head = head
        head.status = 101
        head.reason = "Switching Protocols"
        // RFC 8441 section 5: these are not part of the answer there; what stands in them means nothing.
        for name in ["upgrade", "connection", "sec-websocket-accept"] { head.headers.remove(name) }
        head.headers.append(name: "upgrade", value: "websocket")
        head.headers.append(name: "connection", value: "Upgrade")
        head.headers.append(name: "sec-websocket-accept", value: WebSocketHandshake.accept(for: key))
        return head
    }

    /// The head that says yes: 200, without what HTTP/1.1 switches with.
    static func accepted(_ head: ResponseHead) -> ResponseHead {
        var head = head
        head.status = 200
        for name in ["upgrade", "connection", "sec-websocket-accept"] { head.headers.remove(name) }
        return head
    }
}
