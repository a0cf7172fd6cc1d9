import NIOCore
import NIOHTTP2
import PlayheadHTTP
import PlayheadTLS

/// One client connection that speaks HTTP/2: gives each frame to the stream it belongs to.
///
/// Reading never stops here: what clients may send ahead is bounded by the windows of the streams. While the network
/// takes no more, no new request is begun, so a client that asks and does not read gets no further answers.
final class HTTP2ClientConnection: ChannelInboundHandler, ClientConnection, NIOHTTP2FrameDelegate {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    let loop: ProxyLoop
    let core: ProxyCore
    let door: Door
    /// The session of requests that name none.
    let session: CassetteSession
    let lease: LeasedSession?
    /// The instances of Playhead that the tunnel was asked for through.
    let trail: HopTrail
    private(set) var context: ChannelHandlerContext?
    private var streams: [HTTP2StreamID: HTTP2ClientStream] = [:]
    /// Requests that wait until the network takes answers again.
    private var waiting: [HTTP2ClientStream] = []
    private var window = HTTP2ReceiveWindow(size: HTTP2Limits.connectionWindow)
    private var lastStream = HTTP2StreamID.rootStream
    /// Streams that are over; whoever ended one may not be done with it, so they are let go of a moment later.
    private var retired: [HTTP2ClientStream] = []
    private var isReading = false
    private var needsFlush = false
    private var malformedCount = 0
    /// No further streams are taken: the connection ends with the last of those under way.
    private var isLeaving = false
    private var isClosing = false
    /// A GOAWAY with an error went out.
    private var hasFailed = false
    private var idleSince: NIODeadline

    init(
        loop: ProxyLoop, door: Door, session: CassetteSession, lease: LeasedSession? = nil,
        trail: HopTrail = HopTrail()
    ) {
        self.trail = trail
        self.loop = loop
        self.core = loop.core
        self.door = door
        self.session = session
        self.lease = lease
        self.idleSince = loop.now
    }

    var isWritable: Bool { self.context?.channel.isWritable ?? false }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.loop.add(self)
        self.write(
            .rootStream,
            .windowUpdate(
                windowSizeIncrement: HTTP2Limits.connectionWindow - HTTP2Limits.initialConnectionWindow))
        self.flush()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        self.retired = []
        self.loop.remove(self)
    }

    // MARK: inbound

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !self.isReading { self.retired = [] }
        self.isReading = true
        let frame = self.unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let headers):
            if let stream = self.streams[frame.streamID] {
                stream.receive(trailers: headers.headers)
            } else {
                self.open(frame.streamID, headers)
            }
        case .data(let data):
            guard case .byteBuffer(let octets) = data.data else { return }
            let count = octets.readableBytes + (data.paddingBytes.map { $0 + 1 } ?? 0)
            self.streams[frame.streamID]?.receive(octets, windowOctets: count, endsStream: data.endStream)
            // Only now: NIOHTTP2 tells the end of a stream within the next write.
            if let increment = self.window.take(count) {
                self.write(.rootStream, .windowUpdate(windowSizeIncrement: increment))
            }
        case .goAway: self.isLeaving = true
        case .rstStream, .windowUpdate, .settings, .ping, .priority, .pushPromise, .alternativeService, .origin: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.isReading = false
        self.flushIfNeeded()
        self.closeIfDone()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard context.channel.isWritable else { return }
        for stream in Array(self.streams.values) { stream.networkBecameWritable() }
        while self.isWritable, !self.waiting.isEmpty { self.waiting.removeFirst().start() }
        self.flushIfNeeded()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let event as StreamClosedEvent:
            guard let stream = self.streams.removeValue(forKey: event.streamID) else { return }
            self.waiting.removeAll { $0 === stream }
            self.retired.append(stream)
            stream.closed()
            self.idleSince = self.loop.now
            if !self.isReading { self.closeIfDone() }
        case ChannelEvent.inputClosed:
            self.isLeaving = true
            for stream in Array(self.streams.values) { stream.inputClosed() }
            self.flushIfNeeded()
            self.closeIfDone()
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    /// Errors of one stream have closed that stream already; others end the connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard self.hasFailed || error is TLSError || error is IOError || error is ChannelError else { return }
        context.close(promise: nil)
    }

    func wroteFrame(_ frame: HTTP2Frame) {
        if case .goAway(_, let code, _) = frame.payload, code != .noError { self.hasFailed = true }
    }

    func channelInactive(context: ChannelHandlerContext) {
        let streams = Array(self.streams.values)
        self.streams = [:]
        self.waiting = []
        self.retired += streams
        for stream in streams { stream.closed() }
        context.fireChannelInactive()
    }

    private func open(_ id: HTTP2StreamID, _ headers: HTTP2Frame.FramePayload.Headers) {
        do {
            let (head, framing) = try HTTP2Fields.request(
                headers.headers, endsStream: headers.endStream, through: self.door)
            let stream = HTTP2ClientStream(id: id, connection: self, head: head, framing: framing)
            self.streams[id] = stream
            if self.lastStream == .rootStream, case .tunnel(let authority, isSecure: true) = self.door {
                self.session.noteServed(host: authority.host)
            }
            self.lastStream = max(self.lastStream, id)
            if self.isWritable { stream.start() } else { self.waiting.append(stream) }
        } catch {
            self.malformedCount += 1
            guard self.malformedCount <= HTTP2Limits.malformedRequests else { return self.fail(.enhanceYourCalm) }
            self.write(id, .rstStream(.protocolError))
        }
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

    private func fail(_ code: HTTP2ErrorCode) {
        self.write(.rootStream, .goAway(lastStreamID: self.lastStream, errorCode: code, opaqueData: nil))
        self.needsFlush = false
        self.context?.flush()
        self.context?.close(promise: nil)
    }

    // MARK: the end

    func closeNow() {
        for stream in Array(self.streams.values) { stream.stop() }
        self.context?.close(promise: nil)
    }

    func checkDeadline(now: NIODeadline, isDraining: Bool) {
        let timeouts = self.core.settings.timeouts
        for stream in Array(self.streams.values) {
            stream.checkDeadline(now: now, limit: timeouts.idle + 5)
            if isDraining { stream.drain() }
        }
        if isDraining || (self.streams.isEmpty && now - self.idleSince > .seconds(Int64(timeouts.keepAlive))) {
            self.leave()
        }
    }

    /// Takes no further requests, and closes after those under way (RFC 9113 section 6.8).
    private func leave() {
        if !self.isLeaving {
            self.isLeaving = true
            self.write(.rootStream, .goAway(lastStreamID: self.lastStream, errorCode: .noError, opaqueData: nil))
        }
        self.flush()
        self.closeIfDone()
    }

    private func closeIfDone() {
        guard self.isLeaving, !self.isClosing, self.streams.isEmpty, let context = self.context else { return }
        self.isClosing = true
        // What was written goes out first: a plain close would drop what waits.
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in self.context?.close(promise: nil) }
        self.write(.rootStream, .ping(HTTP2PingData(withInteger: 0), ack: false), promise: sent)
        self.needsFlush = false
        context.flush()
    }
}

@available(*, unavailable)
extension HTTP2ClientConnection: Sendable {}
