import NIOCore
import PlayheadEngine
import PlayheadHTTP

extension ClientConnectionHandler {
    /// Decides what a request head asks of us: a tunnel, our CA certificate, or an exchange with an origin.
    func begin(_ head: RequestHead, _ framing: BodyFraming) {
        self.keepsAlive = !self.loop.isDraining && self.asksToKeepAlive(head)
        do {
            guard let session = try self.session(for: head, framing) else { return }
            switch self.stage {
            case .proxy:
                if head.method == "CONNECT" {
                    self.session = session
                    return try self.connect(head)
                }
                let target = try RequestTarget.parse(head.target, method: head.method)
                guard target.form == .absolute, let scheme = target.scheme else { return self.explainProxy() }
                if target.host == ProxyCore.magicHost { return self.serveCertificate(target.pathAndQuery) }
                try self.start(
                    head, framing, target, session, scheme: scheme, host: target.host, port: target.port)
            case .tunnel(let authority, let isSecure):
                guard head.method != "CONNECT" else {
                    return self.refuse(status: 405, "CONNECT inside a tunnel is not supported.")
                }
                let target = try RequestTarget.parse(head.target, method: head.method)
                if authority.host == ProxyCore.magicHost { return self.serveCertificate(target.pathAndQuery) }
                let scheme = isSecure ? "https" : "http"
                if target.form == .absolute {
                    let port = target.port ?? Self.defaultPort(target.scheme ?? scheme)
                    guard target.host == authority.host, port == authority.port, target.scheme == scheme else {
                        return self.refuse(
                            status: 421,
                            "The request names \(target.host), but this tunnel leads to \(authority.description).")
                    }
                }
                try self.start(
                    head, framing, target, session, scheme: scheme, host: authority.host, port: authority.port)
            case .sniffing, .connecting, .lingering, .closed:
                break
            }
        } catch let error as HTTP1Error {
            self.refuse(status: error.status, error.reason)
        } catch {
            self.refuse(status: 400, "\(error)")
        }
    }

    private func start(
        _ head: RequestHead, _ framing: BodyFraming, _ target: RequestTarget, _ session: CassetteSession,
        scheme: String,
        host: String, port: Int?
    ) throws {
        var outgoing = head
        outgoing.target = target.pathAndQuery
        HopByHop.removeFromRequest(&outgoing.headers)
        outgoing.headers.remove(SessionName.field)
        outgoing.version = .http1_1
        let port = port ?? Self.defaultPort(scheme)
        if target.form == .absolute {
            outgoing.headers.set("Host", target.authorityText)
        } else if !outgoing.headers.contains("host") {
            let isDefault = port == Self.defaultPort(scheme)
            outgoing.headers.append(
                name: "Host", value: isDefault ? host : Authority(host: host, port: port).description)
        }
        let request = ProxiedRequest(
            head: outgoing, clientVersion: head.version, framing: framing, scheme: scheme, host: host, port: port)
        let exchange = ExchangePipeline(request: request, session: session, sink: self, loop: self.loop)
        self.exchange = exchange
        exchange.begin()
    }

    /// Whether the client wants to go on after this request (RFC 9112 section 9.3).
    private func asksToKeepAlive(_ head: RequestHead) -> Bool {
        if head.version == .http1_0 {
            return Self.names(head.headers, "connection", "keep-alive")
                || Self.names(head.headers, "proxy-connection", "keep-alive")
        }
        return !Self.names(head.headers, "connection", "close")
    }

    private static func names(_ headers: HeaderList, _ field: String, _ option: String) -> Bool {
        guard headers.contains(field) else { return false }
        return headers.members(of: field).contains { $0.lowercased() == option }
    }

    static func defaultPort(_ scheme: String) -> Int { scheme == "https" ? 443 : 80 }

    // MARK: answers of our own

    /// Answers an error in plain words and closes; nothing after it is read as a request.
    func refuse(status: Int, _ reason: String, proxyStatus: String? = nil) {
        let exchange = self.exchange
        self.exchange = nil
        exchange?.clientGone()
        guard !self.hasResponseHead else { return self.breakOff(reset: true) }
        self.keepsAlive = false
        let response = OwnResponse.error(status: status, reason: reason, proxyStatus: proxyStatus)
        self.send(response)
        self.finishConnection()
    }

    /// A browser or a script spoke to the proxy as if it were an origin server.
    private func explainProxy() {
        self.refuse(
            status: 400,
            "This is playhead, a forward proxy. Set HTTP_PROXY and HTTPS_PROXY to it instead of asking it for a page; "
                + "`playhead run -- COMMAND` does that for you.")
    }

    private func serveCertificate(_ path: String) {
        guard path == "/ca.pem" || path == "/" else {
            return self.refuse(status: 404, "Only http://\(ProxyCore.magicHost)/ca.pem is served here.")
        }
        self.keepsAlive = false
        self.send(OwnResponse.pem(self.core.certificatePEM))
        self.finishConnection()
    }

    private func send(_ response: OwnResponse) {
        self.head(response.head, framing: .length(response.body.readableBytes))
        self.body(response.body)
        if self.responseFraming == .chunked {
            HTTP1Encoder.writeLastChunk(trailers: HeaderList(), into: &self.out)
        }
        self.needsFlush = true
    }
}
