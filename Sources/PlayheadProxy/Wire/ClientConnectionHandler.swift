import Logging
import NIOCore
import NIOTLS
import PlayheadHTTP
import PlayheadTLS

/// One client connection, from its first octet: proxy requests, CONNECT, and the HTTP/1 inside a tunnel.
///
/// The handler stays in the pipeline for the connection's whole life. After CONNECT it looks at the first octet
/// of the tunnel; for TLS it puts a `TLSHandler` in front of itself and goes on as an HTTP/1 server. It serves one
/// exchange at a time, so pipelined requests are answered in order (RFC 9112 section 9.3.2).
final class ClientConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler, ClientConnection {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Where on the way from CONNECT to HTTP the connection is.
    enum Stage {
        /// Requests in absolute form, or CONNECT.
        case proxy
        /// CONNECT was answered; the tunnel's first octet tells what is inside.
        case sniffing(Authority)
        /// A passed-through tunnel is being connected; its octets wait.
        case connecting
        /// HTTP inside an intercepted tunnel.
        case tunnel(Authority, isSecure: Bool)
        /// A 101 was answered: octets are the exchange's as they are.
        case switched
        /// An error was answered or the last response sent; what still comes is discarded.
        case lingering
        case closed
    }

    /// What a deadline is about.
    enum Wait { case idle, head, handshake, progress, linger, nothing }

    let loop: ProxyLoop
    let core: ProxyCore
    var stage = Stage.proxy
    var decoder = HTTP1RequestDecoder()
    var context: ChannelHandlerContext?
    var exchange: ExchangePipeline?
    /// The session of the connection: the proxy user's, or the default one.
    var session: CassetteSession
    /// The session of the port that the connection came to; it goes before any other.
    let lease: LeasedSession?
    /// The server that the port stands for, if it does for one.
    let reverse: ReverseListener?
    /// Whether the client speaks TLS with the port itself.
    var isSecure = false
    /// How the addresses in the response under way are put across.
    var rewrite: ReverseRewrite?
    /// The instances of Playhead that the tunnel was asked for through.
    var trail = HopTrail()
    /// Whether a cassette is being opened for the request that was read last.
    var isOpeningSession = false
    var out = ByteBuffer()
    var isTLSFinished = true
    /// What came while it may still be the preface of HTTP/2; nil once that is settled.
    var opening: ByteBuffer?
    /// What the client called itself with CONNECT.
    var clientAgent: String?

    // The request under way.
    var isRequestOpen = false
    var isRequestPaused = false
    var keepsAlive = true
    var clientVersion = HTTPVersion.http1_1
    var isHead = false
    var responseFraming = BodyFraming.none
    var hasResponseHead = false

    // Flow and time.
    var isPumping = false
    var heldRead = false
    var needsFlush = false
    /// What was written since the last flush; a TLS handler does not count it as pending.
    var unflushedOctets = 0
    static let unflushedLimit = 256 * 1024
    var isInputClosed = false
    /// Whether any request of this connection was understood.
    var hasServed = false
    var wait = Wait.idle
    var waitStart: NIODeadline

    init(loop: ProxyLoop, lease: LeasedSession? = nil, reverse: ReverseListener? = nil) {
        self.reverse = reverse
        self.loop = loop
        self.core = loop.core
        self.lease = lease
        self.session = lease?.session ?? loop.core.sessions.standard
        self.opening = loop.core.settings.http2 == .off ? nil : ByteBuffer()
        self.waitStart = loop.now
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.loop.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        self.loop.remove(self)
    }

    // MARK: inbound

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let octets = self.unwrapInboundIn(data)
        switch self.stage {
        case .proxy, .tunnel: self.receive(octets)
        case .connecting: self.decoder.append(octets)
        case .sniffing(let authority):
            self.sniff(octets, authority, context)
        case .switched:
            self.waitStart = self.loop.now
            self.exchange?.requestBody(octets)
        case .lingering, .closed:
            break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) { self.flushIfNeeded() }

    func read(context: ChannelHandlerContext) {
        if self.holdsReads { self.heldRead = true } else { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard context.channel.isWritable else { return }
        if let exchange = self.exchange { return exchange.sinkBecameWritable() }
        // Pipelined requests may have waited until their answers could leave.
        self.resumeReading()
        self.flushIfNeeded()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted(let negotiated):
            self.isTLSFinished = true
            self.expect(.head)
            if negotiated == "h2" {
                // The client may be gone already, and the handlers of HTTP/2 then never see its end.
                self.noteIfSilent()
                self.becomeHTTP2()
            }
            if negotiated != nil { self.opening = nil }
        case ChannelEvent.inputClosed:
            self.inputClosed(context)
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let tls = error as? TLSError, !self.isTLSFinished { self.reportTLSFailure(tls) }
        self.stage = .closed
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.noteIfSilent()
        self.stage = .closed
        let exchange = self.exchange
        self.exchange = nil
        exchange?.clientGone()
        context.fireChannelInactive()
    }

    /// The client ended its side: not an abort, every complete request of it is still answered.
    private func inputClosed(_ context: ChannelHandlerContext) {
        self.isInputClosed = true
        self.noteIfSilent()
        switch self.stage {
        case .lingering, .closed: self.closeWhenSent(context)
        case .sniffing, .connecting: context.close(promise: nil)
        case .proxy, .tunnel: self.pump()
        case .switched: self.exchange?.requestEnd(HeaderList())
        }
        self.flushIfNeeded()
    }

    /// No further octet comes and none is left that makes up a message.
    private func inputExhausted() {
        if self.decoder.isBetweenMessages, self.exchange == nil {
            self.finishConnection()
        } else if self.exchange == nil || self.isRequestOpen {
            self.refuse(status: 400, "The request ended before it was complete.")
        }
    }

    // MARK: requests

    /// Whether the socket is not read: an exchange cannot take more, or enough of later requests is waiting.
    private var holdsReads: Bool {
        if self.isRequestPaused || self.isOpeningSession { return true }
        switch self.stage {
        case .connecting: return self.decoder.bufferedBytes > 16 * 1024
        case .lingering, .sniffing, .switched, .closed: return false
        case .proxy, .tunnel:
            guard !self.isRequestOpen, self.decoder.bufferedBytes > 16 * 1024 else { return false }
            return self.exchange != nil || !self.isWritable
        }
    }

    /// Takes as many request parts as may be taken now.
    func pump() {
        guard !self.isPumping else { return }
        self.isPumping = true
        defer { self.isPumping = false }
        while true {
            switch self.stage {
            case .proxy, .tunnel: break
            case .sniffing, .connecting, .switched, .lingering, .closed: return
            }
            if self.isOpeningSession { return }
            if self.exchange == nil {
                // A client that asks and does not read gets no further answers until it does.
                if self.unflushedOctets > Self.unflushedLimit { self.flush() }
                guard self.isWritable else { return }
            } else {
                guard self.isRequestOpen, !self.isRequestPaused else { return }
            }
            do {
                guard let part = try self.decoder.next() else {
                    if self.isInputClosed { return self.inputExhausted() }
                    if self.exchange == nil, self.wait == .idle, self.decoder.bufferedBytes > 0 { self.expect(.head) }
                    return
                }
                // A request without a body is complete with its head: take its end now, so that the pipeline may
                // answer at once.
                if case .head(_, .none) = part { _ = try self.decoder.next() }
                self.handle(part)
            } catch {
                return self.refuse(status: error.status, error.reason + self.tunnelAdvice(error))
            }
        }
    }

    private func handle(_ part: RequestPart) {
        switch part {
        case .head(let head, let framing):
            self.clientVersion = head.version
            self.isHead = head.method == "HEAD"
            self.isRequestOpen = framing != .none
            self.hasResponseHead = false
            if !self.hasServed, case .tunnel(let authority, isSecure: true) = self.stage {
                self.session.noteServed(host: authority.host)
            }
            self.hasServed = true
            self.expect(.progress)
            self.begin(head, framing)
        case .body(let octets, _):
            self.waitStart = self.loop.now
            self.exchange?.requestBody(octets)
        case .end(let trailers):
            self.isRequestOpen = false
            self.exchange?.requestEnd(trailers)
        }
    }

    func expect(_ wait: Wait) {
        self.wait = wait
        self.waitStart = self.loop.now
    }

    func closeNow() {
        self.exchange?.stop()
        self.context?.close(promise: nil)
    }

    func checkDeadline(now: NIODeadline, isDraining: Bool) {
        if isDraining { self.exchange?.drain() }
        let timeouts = self.core.settings.timeouts
        let limit: Int
        switch self.wait {
        case .idle: limit = isDraining ? 0 : timeouts.keepAlive
        case .head: limit = timeouts.head
        case .handshake: limit = timeouts.handshake
        case .progress: limit = max(timeouts.idle, timeouts.response ?? 0)
        case .linger: limit = 2
        case .nothing: return
        }
        guard isDraining && self.wait == .idle || now - self.waitStart > .seconds(Int64(limit)) else { return }
        switch self.wait {
        case .head where self.exchange == nil && self.decoder.bufferedBytes > 0:
            self.refuse(status: 408, "The request did not arrive within \(limit) s.")
        case .head where self.exchange == nil && self.silentTunnel != nil:
            self.refuseSilence(limit)
        case .handshake:
            guard case .sniffing(let authority) = self.stage else {
                self.context?.close(promise: nil)
                return
            }
            self.refuse(
                status: 408,
                "Nothing was sent through the tunnel to \(authority.description) within \(limit) s. If the server speaks "
                    + "first there, pass the tunnel through untouched with --tunnel \(authority.host).")
        case .progress where self.exchange != nil:
            // The upstream side has the same limit and speaks first when it is the quiet one.
            guard now - self.waitStart > .seconds(Int64(limit + 5)) else { return }
            self.context?.close(promise: nil)
        default:
            self.context?.close(promise: nil)
        }
    }
}

@available(*, unavailable)
extension ClientConnectionHandler: Sendable {}
