import PlayheadCassette
import PlayheadHTTP
import PlayheadTLS

/// The opening of a WebSocket (RFC 6455 section 4): what counts as asking for one, and as agreeing to it.
enum WebSocketHandshake {
    /// Whether a request asks for a WebSocket and for nothing else.
    ///
    /// Over HTTP/2 the fields were put there by `ExtendedConnect`, as no peer may send them. Anything less loses its
    /// `Upgrade` field, and the origin answers it like any other request: a 101 that we did not ask for in full would
    /// open a way past the proxy.
    static func isOffer(_ head: RequestHead, _ framing: BodyFraming) -> Bool {
        guard head.headers.contains("upgrade"), head.method == "GET", framing == .none,
            head.version == .http1_1 || head.version == .http2,
            head.headers.values("upgrade").map({ $0.lowercased() }) == ["websocket"],
            Self.names(head.headers, "connection", "upgrade"),
            head.headers.values("sec-websocket-version") == ["13"],
            // What Connection names is taken off, and without its key a request is no offer.
            !head.headers.members(of: "connection").contains(where: { $0.lowercased().hasPrefix("sec-websocket") })
        else { return false }
        let keys = head.headers.values("sec-websocket-key")
        return keys.count == 1 && Base64.decode(keys[0])?.count == 16
    }

    /// What `Sec-WebSocket-Accept` must say to a key.
    static func accept(for key: String) -> String {
        SHA1.digest(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").withUnsafeBytes { Base64.encode($0) }
    }

    /// Why a 101 is no answer to a request; nil if it is one.
    static func problem(_ response: ResponseHead, to request: RequestHead) -> String? {
        guard let key = request.headers.first("sec-websocket-key"), request.headers.contains("upgrade") else {
            return "it switched protocols without being asked."
        }
        let fields = response.headers
        guard fields.values("upgrade").map({ $0.lowercased() }) == ["websocket"],
            Self.names(fields, "connection", "upgrade")
        else { return "its 101 does not say that it switched to websocket." }
        guard fields.values("sec-websocket-accept") == [Self.accept(for: key)] else {
            return "its Sec-WebSocket-Accept does not belong to the key of the request."
        }
        if fields.contains("sec-websocket-extensions"), !request.headers.contains("sec-websocket-extensions") {
            return "it uses a WebSocket extension that was not offered."
        }
        let offered = request.headers.members(of: "sec-websocket-protocol")
        let chosen = fields.values("sec-websocket-protocol")
        guard chosen.isEmpty || chosen.count == 1 && offered.contains(chosen[0]) else {
            return "it chose a WebSocket subprotocol that was not offered."
        }
        return nil
    }

    /// The head of a 101 as it goes to the client.
    static func switched(_ response: ResponseHead) -> ResponseHead {
        var head = response
        HopByHop.removeFromResponse(&head.headers, keepingUpgrade: true)
        // RFC 9110 section 8.6: an interim response has no length.
        head.headers.remove("content-length")
        return head
    }

    private static func names(_ headers: HeaderList, _ field: String, _ option: String) -> Bool {
        headers.members(of: field).contains { $0.lowercased() == option }
    }
}
