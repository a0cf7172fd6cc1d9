import NIOCore
import NIOHPACK
import NIOHTTP2
import PlayheadEngine
import PlayheadHTTP

/// One request of a client over HTTP/2, and where its answer goes.
final class HTTP2ClientStream {
    /// What came from the client while it could not be taken.
    private enum Part {
        case data(ByteBuffer, windowOctets: Int, endsStream: Bool)
        case trailers(HeaderList)
    }

    let id: HTTP2StreamID
    /// Owned: a cassette that is being opened, or an octet that leaves late, may outlive the connection.
    let connection: HTTP2ClientConnection
    let requestHead: RequestHead
    private let requestFraming: BodyFraming
    /// How the addresses in the response are put across.
    let rewrite: ReverseRewrite?
    var exchange: ExchangePipeline?
    var lastProgress: NIODeadline
    /// Nothing comes for a while because the recording had a pause there.
    var isPaced = false

    // The request.
    var isRequestOpen: Bool
    /// Nothing of the request is delivered: it has not begun, or the exchange takes no more.
    var isPaused = true
    /// What came are frames of a WebSocket that is not open yet: they must not go to the origin before it agrees.
    var awaitsSwitch = false
    private var held = CircularBuffer<Part>()
    private var isDelivering = false
    private var window = HTTP2ReceiveWindow(size: HTTP2Limits.streamWindow)

    // The response.
    var pendingHead: HPACKHeaders?
    /// The last piece of the body, held back since it may turn out to be the end.
    var pendingBody: ByteBuffer?
    /// The response has no body: the head waits for its end.
    var holdsHead = false
    var hasSentHead = false
    var isClosed = false
    let backlog = HTTP2Backlog()
    var isBlocked = false

    init(id: HTTP2StreamID, connection: HTTP2ClientConnection, head: RequestHead, framing: BodyFraming) {
        self.id = id
        self.connection = connection
        self.requestHead = head
        self.requestFraming = framing
        self.rewrite = connection.door.rewrite(for: head)
        self.isRequestOpen = framing != .none || head.headers.contains("upgrade")
        self.lastProgress = connection.loop.now
    }

    // MARK: request

    /// Begins the exchange that the head asks for.
    func start() {
        let gate = self.connection.core.settings.gate
        if gate.bars(self.requestHead, self.requestFraming, through: self.connection.door) {
            return self.send(OwnResponse.tokenWanted)
        }
        if let lease = self.connection.lease { return self.begin(lease.session) }
        do {
            guard let name = try SessionName.read(self.requestHead.headers) else {
                return self.begin(self.connection.session)
            }
            self.connection.loop.openSession(name) { result in
                switch result {
                case .success(let session): self.begin(session)
                case .failure(let error):
                    let refusal = SessionRefusal(name, error)
                    self.refuse(status: refusal.status, refusal.reason)
                }
                self.connection.flush()
            }
        } catch {
            self.refuse(status: 400, "\(error)")
        }
    }

    private func begin(_ session: CassetteSession) {
        guard !self.isClosed else { return }
        do throws(HTTP1Error) {
            switch try RequestIntent(self.requestHead, self.requestFraming, through: self.connection.door) {
            case .connect:
                self.refuse(status: 501, "Tunnels are made with CONNECT over HTTP/1.1, not over HTTP/2.")
            case .certificate: self.send(OwnResponse.pem(self.connection.core.certificatePEM))
            case .refused(let status, let reason): self.refuse(status: status, reason)
            case .exchange(var request):
                request.trail = self.connection.trail.joined(HopTrail(self.requestHead.headers))
                guard !request.trail.isLoop(at: self.connection.core.name) else { return self.send(OwnResponse.loop) }
                if let warning = TunnelNames.warning(self.connection.door, self.requestHead) { session.warn(warning) }
                let exchange = ExchangePipeline(
                    request: request, session: session, sink: self, loop: self.connection.loop)
                self.exchange = exchange
                self.isPaused = false
                self.awaitsSwitch = request.asksForWebSocket
                exchange.begin()
                self.deliver()
            }
        } catch {
            self.refuse(status: error.status, error.reason)
        }
    }

    func receive(_ octets: ByteBuffer, windowOctets: Int, endsStream: Bool) {
        self.receive(.data(octets, windowOctets: windowOctets, endsStream: endsStream))
    }

    func receive(trailers fields: HPACKHeaders) {
        do {
            self.receive(.trailers(try HTTP2Fields.trailers(fields)))
        } catch {
            self.connection.write(self.id, .rstStream(.protocolError))
        }
    }

    private func receive(_ part: Part) {
        self.lastProgress = self.connection.loop.now
        self.held.append(part)
        self.deliver()
    }

    /// Delivers what was held, as far as it is taken; without an exchange it is dropped.
    func deliver() {
        // What is delivered may lead back here.
        guard !self.isDelivering else { return }
        self.isDelivering = true
        defer { self.isDelivering = false }
        while !self.isPaused, !self.awaitsSwitch, !self.held.isEmpty {
            switch self.held.removeFirst() {
            case .data(let octets, let windowOctets, let endsStream):
                if endsStream {
                    self.isRequestOpen = false
                } else if let increment = self.window.take(windowOctets) {
                    self.connection.write(self.id, .windowUpdate(windowSizeIncrement: increment))
                }
                if octets.readableBytes > 0 { self.exchange?.requestBody(octets) }
                if endsStream { self.exchange?.requestEnd(HeaderList()) }
            case .trailers(let trailers):
                self.isRequestOpen = false
                self.exchange?.requestEnd(trailers)
            }
        }
    }

    /// Whether the client can still end the request; the connection's input is over.
    func inputClosed() {
        if self.isRequestOpen { self.connection.write(self.id, .rstStream(.cancel)) }
    }

    /// The stream is over, in good order or not.
    func closed() {
        self.isClosed = true
        self.held.removeAll()
        let exchange = self.exchange
        self.exchange = nil
        exchange?.clientGone()
    }

    /// The proxy stops now.
    func stop() { self.exchange?.stop() }

    /// Called about once a second while the proxy is being stopped.
    func drain() { self.exchange?.drain() }

    func checkDeadline(now: NIODeadline, limit: Int) {
        guard !self.isPaced, now - self.lastProgress > .seconds(Int64(limit)) else { return }
        self.connection.write(self.id, .rstStream(.cancel))
        self.connection.flush()
    }

    // MARK: answers of our own

    private func refuse(status: Int, _ reason: String) {
        self.send(OwnResponse.error(status: status, reason: reason))
    }

    private func send(_ response: OwnResponse) {
        guard !self.isClosed else { return }
        self.head(response.head, framing: .length(response.body.readableBytes))
        self.body(response.body)
        self.end(trailers: HeaderList())
        self.flush()
    }
}

@available(*, unavailable)
extension HTTP2ClientStream: Sendable {}
