import NIOCore
import PlayheadHTTP
import Synchronization

/// One connection to the admin API: requests are read whole, answered one after the other.
///
/// The gate judges the head before the body is read. Bounded: the head by the decoder, the body by `bodyLimit`, the
/// time of each stage by ``AdminTimes``.
final class AdminConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = Never
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Stage {
        case reading
        /// A request is being answered; what else comes waits.
        case answering
        /// An answer is on its way, in pieces; what else comes waits. Afterwards the connection goes on or ends.
        case sending(keepsAlive: Bool)
        /// Events are sent until the client leaves; what it still sends is dropped.
        case streaming(AdminEventStream)
        /// The last answer was sent; what still comes is dropped.
        case closing
    }

    /// The most octets of a request body.
    static let bodyLimit = 1 << 20
    /// The most octets that are written at once: each piece that the client took shows that it reads.
    static let pieceLength = 256 << 10
    /// The most event streams at once: each takes one of the connections for as long as its client likes.
    static let streamLimit = 64

    private let service: AdminService
    private let times: AdminTimes
    private var stage = Stage.reading
    private var decoder = HTTP1RequestDecoder(
        limits: HTTP1Limits(startLine: 8 * 1024, field: 16 * 1024, headBytes: 32 * 1024, fieldCount: 100))
    private var head: RequestHead?
    private var body = ByteBuffer()
    private var heldRead = false
    /// The client has ended its side; requests that are complete are still answered.
    private var isInputClosed = false
    /// Pieces that the client has not taken yet.
    private var piecesUnderWay = 0
    private var deadline: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    init(service: AdminService, times: AdminTimes) {
        self.service = service
        self.times = times
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.startDeadline(self.times.request, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        self.deadline?.cancel()
        self.endStream()
        self.stage = .closing
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.endStream()
        self.stage = .closing
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.stage {
        case .reading, .answering, .sending:
            self.decoder.append(self.unwrapInboundIn(data))
            self.pump(context)
        case .streaming, .closing: break
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if case .streaming(let stream) = self.stage { stream.pump() }
        context.fireChannelWritabilityChanged()
    }

    func read(context: ChannelHandlerContext) {
        // One request's worth of pipelined octets may wait; more is not read.
        switch self.stage {
        case .answering where self.decoder.bufferedBytes > 0, .sending where self.decoder.bufferedBytes > 0:
            self.heldRead = true
        default: context.read()
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A client that ends its side still gets the answer to a request that is complete.
        if case ChannelEvent.inputClosed = event {
            switch self.stage {
            case .reading, .streaming, .closing: context.close(promise: nil)
            case .answering, .sending: self.isInputClosed = true
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// Closes the connection after a time, or does something else then; one deadline at a time.
    private func startDeadline(
        _ time: TimeAmount, _ context: ChannelHandlerContext,
        then act: @escaping (AdminConnectionHandler, ChannelHandlerContext) -> Void = { $1.close(promise: nil) }
    ) {
        self.deadline?.cancel()
        let bound = NIOLoopBound((self, act), eventLoop: context.eventLoop)
        self.deadline = context.eventLoop.scheduleTask(in: time) {
            let (handler, act) = bound.value
            if let context = handler.context { act(handler, context) }
        }
    }

    // MARK: requests

    private func pump(_ context: ChannelHandlerContext) {
        do {
            while case .reading = self.stage, let part = try self.decoder.next() {
                switch part {
                case .head(let head, let framing): self.begin(head, framing, context)
                case .body(let octets, _):
                    self.body.writeImmutableBuffer(octets)
                    if self.body.readableBytes > Self.bodyLimit { self.refuseSize(context) }
                case .end: self.dispatch(context)
                }
            }
        } catch {
            self.send(.problem(error.status, error.reason), to: nil, keepsAlive: false, context)
        }
    }

    private func begin(_ head: RequestHead, _ framing: BodyFraming, _ context: ChannelHandlerContext) {
        if let refusal = self.service.gate.refusal(of: head) {
            self.send(.problem(refusal.status, refusal.reason), to: head, keepsAlive: false, context)
            return
        }
        if case .length(let length) = framing, length > Self.bodyLimit { return self.refuseSize(context) }
        self.head = head
        self.body.clear()
        if framing != .none, head.headers.first("expect")?.lowercased() == "100-continue" {
            var out = context.channel.allocator.buffer(capacity: 32)
            HTTP1Encoder.write(ResponseHead(status: 100, reason: "Continue"), into: &out)
            context.writeAndFlush(self.wrapOutboundOut(out), promise: nil)
        }
    }

    private func refuseSize(_ context: ChannelHandlerContext) {
        let limit = Self.bodyLimit >> 20
        self.send(
            .problem(413, "A request body has at most \(limit) MiB here."), to: self.head, keepsAlive: false, context)
    }

    private func dispatch(_ context: ChannelHandlerContext) {
        guard let head = self.head else { return }
        self.head = nil
        self.stage = .answering
        self.startDeadline(self.times.answer, context) { handler, context in
            handler.send(.problem(503, "The answer took too long to make."), to: nil, keepsAlive: false, context)
        }
        let request = AdminRequest(
            method: head.method, target: head.target, headers: head.headers, body: self.body)
        self.body = ByteBuffer()
        let service = self.service
        context.eventLoop.makeFutureWithTask { await service.answer(request) }
            .assumeIsolated().whenSuccess { response in
                guard let context = self.context, case .answering = self.stage else { return }
                self.send(response, to: head, keepsAlive: Self.asksToKeepAlive(head), context)
            }
    }

    private static func asksToKeepAlive(_ head: RequestHead) -> Bool {
        head.version == .http1_1 && !head.headers.members(of: "connection").contains { $0.lowercased() == "close" }
    }

    // MARK: answers

    private func send(
        _ response: AdminResponse, to head: RequestHead?, keepsAlive: Bool, _ context: ChannelHandlerContext
    ) {
        if let feed = response.events, let head, head.method != "HEAD" {
            return self.stream(feed, response, isChunked: head.version == .http1_1, context)
        }
        var headers = response.headers
        if response.events == nil, response.status != 204 {
            headers.append(name: "Content-Length", value: "\(response.body.readableBytes)")
        }
        if !keepsAlive { headers.append(name: "Connection", value: "close") }
        var out = context.channel.allocator.buffer(capacity: 512)
        HTTP1Encoder.write(
            ResponseHead(
                status: response.status, reason: AdminResponse.reason(response.status), headers: headers), into: &out)
        if head?.method != "HEAD" { out.writeImmutableBuffer(response.body) }
        self.stage = .sending(keepsAlive: keepsAlive)
        self.write(out, context)
        self.release(context)
    }

    /// Writes in pieces; ``wrote()`` is called for each that the client's side took.
    private func write(_ octets: ByteBuffer, _ context: ChannelHandlerContext) {
        var rest = octets
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        if self.piecesUnderWay == 0 { self.startDeadline(self.times.progress, context) }
        while let piece = rest.readSlice(length: min(rest.readableBytes, Self.pieceLength)), piece.readableBytes > 0 {
            self.piecesUnderWay += 1
            let taken = context.eventLoop.makePromise(of: Void.self)
            // What fails is followed by the end of the connection.
            taken.futureResult.assumeIsolated().whenSuccess { bound.value.wrote() }
            context.write(self.wrapOutboundOut(piece), promise: taken)
        }
        context.flush()
    }

    /// A piece was taken, or will never be.
    private func wrote() {
        self.piecesUnderWay -= 1
        guard let context = self.context else { return }
        guard self.piecesUnderWay == 0 else { return self.startDeadline(self.times.progress, context) }
        switch self.stage {
        case .sending(true): self.readOn(context)
        case .sending(false): self.finish(context)
        case .streaming: self.deadline?.cancel()
        case .reading, .answering, .closing: break
        }
    }

    /// The next request of a connection that goes on.
    private func readOn(_ context: ChannelHandlerContext) {
        self.stage = .reading
        self.startDeadline(self.times.request, context)
        self.pump(context)
        if self.isInputClosed, case .reading = self.stage { return self.finish(context) }
        self.release(context)
    }

    /// Reads on where a read was held back, unless it still has to be.
    private func release(_ context: ChannelHandlerContext) {
        guard self.heldRead else { return }
        self.heldRead = false
        self.read(context: context)
    }

    /// Sends the head, then events until the client leaves.
    private func stream(
        _ feed: EventFeed, _ response: AdminResponse, isChunked: Bool, _ context: ChannelHandlerContext
    ) {
        guard self.service.streams.load(ordering: .relaxed) < Self.streamLimit else {
            return self.send(
                .problem(503, "There are \(Self.streamLimit) event streams already."), to: nil, keepsAlive: false,
                context)
        }
        self.service.streams.add(1, ordering: .relaxed)
        var headers = response.headers
        headers.append(name: isChunked ? "Transfer-Encoding" : "Connection", value: isChunked ? "chunked" : "close")
        var out = context.channel.allocator.buffer(capacity: 512)
        HTTP1Encoder.write(
            ResponseHead(
                status: response.status, reason: AdminResponse.reason(response.status), headers: headers), into: &out)
        let stream = AdminEventStream(feed, channel: context.channel, isChunked: isChunked) { octets in
            guard let context = self.context else { return }
            self.write(octets, context)
        }
        self.stage = .streaming(stream)
        self.deadline?.cancel()
        self.write(out, context)
        stream.start()
        self.release(context)
    }

    private func endStream() {
        guard case .streaming(let stream) = self.stage else { return }
        stream.stop()
        self.service.streams.subtract(1, ordering: .relaxed)
    }

    /// Ends our side so that the client sees the answer although it may still be sending (RFC 9112 section 9.6).
    private func finish(_ context: ChannelHandlerContext) {
        self.stage = .closing
        context.close(mode: .output, promise: nil)
        self.startDeadline(.seconds(2), context)
        self.release(context)
    }
}

@available(*, unavailable)
extension AdminConnectionHandler: Sendable {}
