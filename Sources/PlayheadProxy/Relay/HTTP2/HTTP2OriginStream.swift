import NIOCore
import NIOHPACK
import NIOHTTP2
import PlayheadHTTP

/// The way of one request to an origin over HTTP/2.
final class HTTP2OriginStream: UpstreamExchange {
    /// What came from the origin while the receiver could not take it.
    private enum Part {
        case fields(HPACKHeaders, endsStream: Bool)
        case data(ByteBuffer, windowOctets: Int, endsStream: Bool)
        case failure(UpstreamFailure)
    }

    /// How long an origin may take to end a stream that we left.
    private static let goodbyeSeconds = 10

    let isReused: Bool
    let connection: HTTP2OriginConnection
    private var id: HTTP2StreamID?
    private var receiver: (any UpstreamReceiver)?
    private(set) var lastActivity: NIODeadline
    /// No frame may be sent any more.
    private var isClosed = false

    // The request.
    private var isRequestDone = false
    /// The key of the WebSocket that is asked for: the stream stays open behind its head (RFC 8441).
    private var socketKey: String?
    private let backlog = HTTP2Backlog()
    private var isBlocked = false

    // The response.
    private var isToHead = false
    private var interimCount = 0
    private var framing: BodyFraming?
    private var hasResponseOctets = false
    /// The origin has ended the stream; what it sent may still be held.
    private var hasEnd = false
    private var resetCode: HTTP2ErrorCode?
    private var held = CircularBuffer<Part>()
    private var isPaused = false
    private var isDelivering = false
    private var window = HTTP2ReceiveWindow(size: HTTP2Limits.streamWindow)

    init(connection: HTTP2OriginConnection, isReused: Bool) {
        self.connection = connection
        self.isReused = isReused
        self.lastActivity = connection.lastActivity
    }

    private var address: String { self.connection.target.description }

    private var now: NIODeadline { self.connection.pool.now }

    // MARK: request

    var isWritable: Bool {
        if !self.backlog.isFull, self.connection.isWritable { return true }
        self.isBlocked = true
        return false
    }

    func send(_ head: RequestHead, framing: BodyFraming, to receiver: any UpstreamReceiver) {
        let target = self.connection.target
        var fields = HTTP2Fields.fields(
            of: head, scheme: target.isSecure ? "https" : "http", authority: target.authority)
        if head.headers.contains("upgrade") {
            self.socketKey = head.headers.first("sec-websocket-key")
            fields = ExtendedConnect.asking(fields)
        }
        self.isToHead = head.method == "HEAD"
        self.isRequestDone = framing == .none && self.socketKey == nil
        self.lastActivity = self.now
        guard let id = self.connection.begin(self, fields, endsStream: self.isRequestDone) else {
            var failure = UpstreamFailure.closed(self.address)
            failure.isUnprocessed = true
            return receiver.upstreamFailed(failure, beforeResponse: true)
        }
        self.receiver = receiver
        self.id = id
    }

    func send(body octets: ByteBuffer) {
        if octets.readableBytes > 0 { self.write(octets, endsStream: false) }
    }

    func sendEnd(trailers: HeaderList) {
        guard !self.isRequestDone, !self.isClosed, self.socketKey == nil, let id = self.id else { return }
        self.isRequestDone = true
        self.lastActivity = self.now
        guard !trailers.isEmpty else { return self.write(ByteBuffer(), endsStream: true) }
        self.connection.write(id, .headers(.init(headers: HTTP2Fields.fields(of: trailers), endStream: true)))
    }

    func flush() { self.connection.flush() }

    private func write(_ octets: ByteBuffer, endsStream: Bool) {
        guard !self.isClosed, let id = self.id else { return }
        self.lastActivity = self.now
        let promise = self.backlog.promise(for: octets.readableBytes, nil, on: self.connection.pool.eventLoop) {
            self.lastActivity = self.now
            self.unblockIfWritable()
        }
        self.connection.write(id, .data(.init(data: .byteBuffer(octets), endStream: endsStream)), promise: promise)
    }

    func unblockIfWritable() {
        guard self.isBlocked, !self.isClosed, self.backlog.hasRoom, self.connection.isWritable else { return }
        self.isBlocked = false
        self.receiver?.upstreamBecameWritable()
        self.connection.flush()
    }

    // MARK: response

    func receive(_ fields: HPACKHeaders, endsStream: Bool) { self.receive(.fields(fields, endsStream: endsStream)) }

    func receive(_ octets: ByteBuffer, windowOctets: Int, endsStream: Bool) {
        self.receive(.data(octets, windowOctets: windowOctets, endsStream: endsStream))
    }

    func receive(reset code: HTTP2ErrorCode) { self.resetCode = code }

    private func receive(_ part: Part) {
        self.lastActivity = self.now
        self.hasResponseOctets = true
        switch part {
        case .fields(_, endsStream: true), .data(_, windowOctets: _, endsStream: true): self.hasEnd = true
        case .fields, .data, .failure: break
        }
        self.held.append(part)
        self.deliver()
    }

    func setPaused(_ paused: Bool) {
        guard paused != self.isPaused else { return }
        self.isPaused = paused
        guard !paused else { return }
        self.lastActivity = self.now
        self.deliver()
        // What was delivered may be all that comes for a while.
        self.receiver?.upstreamReadComplete()
        self.connection.flush()
    }

    /// All that one network read brought was delivered.
    func readComplete() { self.receiver?.upstreamReadComplete() }

    private func deliver() {
        // What is delivered may lead back here.
        guard !self.isDelivering else { return }
        self.isDelivering = true
        defer { self.isDelivering = false }
        while !self.isPaused, self.receiver != nil, let part = self.held.popFirst() {
            switch part {
            case .fields(let fields, let endsStream): self.take(fields, endsStream)
            case .data(let octets, let windowOctets, let endsStream):
                if !self.hasEnd, !self.isClosed, let id = self.id, let increment = self.window.take(windowOctets) {
                    self.connection.write(id, .windowUpdate(windowSizeIncrement: increment))
                }
                if octets.readableBytes > 0, self.framing != BodyFraming.none {
                    self.receiver?.upstreamBody(octets, endsChunk: true)
                }
                if endsStream { self.finish(HeaderList()) }
            case .failure(let failure): self.report(failure)
            }
        }
    }

    private func take(_ fields: HPACKHeaders, _ endsStream: Bool) {
        do throws(MalformedMessage) {
            guard self.framing == nil else { return self.finish(try HTTP2Fields.trailers(fields)) }
            let (head, framing) = try HTTP2Fields.response(fields, toHead: self.isToHead)
            guard head.status >= 200 else {
                self.interimCount += 1
                guard self.interimCount <= 32 else { throw MalformedMessage(reason: "more than 32 interim responses") }
                self.receiver?.upstreamInformational(head)
                return
            }
            if let key = self.socketKey, (200..<300).contains(head.status) {
                self.switchProtocols(ExtendedConnect.agreed(head, key: key))
            } else {
                self.framing = framing
                self.receiver?.upstreamHead(head, framing)
            }
            if endsStream { self.finish(HeaderList()) }
        } catch {
            self.report(.malformed(self.address, "\(error.reason)."))
            self.reset(.protocolError)
        }
    }

    private func switchProtocols(_ head: ResponseHead) {
        if let problem = self.receiver?.switchProblem(head) {
            self.report(.malformed(self.address, problem))
            return self.reset(.protocolError)
        }
        self.framing = .untilClose
        self.receiver?.upstreamHead(head, .none)
    }

    func handOver(to receiver: any UpstreamReceiver) { self.receiver = receiver }

    private func finish(_ trailers: HeaderList) {
        let receiver = self.receiver
        self.receiver = nil
        if self.socketKey != nil {
            self.endOurSide()
        } else if !self.isRequestDone {
            // The origin has answered without waiting for the whole request: the rest is not wanted.
            self.reset(.cancel)
        }
        receiver?.upstreamEnd(trailers)
    }

    private func endOurSide() {
        guard !self.isRequestDone else { return }
        self.isRequestDone = true
        self.write(ByteBuffer(), endsStream: true)
    }

    // MARK: the end

    func abandon() {
        self.receiver = nil
        self.held.removeAll()
        self.reset(.cancel)
        self.connection.flush()
    }

    /// The origin may still end its side, but nobody waits for that long.
    func leave() {
        self.receiver = nil
        self.held.removeAll()
        self.isPaused = false
        self.endOurSide()
        self.connection.flush()
    }

    /// The stream is over; `reason` is nil in good order.
    func closed(_ reason: HTTP2ErrorCode?) {
        self.isClosed = true
        guard !self.hasEnd else { return }
        if reason == .http11Required || self.resetCode == .http11Required {
            self.connection.pool.origins.noteHTTP1Required(self.connection.target)
            return self.failLater(.http1Required(self.address))
        }
        if reason == .refusedStream || self.resetCode == .refusedStream {
            return self.failLater(.streamReset(self.address, "REFUSED_STREAM", isUnprocessed: true))
        }
        if let code = self.resetCode { return self.failLater(.streamReset(self.address, "\(code)")) }
        self.failLater(.malformed(self.address, "a stream broke the rules of HTTP/2."))
    }

    func connectionEnded(_ failure: UpstreamFailure) {
        self.isClosed = true
        if !self.hasEnd { self.failLater(failure) }
    }

    func checkDeadline(now: NIODeadline, timeouts: ProxyTimeouts) {
        let isAsked = self.isRequestDone || self.socketKey != nil
        let awaitsResponse = isAsked && !self.hasResponseOctets
        var limit = awaitsResponse ? timeouts.response ?? timeouts.idle : timeouts.idle
        if self.receiver == nil { limit = min(limit, Self.goodbyeSeconds) }
        guard !self.isPaused, now - self.lastActivity > .seconds(Int64(limit)) else { return }
        self.report(.responseTimeout(self.address, seconds: limit))
        self.reset(.cancel)
    }

    /// What came before the failure is delivered first.
    private func failLater(_ failure: UpstreamFailure) {
        self.held.append(.failure(failure))
        self.deliver()
    }

    private func report(_ failure: UpstreamFailure) {
        let receiver = self.receiver
        self.receiver = nil
        self.held.removeAll()
        receiver?.upstreamFailed(failure, beforeResponse: self.framing == nil)
    }

    private func reset(_ code: HTTP2ErrorCode) {
        guard !self.isClosed, let id = self.id else { return }
        self.isClosed = true
        self.connection.write(id, .rstStream(code))
    }
}

@available(*, unavailable)
extension HTTP2OriginStream: Sendable {}
