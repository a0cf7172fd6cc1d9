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
    private let requestHead: RequestHead
    private let requestFraming: BodyFraming
    /// How the addresses in the response are put across.
    private let rewrite: ReverseRewrite?
    private var exchange: ExchangePipeline?
    private var lastProgress: NIODeadline
    /// Nothing comes for a while because the recording had a pause there.
    private var isPaced = false

    // The request.
    private var isRequestOpen: Bool
    /// Nothing of the request is delivered: it has not begun, or the exchange takes no more.
    private var isPaused = true
    /// What came are frames of a WebSocket that is not open yet: they must not go to the origin before it agrees.
    private var awaitsSwitch = false
    private var held = CircularBuffer<Part>()
    private var isDelivering = false
    private var window = HTTP2ReceiveWindow(size: HTTP2Limits.streamWindow)

    // The response.
    private var pendingHead: HPACKHeaders?
    /// The last piece of the body, held back since it may turn out to be the end.
    private var pendingBody: ByteBuffer?
    /// The response has no body: the head waits for its end.
    private var holdsHead = false
    private var hasSentHead = false
    private var isClosed = false
    private let backlog = HTTP2Backlog()
    private var isBlocked = false

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
    private func deliver() {
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

    // MARK: flow

    func networkBecameWritable() { self.unblockIfWritable() }

    private func unblockIfWritable() {
        guard self.isBlocked, self.backlog.hasRoom, self.connection.isWritable else { return }
        self.isBlocked = false
        self.exchange?.sinkBecameWritable()
        self.connection.flush()
    }

    /// Writes octets of the body and counts them until they have left.
    private func write(_ octets: ByteBuffer, endsStream: Bool, promise: EventLoopPromise<Void>? = nil) {
        let promise = self.backlog.promise(
            for: octets.readableBytes, promise, on: self.connection.loop.eventLoop
        ) {
            self.lastProgress = self.connection.loop.now
            if !self.isClosed { self.unblockIfWritable() }
        }
        self.connection.write(
            self.id, .data(.init(data: .byteBuffer(octets), endStream: endsStream)), promise: promise)
    }

    private func writePending() {
        if let head = self.pendingHead {
            self.pendingHead = nil
            self.hasSentHead = true
            self.connection.write(self.id, .headers(.init(headers: head)))
        }
        if let octets = self.pendingBody {
            self.pendingBody = nil
            self.write(octets, endsStream: false)
        }
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

extension HTTP2ClientStream: ResponseSink {
    var isWritable: Bool {
        if !self.backlog.isFull, self.connection.isWritable { return true }
        self.isBlocked = true
        return false
    }

    var takesWireForm: Bool { false }

    func informational(_ head: ResponseHead) {
        guard !self.isClosed else { return }
        var head = head
        self.rewrite?.response(&head.headers)
        self.connection.write(self.id, .headers(.init(headers: HTTP2Fields.fields(of: head))))
        self.connection.flush()
    }

    func head(_ head: ResponseHead, framing: BodyFraming) {
        self.lastProgress = self.connection.loop.now
        var head = head
        self.rewrite?.response(&head.headers)
        self.pendingHead = HTTP2Fields.fields(of: head)
        self.holdsHead = framing == .none || self.requestHead.method == "HEAD"
    }

    func switchProtocols(_ head: ResponseHead) {
        self.head(ExtendedConnect.accepted(head), framing: .untilClose)
        self.flush()
        self.awaitsSwitch = false
        self.deliver()
    }

    func body(_ octets: ByteBuffer) {
        guard !self.isClosed, octets.readableBytes > 0, !self.holdsHead else { return }
        self.lastProgress = self.connection.loop.now
        self.writePending()
        self.pendingBody = octets
    }

    func end(trailers: HeaderList) {
        guard !self.isClosed else { return }
        self.exchange = nil
        let hasTrailers = !trailers.isEmpty && !self.holdsHead
        // An answer before the request's end: the rest is not wanted, which may be said when the answer has left.
        var promise: EventLoopPromise<Void>?
        if self.isRequestOpen {
            let sent = self.connection.loop.eventLoop.makePromise(of: Void.self)
            sent.futureResult.assumeIsolated().whenSuccess { self.refuseRest() }
            promise = sent
        }
        if hasTrailers {
            self.writePending()
            let fields = HTTP2Fields.fields(of: trailers)
            self.connection.write(self.id, .headers(.init(headers: fields, endStream: true)), promise: promise)
        } else if let head = self.pendingHead, self.pendingBody == nil {
            self.pendingHead = nil
            self.connection.write(self.id, .headers(.init(headers: head, endStream: true)), promise: promise)
        } else {
            let last = self.pendingBody ?? ByteBuffer()
            self.pendingBody = nil
            self.writePending()
            self.write(last, endsStream: true, promise: promise)
        }
        self.isPaused = false
        self.awaitsSwitch = false
        self.deliver()
    }

    private func refuseRest() {
        guard !self.isClosed, self.isRequestOpen else { return }
        self.connection.write(self.id, .rstStream(.noError))
        self.connection.flush()
    }

    func complete(wire: ByteBuffer) { self.breakOff(reset: true) }

    func flush() {
        guard !self.holdsHead else { return self.connection.flush() }
        self.writePending()
        self.connection.flush()
    }

    /// The client gets all that came before the break, then RST_STREAM.
    func breakOff(reset: Bool) {
        guard !self.isClosed else { return }
        self.exchange = nil
        self.writePending()
        let code: HTTP2ErrorCode = reset ? .cancel : .internalError
        guard self.hasSentHead else {
            self.connection.write(self.id, .rstStream(code))
            return self.connection.flush()
        }
        let sent = self.connection.loop.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in
            guard !self.isClosed else { return }
            self.connection.write(self.id, .rstStream(code))
            self.connection.flush()
        }
        self.write(ByteBuffer(), endsStream: false, promise: sent)
        self.connection.flush()
    }

    func setPaced(_ isWaiting: Bool) {
        self.isPaced = isWaiting
        self.lastProgress = self.connection.loop.now
    }

    func setRequestPaused(_ paused: Bool) {
        guard paused != self.isPaused else { return }
        self.isPaused = paused
        if !paused {
            self.deliver()
            self.connection.flush()
        }
    }
}

@available(*, unavailable)
extension HTTP2ClientStream: Sendable {}
