import NIOCore
import NIOPosix
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP

/// An open WebSocket between a client and a recording: nobody else is asked.
///
/// Pings are answered, pongs ignored, and the closing handshake is kept whatever was recorded. What is said when is
/// decided by `WebSocketPlayback`.
final class WebSocketReplay: WebSocketEnd {
    private let request: ProxiedRequest
    private let exchange: Exchange
    private let play: CassetteSession.Play
    private let session: CassetteSession
    private unowned let sink: any ResponseSink
    private let frames: WebSocketReplayFrames
    private let eventLoop: any EventLoop
    private var socket: RecordedWebSocket
    private var playback: WebSocketPlayback
    private var decoder = WebSocketDecoder(from: .client)
    private var message = ByteBuffer()
    private var openedAt: NIODeadline = .now()
    private var timer: Scheduled<Void>?
    /// In chronological playback: opens the WebSocket when all that was recorded before has been sent.
    private var turn: ReplayTurn?
    private var isOpen = false
    /// Whether the session knows how it went.
    private var isSettled = false
    private var isDone = false
    private var isDraining = false

    init(
        request: ProxiedRequest, exchange: Exchange, socket: RecordedWebSocket, play: CassetteSession.Play,
        session: CassetteSession, sink: any ResponseSink, eventLoop: any EventLoop
    ) {
        self.request = request
        self.exchange = exchange
        self.socket = socket
        self.play = play
        self.session = session
        self.sink = sink
        self.frames = WebSocketReplayFrames(to: sink)
        self.eventLoop = eventLoop
        self.playback = Self.playback(socket, exchange, session)
        guard session.options.order == .chronological, play.isFirst else { return }
        self.turn = ReplayTurn(play, session: session, eventLoop: eventLoop)
        self.turn?.resume = { [unowned self] in self.open() }
    }

    deinit { self.turn?.cancel() }

    /// Opens the WebSocket; messages in side files are read first, on a thread.
    func start() {
        let hasFiles = self.socket.frames.contains { if case .file = $0.payload.content { true } else { false } }
        guard hasFiles else { return self.open() }
        let (session, socket) = (self.session, self.socket)
        let loaded = NIOThreadPool.singleton.runIfActive(eventLoop: self.eventLoop) { try session.loaded(socket) }
        loaded.assumeIsolated().whenComplete { result in
            guard !self.isDone else { return }
            switch result {
            case .success(let socket):
                self.socket = socket
                self.playback = Self.playback(socket, self.exchange, self.session)
                self.open()
            case .failure(let error):
                self.isDone = true
                self.settle(isPlayed: false)
                self.session.noteUnreadable("\(error)")
                self.answer(
                    .error(status: 500, reason: "The recording \(self.exchange.id) cannot be read: \(error)"))
            }
        }
    }

    private static func playback(
        _ socket: RecordedWebSocket, _ exchange: Exchange, _ session: CassetteSession
    ) -> WebSocketPlayback {
        WebSocketPlayback(
            socket, rule: session.options.webSocketRule, rules: session.options.rules, speed: session.options.speed,
            openedAt: exchange.timing.firstByte ?? 0)
    }

    private func answer(_ response: OwnResponse) {
        self.sink.head(response.head, framing: .length(response.body.readableBytes))
        self.sink.body(response.body)
        self.sink.end(trailers: HeaderList())
        self.sink.flush()
    }

    private func open() {
        guard !self.isDone, let key = self.request.head.headers.first("sec-websocket-key") else { return }
        if let turn = self.turn {
            guard turn.isDue(0) else { return }
            self.turn = nil
            turn.sent(first: 1)
        }
        let recorded = self.socket.response
        var head = WebSocketHandshake.switched(
            ResponseHead(status: 101, reason: recorded.reason, headers: recorded.headers))
        // Deflated frames were never recorded, and the client has a key of its own.
        head.headers.remove("sec-websocket-extensions")
        head.headers.set("Upgrade", "websocket")
        head.headers.set("Connection", "Upgrade")
        head.headers.set("Sec-WebSocket-Accept", WebSocketHandshake.accept(for: key))
        self.isOpen = true
        self.openedAt = .now()
        self.sink.switchProtocols(head)
        self.advance()
    }

    // MARK: from the client

    func clientOctets(_ octets: ByteBuffer) {
        guard !self.isDone else { return }
        self.decoder.append(octets)
        do {
            while !self.isDone, let event = try self.decoder.next() { self.handle(event) }
        } catch {
            self.settle(isPlayed: self.playback.isPlayed)
            return self.end(code: error.closeCode, "the client \(error)")
        }
        guard !self.isDone else { return }
        self.advance()
        // Pongs: who asks without end and does not read the answers is not listened to.
        self.sink.flush()
        if !self.sink.isWritable { self.sink.setRequestPaused(true) }
    }

    private func handle(_ event: WebSocketDecoder.Event) {
        switch event {
        case .data(let octets, let opcode, _, let endsMessage):
            self.message.writeImmutableBuffer(octets)
            guard self.message.readableBytes <= WebSocketTranscript.messageLimit else {
                self.settle(isPlayed: false)
                return self.end(code: 1009, "a message is over \(WebSocketTranscript.messageLimit >> 20) MiB")
            }
            guard endsMessage else { return }
            let whole = self.message
            self.message = ByteBuffer()
            self.receive(opcode == .text ? .text : .binary, whole)
        case .ping(let octets): self.frames.sendPong(octets)
        case .pong: break
        case .close(let code, _): self.clientClosed(code)
        }
    }

    private func receive(_ opcode: RecordedWebSocket.Opcode, _ payload: ByteBuffer) {
        let filtered = self.session.options.filters.filtered(message: payload)
        let differences = self.playback.receive(opcode, filtered, at: self.elapsed)
        guard !differences.isEmpty else { return self.advance() }
        self.isSettled = true
        let report = self.session.countMiss(of: self.play, differences)
        self.end(code: 1011, report.nearest.first?.differences.first?.sentence ?? report.cause)
    }

    private func clientClosed(_ code: Int?) {
        self.playback.close()
        self.advance()
        guard !self.isDone else { return }
        self.settle(isPlayed: self.playback.isPlayed)
        self.frames.sendClose(code: code, reason: "")
        self.finish()
    }

    func clientEnded() {
        guard !self.isDone else { return }
        self.settle(isPlayed: self.playback.isPlayed)
        self.finish()
    }

    func clientGone() {
        self.timer?.cancel()
        self.turn?.cancel()
        guard !self.isDone else { return }
        self.isDone = true
        self.settle(isPlayed: self.isOpen && self.playback.isPlayed)
    }

    func sinkBecameWritable() {
        self.sink.setRequestPaused(false)
        self.advance()
    }

    // MARK: to the client

    /// Says what is due; goes on when time has passed, or the client has said or taken more.
    private func advance() {
        guard self.isOpen, !self.isDone, !self.frames.hasSentClose, self.timer == nil else { return }
        while self.sink.isWritable {
            switch self.playback.step(at: self.elapsed) {
            case .send(let place):
                self.frames.send(self.playback.frames[place])
                if self.frames.hasSentClose { break }
                continue
            case .wait(let until): self.wait(until: until)
            case .listen: break
            case .done: self.allSaid()
            }
            break
        }
        if self.playback.isPlayed { self.settle(isPlayed: true) }
        if !self.isDone { self.sink.flush() }
    }

    private func wait(until nanoseconds: Int64) {
        self.sink.setPaced(true)
        let due = self.openedAt + .nanoseconds(nanoseconds)
        self.timer = self.eventLoop.assumeIsolated().scheduleTask(deadline: due) {
            self.timer = nil
            guard !self.isDone else { return }
            self.sink.setPaced(false)
            self.advance()
        }
    }

    // MARK: the end

    /// The recording has nothing more to say: it ends as it ended then, or waits for the client to end it.
    private func allSaid() {
        switch self.socket.ending {
        case .serverClosed:
            self.settle(isPlayed: self.playback.isPlayed)
            self.finish()
        case .serverReset:
            self.settle(isPlayed: self.playback.isPlayed)
            self.isDone = true
            self.sink.breakOff(reset: true)
        case .closed, .clientLeft, .timeout, .malformed, .stopped, .truncated: break
        }
    }

    /// Fails the WebSocket with a reason (RFC 6455 section 7.1.7).
    private func end(code: Int, _ reason: String) {
        self.frames.sendClose(code: code, reason: "playhead: \(reason)")
        self.finish()
    }

    private func finish() {
        guard !self.isDone else { return }
        self.isDone = true
        self.timer?.cancel()
        self.sink.end(trailers: HeaderList())
        self.sink.flush()
    }

    private func settle(isPlayed: Bool) {
        guard !self.isSettled else { return }
        self.isSettled = true
        if isPlayed { self.session.completed(self.play) } else { self.session.giveBack(self.play) }
    }

    private var elapsed: Int64 { (NIODeadline.now() - self.openedAt).nanoseconds }

    // MARK: the proxy stops

    func drain() {
        if self.isDraining { self.stop() }
        self.isDraining = true
    }

    func stop() {
        guard !self.isDone else { return }
        self.settle(isPlayed: self.isOpen && self.playback.isPlayed)
        guard self.isOpen else { return }
        self.end(code: 1001, "it is being stopped")
    }
}

@available(*, unavailable)
extension WebSocketReplay: Sendable {}
