import NIOCore
import PlayheadEngine
import PlayheadHTTP

extension ClientConnectionHandler {
    /// Does what a request head asks of us: a tunnel, our CA certificate, or an exchange with an origin.
    func begin(_ head: RequestHead, _ framing: BodyFraming) {
        self.keepsAlive = !self.loop.isDraining && self.lease?.isEnding != true && self.asksToKeepAlive(head)
        guard let door = self.door else { return }
        self.rewrite = door.rewrite(for: head)
        if self.core.settings.gate.bars(head, framing, through: door) {
            self.keepsAlive = false
            self.send(OwnResponse.tokenWanted)
            return self.finishConnection()
        }
        let trail = self.trail.joined(HopTrail(head.headers))
        guard !trail.isLoop(at: self.core.name) else {
            self.keepsAlive = false
            self.send(OwnResponse.loop)
            return self.finishConnection()
        }
        do {
            guard let session = try self.session(for: head, framing) else { return }
            switch try RequestIntent(head, framing, through: door) {
            case .connect:
                self.session = session
                self.trail = trail
                try self.connect(head)
            case .certificate: self.serveCertificate()
            case .exchange(var request):
                request.trail = trail
                if let warning = TunnelNames.warning(door, head) { session.warn(warning) }
                self.start(request, session)
            case .refused(let status, let reason): self.refuse(status: status, reason)
            }
        } catch let error as HTTP1Error {
            self.refuse(status: error.status, error.reason)
        } catch {
            self.refuse(status: 400, "\(error)")
        }
    }

    /// The door that requests come through now; nil while none is read.
    var door: Door? {
        switch self.stage {
        case .proxy: self.reverseDoor.map { .reverse($0) } ?? .proxy
        case .tunnel(let authority, let isSecure): .tunnel(authority, isSecure: isSecure)
        case .sniffing, .connecting, .switched, .lingering, .closed: nil
        }
    }

    private var reverseDoor: ReverseDoor? {
        guard let reverse = self.reverse else { return nil }
        return ReverseDoor(
            origin: reverse.origin, isSecure: self.isSecure, isLoopback: reverse.address.isLoopback,
            port: self.context?.channel.localAddress?.port ?? reverse.address.port, all: self.core.reversePorts.all)
    }

    private func start(_ request: ProxiedRequest, _ session: CassetteSession) {
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

    private func serveCertificate() {
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
