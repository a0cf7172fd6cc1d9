import PlayheadHTTP

/// What a request head asks of the proxy: decided from the head and the door alone, for every version of HTTP.
enum RequestIntent {
    /// A tunnel to the authority in the target.
    case connect
    /// The CA certificate.
    case certificate
    /// An exchange with an origin.
    case exchange(ProxiedRequest)
    /// Nothing that can be done.
    case refused(status: Int, reason: String)

    /// - Throws: `HTTP1Error` for a target that has no meaning.
    init(_ head: RequestHead, _ framing: BodyFraming, through door: Door) throws(HTTP1Error) {
        switch door {
        case .proxy:
            if head.method == "CONNECT" {
                self = .connect
                return
            }
            let target = try Self.target(head, framing)
            guard target.form == .absolute, let scheme = target.scheme else {
                self = .refused(status: 400, reason: Self.explanation)
                return
            }
            if target.host == ProxyCore.magicHost {
                self = Self.certificate(target.pathAndQuery)
                return
            }
            self = .exchange(
                Self.request(
                    head, framing, target, scheme: scheme, host: target.host,
                    port: target.port ?? Self.defaultPort(scheme)))
        case .tunnel(let authority, let isSecure):
            guard head.method != "CONNECT" else {
                self = .refused(status: 405, reason: "CONNECT inside a tunnel is not supported.")
                return
            }
            let target = try Self.target(head, framing)
            if authority.host == ProxyCore.magicHost {
                self = Self.certificate(target.pathAndQuery)
                return
            }
            let scheme = isSecure ? "https" : "http"
            if target.form == .absolute {
                let port = target.port ?? Self.defaultPort(target.scheme ?? scheme)
                guard target.host == authority.host, port == authority.port, target.scheme == scheme else {
                    self = .refused(
                        status: 421,
                        reason: "The request names \(target.host), but this tunnel leads to \(authority.description).")
                    return
                }
            }
            var request = Self.request(
                head, framing, target, scheme: scheme, host: authority.host, port: authority.port)
            request.isTunnelled = true
            self = .exchange(request)
        case .reverse(let door): self = try Self.reverse(head, framing, door)
        }
    }

    /// The target; `ws:` and `wss:` stand for `http:` and `https:`, and only where a WebSocket is asked for.
    private static func target(_ head: RequestHead, _ framing: BodyFraming) throws(HTTP1Error) -> RequestTarget {
        let target = try RequestTarget.parse(head.target, method: head.method)
        guard !target.namesWebSocket || WebSocketHandshake.isOffer(head, framing) else {
            throw HTTP1Error(.unsupportedScheme)
        }
        return target
    }

    /// A request to a port that stands for a server: it goes there, whatever host the client knows it by.
    private static func reverse(
        _ head: RequestHead, _ framing: BodyFraming, _ door: ReverseDoor
    ) throws(HTTP1Error) -> RequestIntent {
        guard head.method != "CONNECT" else {
            return .refused(
                status: 405, reason: "This port stands for \(door.origin) (--reverse); it is no forward proxy.")
        }
        var target = try Self.target(head, framing)
        let isAbsolute = target.form == .absolute
        let named = isAbsolute ? target.authorityText : head.headers.first("host") ?? ""
        if !named.isEmpty {
            let (host, port) = try RequestTarget.parseAuthority(named)
            if let reason = door.refusal(host: host, port: port, isAbsolute: isAbsolute) {
                return .refused(status: 421, reason: reason)
            }
        }
        target.form = .origin
        target.pathAndQuery = door.origin.target(for: target.pathAndQuery)
        var outgoing = head
        door.rewrite(for: head)?.request(&outgoing)
        let (scheme, host, port) = (door.origin.scheme, door.origin.host, door.origin.port)
        var request = Self.request(outgoing, framing, target, scheme: scheme, host: host, port: port)
        request.isReverse = true
        return .exchange(request)
    }

    /// The request as it goes upstream: the hop's own fields off, `Host` right.
    private static func request(
        _ head: RequestHead, _ framing: BodyFraming, _ target: RequestTarget, scheme: String, host: String, port: Int
    ) -> ProxiedRequest {
        var outgoing = head
        outgoing.target = target.pathAndQuery
        HopByHop.removeFromRequest(
            &outgoing.headers, keepingUpgrade: WebSocketHandshake.isOffer(head, framing))
        outgoing.headers.remove(SessionName.field)
        HopTrail.remove(from: &outgoing.headers)
        outgoing.version = .http1_1
        if target.form == .absolute {
            outgoing.headers.set("Host", target.authorityText)
        } else if !outgoing.headers.contains("host") {
            let isDefault = port == Self.defaultPort(scheme)
            outgoing.headers.append(
                name: "Host", value: isDefault ? host : Authority(host: host, port: port).description)
        }
        return ProxiedRequest(
            head: outgoing, clientVersion: head.version, framing: framing, scheme: scheme, host: host, port: port)
    }

    private static func certificate(_ path: String) -> RequestIntent {
        guard path == "/ca.pem" || path == "/" else {
            return .refused(status: 404, reason: "Only http://\(ProxyCore.magicHost)/ca.pem is served here.")
        }
        return .certificate
    }

    /// For a browser or a script that speaks to the proxy as if it were an origin server.
    private static let explanation =
        "This is playhead, a forward proxy. Set HTTP_PROXY and HTTPS_PROXY to it instead of asking it for a page; "
        + "`playhead run -- COMMAND` does that for you. For a program that cannot use a proxy, --reverse PORT=URL opens a "
        + "port that stands for a server."

    static func defaultPort(_ scheme: String) -> Int { scheme == "https" ? 443 : 80 }
}
