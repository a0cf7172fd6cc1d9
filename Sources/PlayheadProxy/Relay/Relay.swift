import NIOCore
import PlayheadCassette
import PlayheadHTTP

/// One exchange with an origin: the request goes up as it comes, the response comes down as it comes.
///
/// Memory is bounded by the sockets' buffers: each side is read only while the other takes more.
final class Relay: UpstreamReceiver {
    /// A part of the request behind its head.
    enum RequestEvent {
        case body(ByteBuffer)
        case end(HeaderList)
    }

    /// What an old recording has to say to an origin that cannot be reached.
    enum Fallback {
        /// There is none.
        case none
        /// It has answered.
        case answered
        /// It will be chosen by more of the request; ``yield()`` or ``report()`` follows.
        case undecided
    }

    /// What is kept to send a request again over a fresh connection, and what may queue while connecting, in octets.
    private static let retainLimit = 64 * 1024

    private let request: ProxiedRequest
    private unowned let sink: any ResponseSink
    /// The client has left, and what it did not wait for is read for the recording alone.
    private var isAlone = false
    /// Who takes the response; nil when nobody does any more.
    private var client: (any ResponseSink)? { self.isAlone ? nil : self.sink }
    /// So many octets are read for the recording alone, and for so long.
    private static let lingerLimit = 256 * 1024
    private static let lingerTime = TimeAmount.seconds(5)
    /// The sink, where nobody else keeps it.
    var ownedSink: (any ResponseSink)?
    private let loop: ProxyLoop
    private let tap: RecordingTap?
    private let target: UpstreamTarget
    /// May answer in the origin's place when it cannot be reached.
    var fallback: ((UpstreamFailure) -> Fallback)?
    /// Why the origin cannot be reached, until it is decided who answers.
    private var undecided: UpstreamFailure?
    /// Takes over when the origin answered 101: the open WebSocket, and the head for the client.
    var switched: ((WebSocketRelay, ResponseHead) -> Void)?
    /// Stops or resumes the request's body where it does not come from the client.
    var pausesRequest: ((Bool) -> Void)?
    private var connection: (any UpstreamExchange)?
    private var retained: [RequestEvent]? = []
    private var retainedOctets = 0
    private var queued: [RequestEvent] = []
    private var isRetry = false
    /// How often an origin said that it did nothing of the request, as one does that ends its connection.
    private var refusals = 0
    /// Every connection gets on with some requests, so many at once may take some rounds.
    private static let refusalLimit = 32
    private var hasResponse = false
    private var isRequestDone = false
    /// The response has no promised length: what came of it is kept, whoever cuts it.
    private var isStream = false
    private var isFinishing = false
    private var isDone = false
    /// Octets of a Content-Length body that are still to come; nil with other framings.
    private var remaining: Int?
    /// What makes the response complete for the client: it is recorded before this goes out.
    private var withheldHead: (ResponseHead, BodyFraming)?
    private var withheldOctets: ByteBuffer?

    init(request: ProxiedRequest, sink: any ResponseSink, loop: ProxyLoop, tap: RecordingTap?) {
        self.request = request
        self.sink = sink
        self.loop = loop
        self.tap = tap
        self.target = UpstreamTarget(request, http2: loop.core.settings.http2)
    }

    func start() {
        self.loop.pool.acquire(
            self.target, isIdempotent: self.isIdempotent, fresh: self.isRetry,
            forWebSocket: self.request.asksForWebSocket
        ) { result in
            switch result {
            case .success(let connection): self.connected(connection)
            case .failure(let failure): self.upstreamFailed(failure, beforeResponse: true)
            }
        }
    }

    // MARK: from the client

    func requestBody(_ octets: ByteBuffer) {
        self.tap?.requestBody(octets)
        guard self.undecided == nil else { return }
        self.retain(.body(octets), octets.readableBytes)
        guard let connection = self.connection else {
            self.queued.append(.body(octets))
            self.setRequestPaused(true)
            return
        }
        connection.send(body: octets)
        connection.flush()
        if !connection.isWritable { self.setRequestPaused(true) }
    }

    func requestEnd(_ trailers: HeaderList) {
        self.tap?.requestEnd(trailers)
        guard self.undecided == nil else { return }
        self.isRequestDone = true
        self.retain(.end(trailers), 0)
        guard let connection = self.connection else { return self.queued.append(.end(trailers)) }
        connection.sendEnd(trailers: trailers)
        connection.flush()
    }

    func sinkBecameWritable() { self.connection?.setPaused(false) }

    /// A client that cancels has often seen what it wanted, as one that follows a redirect: a short rest is recorded.
    func clientGone() {
        guard !self.isDone else { return }
        if self.tap != nil, self.isRequestDone, self.hasResponse, let remaining = self.remaining,
            remaining <= Self.lingerLimit
        {
            self.isAlone = true
            self.connection?.setPaused(false)
            self.loop.eventLoop.assumeIsolated().scheduleTask(in: Self.lingerTime) { self.giveUp() }
            return
        }
        self.isDone = true
        self.connection?.abandon()
        self.cut(.clientLeft)
    }

    /// The rest does not come.
    private func giveUp() {
        guard !self.isDone, !self.isFinishing else { return }
        self.isDone = true
        self.connection?.abandon()
        self.tap?.abandon()
    }

    /// The proxy stops: what the client has seen of a stream is kept, and breaks off here.
    func stop() {
        guard !self.isDone, self.hasResponse, !self.isFinishing else { return }
        self.isDone = true
        self.sink.flush()
        self.connection?.abandon()
        self.cut(.stopped)
        self.sink.breakOff(reset: false)
    }

    /// Keeps what was seen of a stream that nobody may ever end; of a message with an end, nothing.
    private func cut(_ failure: UpstreamFailure) {
        guard !self.isFinishing else { return }
        if self.isStream, self.isRequestDone { _ = self.tap?.fail(failure) } else { self.tap?.abandon() }
    }

    // MARK: from the origin

    func upstreamInformational(_ head: ResponseHead) {
        var head = head
        HopByHop.removeFromResponse(&head.headers)
        // RFC 9110 section 8.6: an interim response has no length.
        head.headers.remove("content-length")
        self.client?.informational(head)
    }

    func switchProblem(_ head: ResponseHead) -> String? {
        WebSocketHandshake.problem(head, to: self.request.head)
    }

    /// The origin agreed to a WebSocket: this relay is done.
    private func switchProtocols(_ head: ResponseHead) {
        guard let connection = self.connection, let switched = self.switched else { return }
        self.isDone = true
        let head = WebSocketHandshake.switched(head)
        let socket = WebSocketRelay(connection: connection, sink: self.sink, recorder: self.tap?.webSocket(head))
        connection.handOver(to: socket)
        switched(socket, head)
    }

    func upstreamHead(_ head: ResponseHead, _ framing: BodyFraming) {
        if head.status == 101 { return self.switchProtocols(head) }
        self.hasResponse = true
        self.retained = nil
        var head = head
        HopByHop.removeFromResponse(&head.headers)
        var framing = framing
        switch (head.status, framing) {
        case (204, _): head.headers.remove("content-length")
        case (205, .none) where self.request.head.method != "HEAD":
            // A reader that does not know 205 as bodiless would wait for the close (RFC 9112 section 6.3).
            head.headers.set("Content-Length", "0")
            framing = .length(0)
        default: break
        }
        switch framing {
        case .length(let length): self.remaining = length
        case .chunked, .untilClose: self.isStream = true
        case .none: break
        }
        self.tap?.responseHead(head, framing)
        if self.tap != nil, framing == .none || framing == .length(0) {
            self.withheldHead = (head, framing)
        } else {
            self.client?.head(head, framing: framing)
        }
    }

    func upstreamBody(_ octets: ByteBuffer, endsChunk: Bool) {
        if let remaining = self.remaining { self.remaining = remaining - octets.readableBytes }
        self.tap?.responseBody(octets, endsChunk: endsChunk)
        if self.tap != nil, self.remaining == 0 {
            self.withheldOctets = octets
            return
        }
        self.client?.body(octets)
        if self.remaining != 0, let client = self.client, !client.isWritable { self.connection?.setPaused(true) }
    }

    func upstreamEnd(_ trailers: HeaderList) {
        self.connection = nil
        guard let pending = self.tap?.finish(trailers: trailers) else { return self.complete(trailers) }
        self.isFinishing = true
        pending.assumeIsolated().whenComplete { _ in self.complete(trailers) }
    }

    func upstreamReadComplete() {
        guard !self.isFinishing, !self.isDone else { return }
        self.client?.flush()
        if self.remaining != 0, let client = self.client, !client.isWritable { self.connection?.setPaused(true) }
    }

    func upstreamBecameWritable() { self.setRequestPaused(false) }

    func upstreamFailed(_ failure: UpstreamFailure, beforeResponse: Bool) {
        guard !self.isDone else { return }
        let wasReused = self.connection?.isReused ?? false
        self.connection = nil
        let isStale = failure.kind == .closed || failure.kind == .reset
        let mayRepeat =
            failure.isUnprocessed
            ? self.refusals < Self.refusalLimit : wasReused && isStale && !self.isRetry && self.isIdempotent
        if beforeResponse, mayRepeat, let retained = self.retained {
            if failure.isUnprocessed { self.refusals += 1 } else { self.isRetry = true }
            self.queued = retained
            return self.start()
        }
        self.isDone = true
        guard !self.isAlone else {
            self.tap?.abandon()
            return
        }
        if beforeResponse, !failure.isRefusal, let fallback = self.fallback {
            self.fallback = nil
            self.undecided = failure
            switch fallback(failure) {
            case .none: break
            case .answered: return self.yield()
            case .undecided: return
            }
        }
        self.conclude(failure)
    }

    /// What was sent of the request behind its head; nil when it was too much to keep.
    var sent: [RequestEvent]? { self.retained }

    /// Somebody else answers.
    func yield() {
        self.undecided = nil
        self.tap?.abandon()
    }

    /// Nobody else answers: the client hears why the origin does not.
    func report() {
        guard let failure = self.undecided else { return }
        self.conclude(failure)
    }

    private func conclude(_ failure: UpstreamFailure) {
        self.undecided = nil
        let finished = failure.isRecorded ? self.tap?.fail(failure) : nil
        if !failure.isRecorded { self.tap?.abandon(failure) }
        guard let finished else { return self.report(failure) }
        finished.assumeIsolated().whenComplete { _ in self.report(failure) }
    }

    // MARK: steps

    private func setRequestPaused(_ paused: Bool) {
        guard let pause = self.pausesRequest else {
            self.client?.setRequestPaused(paused)
            return
        }
        pause(paused)
    }

    private func connected(_ connection: any UpstreamExchange) {
        guard !self.isDone else { return connection.abandon() }
        self.connection = connection
        connection.send(self.outgoingHead, framing: self.request.framing, to: self)
        let events = self.queued
        self.queued = []
        if case .none = self.request.framing {
            self.isRequestDone = true
            connection.sendEnd(trailers: HeaderList())
        }
        for event in events {
            switch event {
            case .body(let octets): connection.send(body: octets)
            case .end(let trailers): connection.sendEnd(trailers: trailers)
            }
        }
        // What came with the head is looked at before anything goes out: if it is malformed, nothing does.
        if connection.isWritable { self.setRequestPaused(false) }
        if !self.isDone { connection.flush() }
    }

    /// The head, with our name where another proxy reads it or may be the server.
    private var outgoingHead: RequestHead {
        var head = self.request.head
        let dialler = self.loop.core.dialler
        if dialler.forwardedForm(for: self.target) != nil || (self.request.isReverse && dialler.isLocal(self.target)) {
            head.headers.append(name: "Via", value: self.request.trail.via(adding: dialler.name))
        }
        return head
    }

    private func retain(_ event: RequestEvent, _ octets: Int) {
        guard self.retained != nil else { return }
        self.retainedOctets += octets
        if self.retainedOctets > Self.retainLimit { self.retained = nil } else { self.retained?.append(event) }
    }

    private func complete(_ trailers: HeaderList) {
        guard !self.isDone else { return }
        self.isDone = true
        if let (head, framing) = self.withheldHead { self.client?.head(head, framing: framing) }
        if let octets = self.withheldOctets { self.client?.body(octets) }
        self.client?.end(trailers: trailers)
        self.client?.flush()
    }

    private func report(_ failure: UpstreamFailure) {
        if self.hasResponse {
            if let (head, framing) = self.withheldHead { self.client?.head(head, framing: framing) }
            self.client?.breakOff(reset: failure.kind == .reset)
            return
        }
        let response = FailureResponse.make(failure)
        self.client?.head(response.head, framing: .length(response.body.readableBytes))
        self.client?.body(response.body)
        self.client?.end(trailers: HeaderList())
        self.client?.flush()
    }

    /// RFC 9110 section 9.2.2.
    private var isIdempotent: Bool {
        switch self.request.head.method {
        case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE": true
        default: false
        }
    }
}

@available(*, unavailable)
extension Relay: Sendable {}
