import NIOCore
import NIOHPACK
import NIOHTTP2
import PlayheadHTTP
import PlayheadTLS

/// One connection to an origin that speaks HTTP/2: gives each frame to the stream it belongs to.
///
/// Reading never stops here: what an origin may send ahead is bounded by the windows of the streams.
final class HTTP2OriginConnection: ChannelInboundHandler, PooledConnection, NIOHTTP2FrameDelegate {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// Stream identifiers run out; a connection that has used so many is replaced (RFC 9113 section 5.1.1).
    private static let lastUsableStream = 1 << 30

    let target: UpstreamTarget
    let pool: UpstreamPool
    private(set) var lastActivity: NIODeadline
    private let openedAt: NIODeadline
    private(set) var context: ChannelHandlerContext?
    private var streams: [HTTP2StreamID: HTTP2OriginStream] = [:]
    private var nextStream = 1
    /// How many streams the origin takes at once; RFC 9113 section 6.5.2 sets no limit before it says so.
    private var streamLimit = HTTP2Limits.concurrentStreams
    /// Whether the origin opens WebSockets over streams (RFC 8441 section 3); nil until its SETTINGS have come.
    private(set) var takesWebSockets: Bool?
    private var settingsWaiters: [(Bool) -> Void] = []
    private var window = HTTP2ReceiveWindow(size: HTTP2Limits.connectionWindow)
    /// Streams that got something of the network read that is being delivered.
    private var touched: [HTTP2OriginStream] = []
    private var isReading = false
    private var needsFlush = false
    /// Whether the origin is known to speak HTTP/2.
    private var isConfirmed = false
    /// No further streams are begun.
    private var isLeaving = false
    /// The last stream that the origin says it looked at, after its GOAWAY.
    private var lastProcessed: HTTP2StreamID?
    /// Why streams behind that one were not looked at.
    private var unprocessedReason = HTTP2ErrorCode.refusedStream
    /// A GOAWAY with an error went out.
    private var hasFailed = false
    private var failure: UpstreamFailure?

    init(target: UpstreamTarget, pool: UpstreamPool) {
        self.target = target
        self.pool = pool
        self.lastActivity = pool.now
        self.openedAt = pool.now
    }

    var isWritable: Bool { self.context?.channel.isWritable ?? false }

    /// Whether another request may be begun.
    var takesStreams: Bool {
        !self.isLeaving && self.streams.count < self.streamLimit && self.nextStream < Self.lastUsableStream
            && self.context?.channel.isActive == true
    }

    var isIdle: Bool { self.streams.isEmpty }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.write(
            .rootStream,
            .windowUpdate(windowSizeIncrement: HTTP2Limits.connectionWindow - HTTP2Limits.initialConnectionWindow))
        self.flush()
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// It is known that the origin speaks HTTP/2: by ALPN, or since its SETTINGS came.
    func confirm() {
        guard !self.isConfirmed else { return }
        self.isConfirmed = true
        self.pool.confirmed(self)
    }

    // MARK: streams

    /// The way of one more request; its stream begins with the request.
    func stream() -> HTTP2OriginStream { HTTP2OriginStream(connection: self, isReused: self.nextStream > 1) }

    /// Begins a stream; nil if the connection takes no more.
    func begin(_ stream: HTTP2OriginStream, _ fields: HPACKHeaders, endsStream: Bool) -> HTTP2StreamID? {
        guard !self.isLeaving, self.context != nil, self.nextStream < Self.lastUsableStream else { return nil }
        let id = HTTP2StreamID(self.nextStream)
        self.nextStream += 2
        self.streams[id] = stream
        self.lastActivity = self.pool.now
        self.write(id, .headers(.init(headers: fields, endStream: endsStream)))
        return id
    }

    // MARK: inbound

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.isReading = true
        self.lastActivity = self.pool.now
        let frame = self.unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let headers):
            guard let stream = self.streams[frame.streamID] else { return }
            self.touched.append(stream)
            stream.receive(headers.headers, endsStream: headers.endStream)
        case .data(let data):
            guard case .byteBuffer(let octets) = data.data else { return }
            let count = octets.readableBytes + (data.paddingBytes.map { $0 + 1 } ?? 0)
            if let stream = self.streams[frame.streamID] {
                self.touched.append(stream)
                stream.receive(octets, windowOctets: count, endsStream: data.endStream)
            }
            // Only now: NIOHTTP2 tells the end of a stream within the next write.
            if let increment = self.window.take(count) {
                self.write(.rootStream, .windowUpdate(windowSizeIncrement: increment))
            }
        case .rstStream(let code): self.streams[frame.streamID]?.receive(reset: code)
        case .goAway(let last, let code, _):
            if code == .http11Required { self.unprocessedReason = code }
            self.receiveGoAway(last)
        case .settings(.settings(let settings)):
            self.receive(settings)
        case .settings(.ack), .windowUpdate, .ping, .priority, .pushPromise, .alternativeService, .origin: break
        }
    }

    private func receive(_ settings: HTTP2Settings) {
        var takesWebSockets = self.takesWebSockets ?? false
        for setting in settings {
            switch setting.parameter {
            case .maxConcurrentStreams: self.streamLimit = setting.value
            case .enableConnectProtocol: takesWebSockets = setting.value == 1
            default: break
            }
        }
        self.takesWebSockets = takesWebSockets
        self.pool.origins.noteWebSockets(self.target, taken: takesWebSockets)
        self.confirm()
        self.answerWaiters(takesWebSockets)
    }

    /// Says whether WebSockets are opened over streams, as soon as the origin has told.
    func whenSettingsCome(_ completion: @escaping (Bool) -> Void) {
        if let known = self.takesWebSockets { return completion(known) }
        guard self.context != nil else { return completion(false) }
        self.settingsWaiters.append(completion)
    }

    private func answerWaiters(_ takesWebSockets: Bool) {
        let waiters = self.settingsWaiters
        self.settingsWaiters = []
        for waiter in waiters { waiter(takesWebSockets) }
    }

    private func receiveGoAway(_ last: HTTP2StreamID) {
        self.lastProcessed = last
        self.leave()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.isReading = false
        let touched = self.touched
        self.touched = []
        for stream in touched { stream.readComplete() }
        self.flushIfNeeded()
        self.closeIfDone()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard context.channel.isWritable else { return }
        for stream in Array(self.streams.values) { stream.unblockIfWritable() }
        self.flushIfNeeded()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let event as StreamClosedEvent:
            guard let stream = self.streams.removeValue(forKey: event.streamID) else { return }
            self.touched.append(stream)
            let isUnprocessed = self.lastProcessed.map { event.streamID > $0 } ?? false
            stream.closed(isUnprocessed ? self.unprocessedReason : event.reason)
            self.lastActivity = self.pool.now
            if !self.isReading { self.channelReadComplete(context: context) }
        case ChannelEvent.inputClosed: self.fail(.closed(self.target.description))
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    /// Errors of one stream have reset that stream already; others end the connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case is TLSError, is IOError, is ChannelError: self.fail(UpstreamPool.failure(from: error, target: self.target))
        default:
            guard self.hasFailed || !self.isConfirmed else { return }
            self.fail(.malformed(self.target.description, "its HTTP/2 breaks the protocol (\(error))."))
        }
    }

    func wroteFrame(_ frame: HTTP2Frame) {
        if case .goAway(_, let code, _) = frame.payload, code != .noError { self.hasFailed = true }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.end(self.failure ?? .closed(self.target.description))
        context.fireChannelInactive()
    }

    // MARK: outbound

    func write(_ id: HTTP2StreamID, _ payload: HTTP2Frame.FramePayload, promise: EventLoopPromise<Void>? = nil) {
        guard let context = self.context else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        self.needsFlush = true
        context.write(self.wrapOutboundOut(HTTP2Frame(streamID: id, payload: payload)), promise: promise)
    }

    /// Hands what was written to the network: at the end of the network read that is being delivered, or now.
    func flush() {
        if !self.isReading { self.flushIfNeeded() }
    }

    private func flushIfNeeded() {
        guard self.needsFlush else { return }
        self.needsFlush = false
        self.context?.flush()
    }

    // MARK: the end

    /// Begins no further streams; closes after those under way.
    func leave() {
        self.isLeaving = true
        self.pool.left(self)
        if !self.isReading { self.closeIfDone() }
    }

    func abandon() { self.fail(.closed(self.target.description)) }

    func checkDeadline(now: NIODeadline, timeouts: ProxyTimeouts) {
        for stream in Array(self.streams.values) { stream.checkDeadline(now: now, timeouts: timeouts) }
        // SETTINGS belong to the first octets of a connection (RFC 9113 section 3.4).
        if !self.settingsWaiters.isEmpty, now - self.openedAt > .seconds(Int64(timeouts.handshake)) {
            self.answerWaiters(false)
        }
        self.flush()
        if self.isIdle, now - self.lastActivity > .seconds(Int64(timeouts.pooled)) { self.leave() }
    }

    /// Ends the connection and all its streams.
    func fail(_ failure: UpstreamFailure) {
        self.failure = self.failure ?? failure
        let context = self.context
        self.end(failure)
        context?.close(promise: nil)
    }

    private func end(_ failure: UpstreamFailure) {
        self.isLeaving = true
        let streams = Array(self.streams.values)
        self.streams = [:]
        self.pool.left(self)
        self.pool.connectionFailed(self, failure)
        self.pool.connectionClosed(self)
        for stream in streams { stream.connectionEnded(failure) }
        self.answerWaiters(false)
    }

    private func closeIfDone() {
        guard self.isLeaving, self.streams.isEmpty, let context = self.context else { return }
        // Whoever ended the last stream may still be at work on it.
        context.eventLoop.assumeIsolated().execute { self.context?.close(promise: nil) }
    }
}

@available(*, unavailable)
extension HTTP2OriginConnection: Sendable {}
