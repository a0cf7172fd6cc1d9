import NIOCore
import NIOPosix
import PlayheadCassette
import PlayheadContent
import PlayheadEngine
import PlayheadHTTP

/// Hands one recorded outcome to the client when it is more than one write: side files, HEAD, 1.0, failures, paced streams.
///
/// An answer passes through the moments of `PlaybackMoments` in order: the head, each chunk, the end. Each waits for its
/// time (`ReplayClock`) and for its turn among all answers (`ReplayTurn`), if the session asks for that.
final class ReplayStream {
    private typealias Piece = SideFilePieces.Piece

    private let exchange: Exchange
    private let play: CassetteSession.Play
    private let method: String
    private unowned let sink: any ResponseSink
    private let loop: ProxyLoop
    private let session: CassetteSession
    private let clock: ReplayClock?
    private let turn: ReplayTurn?
    private let moments: PlaybackMoments
    /// What is sent before the body, until it is.
    private var head: (ResponseHead, BodyFraming)?
    private var pieces: ArraySlice<Piece> = []
    private var trailers = HeaderList()
    private var breaksOff: RecordedFailure.Kind?
    private var file: SideFilePieces?
    /// How many octets of the side file are still to be sent.
    private var fileOctetsLeft = 0
    private var isReading = false
    private var isDone = false
    /// How many messages of the request have come; nil when all of it has.
    private var requestMessages: Int?

    /// - Parameter startedAt: the moment that recorded times count from; nil for now.
    init(
        exchange: Exchange, play: CassetteSession.Play, session: CassetteSession, method: String,
        sink: any ResponseSink, loop: ProxyLoop, startedAt: NIODeadline? = nil
    ) {
        self.exchange = exchange
        self.play = play
        self.method = method
        self.sink = sink
        self.loop = loop
        self.session = session
        self.moments = PlaybackMoments(exchange)
        let speed = session.options.speed
        self.clock =
            speed.isInstant
            ? nil
            : ReplayClock(self.moments, speed: speed, start: startedAt ?? .now(), eventLoop: loop.eventLoop)
        // An exchange has its place in the order once; when it is repeated, it stands outside.
        self.turn =
            session.options.order == .chronological && play.isFirst
            ? ReplayTurn(play, session: session, eventLoop: loop.eventLoop) : nil
        self.clock?.resume = { [unowned self] in self.resume() }
        self.turn?.resume = { [unowned self] in self.resume() }
    }

    deinit { self.stopWaiting() }

    func start() {
        switch self.exchange.outcome {
        case .response(let response): self.start(response)
        case .failure(let failure):
            guard let partial = failure.partial else {
                let response = FailureResponse.make(UpstreamFailure(recorded: failure))
                self.head = (response.head, .length(response.body.readableBytes))
                self.pieces = [Piece(octets: response.body, chunk: 0)]
                return self.send()
            }
            self.breaksOff = failure.kind
            self.start(partial)
        case .webSocket: self.unreadable("it is a WebSocket, and the request did not ask for one.")
        }
    }

    /// The request is still under way: what was recorded after more of it waits.
    func waitForMessages(after count: Int) { self.requestMessages = count }

    /// More of the request has come; nil for all of it.
    func messagesCame(_ count: Int?) {
        self.requestMessages = count
        self.resume()
    }

    func sinkBecameWritable() { self.send() }

    /// The client went away before it had everything: the recording may answer again.
    func clientGone() {
        guard !self.isDone else { return }
        self.isDone = true
        self.file = nil
        self.stopWaiting()
        // It left the recorded stream too, and need not do so at the same octet.
        guard self.breaksOff == .clientLeft, self.head == nil else { return self.session.giveBack(self.play) }
        self.session.completed(self.play)
        self.leaveOrder()
    }

    private func stopWaiting() {
        self.clock?.cancel()
        self.turn?.cancel()
    }

    private func start(_ response: RecordedResponse) {
        if response.body.isTruncated, self.breaksOff == nil { self.breaksOff = .closed }
        switch response.body.content {
        case .none: self.start(response, octets: ByteBuffer())
        case .octets(let octets): self.start(response, octets: octets)
        case .file(let reference):
            if self.method == "HEAD" {
                self.prepare(ReplayResponse(response, wireLength: reference.length, method: self.method), response)
                return self.send()
            }
            guard response.body.coding.isEmpty else { return self.loadAndEncode(response) }
            let replay = ReplayResponse(response, wireLength: reference.length, method: self.method)
            do {
                self.file = SideFilePieces(
                    try self.session.openSideFile(reference),
                    chunks: replay.framing == .chunked ? self.moments.pieces : [])
                self.fileOctetsLeft = reference.length
            } catch {
                return self.unreadable("\(error)")
            }
            self.prepare(replay, response)
            self.send()
        }
    }

    private func start(_ response: RecordedResponse, octets: ByteBuffer) {
        do {
            self.prepare(try ReplayResponse(response, octets: octets, method: self.method), response)
            self.send()
        } catch {
            self.unreadable("\(error)")
        }
    }

    private func prepare(_ replay: ReplayResponse, _ response: RecordedResponse) {
        self.trailers = replay.trailers
        self.pieces = replay.pieces.enumerated().map { Piece(octets: $0.element, chunk: $0.offset) }[...]
        self.head = (replay.head, replay.framing)
        guard self.breaksOff != nil, case .length(let stored) = replay.framing else { return }
        // The recorded length was never reached: the client must see the length that was promised. A hand may have
        // written another one, and more must not follow a head than it says.
        guard let promised = response.headers.first("content-length").flatMap({ Int($0) }), promised >= stored else {
            return
        }
        var head = replay.head
        head.headers.set("Content-Length", "\(promised)")
        self.head = (head, .length(promised))
    }

    // MARK: sending

    private func resume() {
        self.sink.setPaced(false)
        self.send()
        if !self.isDone { self.sink.flush() }
    }

    /// Sends what is due while the client takes it; goes on when it takes more or the next moment has come.
    private func send() {
        guard !self.isDone, !self.isReading else { return }
        if let (head, framing) = self.head {
            guard self.isDue(0) else { return }
            self.head = nil
            self.sink.head(head, framing: framing)
        }
        while let piece = self.pieces.first {
            guard self.isDue(self.moment(of: piece)) else { return }
            self.pieces.removeFirst()
            self.sink.body(piece.octets)
            if !self.sink.isWritable {
                self.sink.flush()
                if !self.sink.isWritable { return }
            }
        }
        if self.file != nil { return self.readMore() }
        guard self.isDue(self.moments.end) else { return }
        self.finish()
    }

    /// A chunk has its own moment, all else goes with the end.
    private func moment(of piece: Piece) -> Int {
        self.moments.pieces.indices.contains(piece.chunk) ? piece.chunk + 1 : self.moments.end
    }

    private func isDue(_ moment: Int) -> Bool {
        if let count = self.requestMessages, self.moments.messages.indices.contains(moment) {
            guard let needed = self.moments.messages[moment], needed <= count else {
                self.sink.setPaced(true)
                self.sink.flush()
                return false
            }
        }
        if self.clock?.isDue(moment) ?? true {
            guard let turn = self.turn else { return true }
            // Asking for a turn says that all before it was sent, so it has to be.
            self.sink.flush()
            if turn.isDue(moment) { return true }
        }
        self.sink.setPaced(true)
        self.sink.flush()
        return false
    }

    private func finish() {
        self.isDone = true
        self.session.completed(self.play)
        defer { self.leaveOrder() }
        if let kind = self.breaksOff { return self.sink.breakOff(reset: kind == .reset) }
        self.sink.end(trailers: self.trailers)
        self.sink.flush()
    }

    /// Nothing more comes: no other answer waits for this one.
    private func leaveOrder() { self.turn?.sent(first: .max) }

    private func readMore() {
        guard let file = self.file, !self.isReading else { return }
        self.isReading = true
        let read = NIOThreadPool.singleton.runIfActive(eventLoop: self.loop.eventLoop) {
            try file.next()
        }
        read.assumeIsolated().whenComplete { result in
            self.isReading = false
            guard !self.isDone else { return }
            switch result {
            case .success(let pieces):
                self.pieces = pieces[...]
                // The last piece ends the answer at once: a client that counts octets may close before another read
                // would find the end, and the recording would count as not played.
                self.fileOctetsLeft -= pieces.reduce(0) { $0 + $1.octets.readableBytes }
                if pieces.isEmpty || self.fileOctetsLeft <= 0 { self.file = nil }
                self.send()
                if !self.isDone { self.sink.flush() }
            case .failure(let error):
                self.isDone = true
                self.session.countUnreadable(self.play, "\(error)")
                self.sink.breakOff(reset: true)
                self.leaveOrder()
            }
        }
    }

    private func loadAndEncode(_ response: RecordedResponse) {
        let session = self.session
        let method = self.method
        let encoded = NIOThreadPool.singleton.runIfActive(eventLoop: self.loop.eventLoop) {
            try ReplayResponse(response, octets: try session.loadBody(response.body), method: method)
        }
        encoded.assumeIsolated().whenComplete { result in
            guard !self.isDone else { return }
            switch result {
            case .success(let replay):
                self.prepare(replay, response)
                self.send()
                if !self.isDone { self.sink.flush() }
            case .failure(let error):
                self.unreadable("\(error)")
                self.sink.flush()
            }
        }
    }

    private func unreadable(_ reason: String) {
        self.isDone = true
        self.session.countUnreadable(self.play, reason)
        defer { self.leaveOrder() }
        let response = OwnResponse.error(
            status: 500, reason: "The recording \(self.exchange.id) cannot be read: \(reason)")
        self.sink.head(response.head, framing: .length(response.body.readableBytes))
        self.sink.body(response.body)
        self.sink.end(trailers: HeaderList())
    }
}

@available(*, unavailable)
extension ReplayStream: Sendable {}
