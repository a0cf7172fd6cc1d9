import NIOCore
import NIOTLS
import PlayheadHTTP
import PlayheadTLS

/// The client side of HTTP/1.1 on one connection to an origin: one request at a time, kept for the next one.
final class UpstreamConnection: ChannelDuplexHandler, RemovableChannelHandler, UpstreamExchange, PooledConnection {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum State {
        /// No request under way.
        case idle
        /// A request was begun; both flags tell what is complete.
        case busy(requestDone: Bool, responseDone: Bool)
        /// The response is complete, but the network read that brought it is still being delivered.
        case finishing(trailers: HeaderList)
        /// The origin answered 101: octets pass as they are.
        case switched
        case closed
    }

    let target: UpstreamTarget
    /// How requests are written for a proxy that forwards them; nil when the origin itself reads them.
    private let forward: ForwardedForm?
    private unowned let pool: UpstreamPool
    private var decoder = HTTP1ResponseDecoder()
    private var state = State.idle
    private var context: ChannelHandlerContext?
    private var receiver: (any UpstreamReceiver)?
    private var out = ByteBuffer()
    private var isChunked = false
    private var mustClose = false
    private var interimCount = 0
    private var hasResponseOctets = false
    /// Whether a network read is being delivered, and more of it may follow.
    private var isReading = false
    private var isPaused = false
    private var heldRead = false
    private var failure: UpstreamFailure?
    /// When it became idle, or its last progress, in the loop's coarse time.
    private(set) var lastActivity: NIODeadline
    /// Whether it has served a request before.
    private(set) var isReused = false

    init(target: UpstreamTarget, pool: UpstreamPool, forward: ForwardedForm? = nil) {
        self.target = target
        self.forward = forward
        self.pool = pool
        self.lastActivity = pool.now
    }

    var isWritable: Bool { self.context?.channel.isWritable ?? false }

    /// Whether a whole request was sent and not one octet of its response has come.
    var awaitsResponse: Bool {
        if case .busy(requestDone: true, _) = self.state { !self.hasResponseOctets } else { false }
    }

    var isIdle: Bool { if case .idle = self.state { true } else { false } }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // Abandoned while it was being opened.
        if case .closed = self.state { context.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: request

    func send(_ head: RequestHead, framing: BodyFraming, to receiver: any UpstreamReceiver) {
        guard let context = self.context, case .idle = self.state else {
            return receiver.upstreamFailed(.closed(self.target.description), beforeResponse: true)
        }
        self.receiver = receiver
        self.state = .busy(requestDone: false, responseDone: false)
        self.hasResponseOctets = false
        self.interimCount = 0
        self.isChunked = framing == .chunked
        self.lastActivity = self.pool.now
        self.decoder.expect(method: head.method)
        self.out.clear()
        var head = head
        self.forward?.apply(to: &head)
        if self.isChunked { head.headers.append(name: "Transfer-Encoding", value: "chunked") }
        HTTP1Encoder.write(head, into: &self.out)
        context.write(self.wrapOutboundOut(self.out), promise: nil)
    }

    func send(body octets: ByteBuffer) {
        guard let context = self.context, octets.readableBytes > 0 else { return }
        self.lastActivity = self.pool.now
        if self.isChunked {
            self.out.clear()
            HTTP1Encoder.writeChunkHeader(length: octets.readableBytes, into: &self.out)
            context.write(self.wrapOutboundOut(self.out), promise: nil)
            context.write(self.wrapOutboundOut(octets), promise: nil)
            self.out.clear()
            HTTP1Encoder.writeChunkEnd(into: &self.out)
            context.write(self.wrapOutboundOut(self.out), promise: nil)
        } else {
            context.write(self.wrapOutboundOut(octets), promise: nil)
        }
    }

    func sendEnd(trailers: HeaderList) {
        guard let context = self.context, case .busy(_, let responseDone) = self.state else { return }
        if self.isChunked {
            self.out.clear()
            HTTP1Encoder.writeLastChunk(trailers: trailers, into: &self.out)
            context.write(self.wrapOutboundOut(self.out), promise: nil)
        }
        self.state = .busy(requestDone: true, responseDone: responseDone)
        self.lastActivity = self.pool.now
    }

    func flush() { self.context?.flush() }

    func setPaused(_ paused: Bool) {
        guard paused != self.isPaused else { return }
        self.isPaused = paused
        if !paused {
            self.lastActivity = self.pool.now
            self.deliver()
            // What was delivered may be all that comes for a while.
            self.receiver?.upstreamReadComplete()
            if !self.isPaused, self.heldRead {
                self.heldRead = false
                self.context?.read()
            }
        }
    }

    func handOver(to receiver: any UpstreamReceiver) { self.receiver = receiver }

    func leave() { self.abandon() }

    func abandon() {
        self.receiver = nil
        self.state = .closed
        self.context?.close(promise: nil)
    }

    // MARK: channel

    func read(context: ChannelHandlerContext) {
        if self.isPaused { self.heldRead = true } else { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.lastActivity = self.pool.now
        switch self.state {
        case .busy: break
        case .finishing:
            self.mustClose = true
            return
        case .switched:
            self.receiver?.upstreamBody(self.unwrapInboundIn(data), endsChunk: false)
            return
        case .idle, .closed:
            // Octets that nobody asked for: they must never reach the next request.
            self.state = .closed
            return context.close(promise: nil)
        }
        self.isReading = true
        self.hasResponseOctets = true
        self.decoder.append(self.unwrapInboundIn(data))
        self.deliver()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.isReading = false
        if case .finishing(let trailers) = self.state { return self.release(trailers) }
        self.receiver?.upstreamReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { self.receiver?.upstreamBecameWritable() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted(let negotiated):
            guard negotiated == "h2" else { return self.pool.handshakeCompleted(self) }
            self.becomeHTTP2()?.confirm()
        case ChannelEvent.inputClosed:
            self.finishInput(context)
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.fail(context, UpstreamPool.failure(from: error, target: self.target))
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.finishInput(context)
        self.pool.connectionClosed(self)
        context.fireChannelInactive()
    }

    /// Hands the connection to the handlers of HTTP/2, before anything was sent over it.
    func becomeHTTP2() -> HTTP2OriginConnection? {
        guard let context = self.context else { return nil }
        self.state = .closed
        let connection = HTTP2OriginConnection(target: self.target, pool: self.pool)
        let frames = HTTP2Limits.clientHandler(delegate: connection)
        self.pool.replace(self, by: connection)
        do {
            try context.pipeline.syncOperations.addHandler(frames, position: .after(self))
            try context.pipeline.syncOperations.addHandler(connection, position: .after(frames))
        } catch {
            connection.fail(UpstreamPool.failure(from: error, target: self.target))
            context.close(promise: nil)
            return nil
        }
        if self.heldRead { context.read() }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
        return connection
    }

    func checkDeadline(now: NIODeadline, timeouts: ProxyTimeouts) {
        let busy = self.awaitsResponse ? timeouts.response ?? timeouts.idle : timeouts.idle
        let limit = self.isIdle ? timeouts.pooled : busy
        if now - self.lastActivity > .seconds(Int64(limit)) { self.timeOut(seconds: limit) }
    }

    /// Nothing has moved for `seconds`.
    private func timeOut(seconds: Int) {
        guard let context = self.context else { return }
        if self.isIdle {
            self.state = .closed
            context.close(promise: nil)
        } else if !self.isPaused {
            self.fail(context, .responseTimeout(self.target.description, seconds: seconds))
        }
    }

    // MARK: response

    private func deliver() {
        while !self.isPaused, case .busy = self.state {
            do {
                guard let part = try self.decoder.next() else { return }
                self.handle(part)
            } catch {
                guard let context = self.context else { return }
                return self.fail(context, .malformed(self.target.description, error.reason))
            }
        }
    }

    private func handle(_ part: ResponsePart) {
        switch part {
        case .informational(let head):
            self.interimCount += 1
            guard self.interimCount <= 32 else {
                if let context = self.context {
                    self.fail(context, .malformed(self.target.description, "more than 32 interim responses."))
                }
                return
            }
            self.receiver?.upstreamInformational(head)
        case .head(let head, let framing):
            if head.status == 101 { return self.switchProtocols(head) }
            if head.status == 407, let proxy = self.forward?.proxy, let context = self.context {
                return self.fail(context, .proxyAuthentication(proxy))
            }
            self.mustClose = Self.closes(head) || framing == .untilClose
            self.receiver?.upstreamHead(head, framing)
        case .body(let octets, let endsChunk):
            self.receiver?.upstreamBody(octets, endsChunk: endsChunk)
        case .end(let trailers):
            self.finishResponse(trailers)
        }
    }

    private func switchProtocols(_ head: ResponseHead) {
        if let context = self.context, let problem = self.receiver?.switchProblem(head) {
            return self.fail(context, .malformed(self.target.description, problem))
        }
        self.state = .switched
        self.receiver?.upstreamHead(head, .none)
        let first = self.decoder.takeRemaining()
        if first.readableBytes > 0 { self.receiver?.upstreamBody(first, endsChunk: false) }
    }

    private func finishResponse(_ trailers: HeaderList) {
        guard case .busy(let requestDone, _) = self.state else { return }
        self.isPaused = false
        if !requestDone { self.mustClose = true }
        self.state = .finishing(trailers: trailers)
        // Octets of the same read that follow the response were sent before anything else was asked: the connection
        // goes back to the pool only after they have shown.
        if !self.isReading { self.release(trailers) }
    }

    private func release(_ trailers: HeaderList) {
        let receiver = self.receiver
        self.receiver = nil
        let reusable = !self.mustClose && self.decoder.bufferedBytes == 0 && self.context?.channel.isActive == true
        if reusable {
            self.state = .idle
            self.isReused = true
            self.lastActivity = self.pool.now
            self.pool.release(self)
        } else {
            self.state = .closed
            self.context?.close(promise: nil)
        }
        receiver?.upstreamEnd(trailers)
    }

    private func finishInput(_ context: ChannelHandlerContext) {
        self.isReading = false
        switch self.state {
        case .busy: break
        case .finishing(let trailers):
            self.mustClose = true
            return self.release(trailers)
        case .switched:
            let receiver = self.receiver
            self.receiver = nil
            self.state = .closed
            context.close(promise: nil)
            receiver?.upstreamEnd(HeaderList())
            return
        case .idle, .closed:
            self.state = .closed
            return context.close(promise: nil)
        }
        self.isPaused = false
        self.deliver()
        guard case .busy = self.state else { return }
        do {
            if let part = try self.decoder.finish() { self.handle(part) }
        } catch {
            return self.fail(context, .closed(self.target.description))
        }
        if case .busy = self.state { self.fail(context, .closed(self.target.description)) }
    }

    private func fail(_ context: ChannelHandlerContext, _ failure: UpstreamFailure) {
        if case .finishing(let trailers) = self.state {
            self.mustClose = true
            return self.release(trailers)
        }
        let receiver = self.receiver
        self.receiver = nil
        if case .closed = self.state {} else { self.pool.connectionFailed(self, failure) }
        self.state = .closed
        context.close(promise: nil)
        receiver?.upstreamFailed(failure, beforeResponse: !self.hasResponseOctets)
    }

    /// Whether the origin will close after this response (RFC 9112 section 9.3).
    private static func closes(_ head: ResponseHead) -> Bool {
        let index = head.headers.firstIndex(of: "connection")
        if head.version == .http1_0 {
            guard index != nil else { return true }
            return !head.headers.members(of: "connection").contains { $0.lowercased() == "keep-alive" }
        }
        guard index != nil else { return false }
        return head.headers.members(of: "connection").contains { $0.lowercased() == "close" }
    }
}

@available(*, unavailable)
extension UpstreamConnection: Sendable {}
