public import NIOCore
internal import NIOTLS

/// TLS for one channel, in either role: ciphertext on the side of the network, plaintext on the other.
///
/// Events: `TLSUserEvent.handshakeCompleted(negotiatedProtocol:)` before the first plaintext;
/// `ChannelEvent.inputClosed` at the peer's close_notify, after which writing still works;
/// `TLSUserEvent.shutdownCompleted` when both sides have said close_notify. Failures are a ``TLSError`` through
/// `errorCaught`, after which the channel is closed. `close(mode: .output)` sends close_notify only.
///
/// Back-pressure: plaintext is fired only for ciphertext that the network delivered, and a read of its own is asked
/// for only when a delivery held no plaintext. One flush is one `SSL_write` and one flush of ciphertext.
public final class TLSHandler: ChannelDuplexHandler {
    /// Ciphertext from the network.
    public typealias InboundIn = ByteBuffer
    /// Plaintext of the peer.
    public typealias InboundOut = ByteBuffer
    /// Plaintext for the peer.
    public typealias OutboundIn = ByteBuffer
    /// Ciphertext for the network.
    public typealias OutboundOut = ByteBuffer

    /// Where the connection stands; every entry point switches over all of it.
    enum State {
        /// The channel is not active yet; writes wait.
        case idle
        /// The handshake goes on; writes wait.
        case handshaking
        /// Data goes both ways.
        case open
        /// The peer said close_notify; we may write.
        case inputClosed
        /// We said close_notify; the peer may write.
        case outputClosed
        /// The channel will be closed as soon as our close_notify is out, or its timer fires.
        case closing
        /// All is over in good order.
        case closed
        /// All is over after an error.
        case failed
    }

    /// How long a close waits for the network to take what was written.
    static let closeTimeout = TimeAmount.seconds(1)
    /// How much plaintext of a large buffer is encrypted before the ciphertext is handed on: stays in the L2 cache.
    static let sliceSize = 8 * PlaintextQueue.recordSize

    let role: TLSConnection.Role
    private let handshakeTimeout: TimeAmount

    var state = State.idle
    var connection: TLSConnection?
    var queue = PlaintextQueue()
    /// A flush came while it could not be served: before the handshake, or from within another flush.
    var flushRequested = false
    var isEncrypting = false
    /// `close(mode: .output)` came before the handshake was done.
    var outputCloseRequested = false
    var outputClosePromise: EventLoopPromise<Void>?
    /// Octets of ciphertext that wait for the next write, since the peer does not: the session ticket of TLS 1.3.
    var heldOctets = 0
    /// Whether plaintext was fired since the last channelReadComplete.
    private var delivered = false
    /// A read buffer that got no plaintext, kept for the next try.
    private var spare: ByteBuffer?
    var timer: Scheduled<Void>?

    /// Accepts TLS from a client.
    ///
    /// - Parameters:
    ///   - accepting: the policy.
    ///   - fallbackName: the name whose certificate is shown when the client sends no SNI.
    ///   - handshakeTimeout: how long the handshake may take.
    public init(accepting: TLSServerContext, fallbackName: String, handshakeTimeout: TimeAmount = .seconds(10)) {
        self.role = .server(accepting, fallbackName: fallbackName)
        self.handshakeTimeout = handshakeTimeout
    }

    /// Speaks TLS to a server.
    ///
    /// - Parameters:
    ///   - connecting: the policy.
    ///   - host: the DNS name or address literal that the certificate must name; a DNS name is sent as SNI.
    ///   - identity: our own certificate, shown if the server asks for one.
    ///   - alpn: the protocols to offer, most wanted first; nil offers those of the policy.
    ///   - handshakeTimeout: how long the handshake may take.
    public init(
        connecting: TLSClientContext, host: String, identity: TLSIdentity? = nil, alpn: [String]? = nil,
        handshakeTimeout: TimeAmount = .seconds(30)
    ) {
        self.role = .client(connecting, host: host, identity: identity, alpn: alpn)
        self.handshakeTimeout = handshakeTimeout
    }

    /// The name in the client's SNI extension in lower case, nil before the ClientHello or without SNI.
    public var requestedServerName: String? { connection?.requestedServerName }

    /// The protocol that ALPN agreed on, nil before the end of the handshake or without one.
    public var negotiatedProtocol: String? { connection?.negotiatedProtocol }

    /// The version of the connection as OpenSSL names it, for instance `TLSv1.3`; nil before the handshake starts.
    public var protocolVersion: String? { connection?.version }

    /// Whether the handshake resumed an earlier session.
    public var isSessionResumed: Bool { connection?.isResumed ?? false }

    // MARK: Life cycle

    /// Starts the handshake with a client when the channel is active already.
    ///
    /// Towards a server it begins when a `channelActive` comes by: what stands in front may have to open a tunnel first.
    public func handlerAdded(context: ChannelHandlerContext) {
        if case .server = role, context.channel.isActive { start(context) }
    }

    /// Starts the handshake.
    public func channelActive(context: ChannelHandlerContext) {
        start(context)
        context.fireChannelActive()
    }

    /// Forgets the connection; writes that wait fail.
    public func handlerRemoved(context: ChannelHandlerContext) {
        cancelTimer()
        switch state {
        case .idle, .handshaking, .open, .inputClosed, .outputClosed, .closing: state = .closed
        case .closed, .failed: break
        }
        queue.take().fail(TLSHandler.closedError)
        failOutputClose(TLSHandler.closedError)
        connection = nil
    }

    private func start(_ context: ChannelHandlerContext) {
        switch state {
        case .idle: break
        case .handshaking, .open, .inputClosed, .outputClosed, .closing, .closed, .failed: return
        }
        state = .handshaking
        do {
            connection = try TLSConnection(role: role)
        } catch {
            fail(context, error as? TLSError ?? TLSError(code: .configuration, message: "\(error)"))
            return
        }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: handshakeTimeout) { [weak self] in
            self?.handshakeTimedOut(context)
        }
        switch role {
        case .server: break
        case .client: advanceHandshake(context)
        }
        // With autoRead off nobody else asks for the peer's flight.
        context.read()
    }

    private func handshakeTimedOut(_ context: ChannelHandlerContext) {
        guard case .handshaking = state, let connection else { return }
        fail(
            context,
            TLSError(
                code: .timedOut,
                message: "the TLS handshake with \(connection.peer) did not finish within "
                    + "\(handshakeTimeout.nanoseconds / 1_000_000) ms"))
    }

    func cancelTimer() {
        timer?.cancel()
        timer = nil
    }

    // MARK: Inbound

    /// Decrypts what came.
    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch state {
        case .handshaking:
            connection?.receive(unwrapInboundIn(data))
            advanceHandshake(context)
        case .open, .outputClosed:
            connection?.receive(unwrapInboundIn(data))
            decrypt(context)
        // After a close_notify or an error nothing that comes means anything (RFC 8446 section 6.1).
        case .idle, .inputClosed, .closing, .closed, .failed: break
        }
    }

    /// Passes the event on, and reads again when the delivery held no plaintext.
    public func channelReadComplete(context: ChannelHandlerContext) {
        if delivered {
            delivered = false
        } else {
            switch state {
            case .handshaking, .open, .outputClosed: context.read()
            case .idle, .inputClosed, .closing, .closed, .failed: break
            }
        }
        context.fireChannelReadComplete()
    }

    /// Judges the end of the transport's input.
    public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? ChannelEvent, event == .inputClosed else {
            context.fireUserInboundEventTriggered(event)
            return
        }
        switch state {
        case .handshaking, .open, .outputClosed:
            if let error = prematureEnd { fail(context, error) }
        case .idle: context.fireUserInboundEventTriggered(event)
        // Already told at the close_notify.
        case .inputClosed, .closing, .closed, .failed: break
        }
    }

    /// Judges the end of the transport.
    public func channelInactive(context: ChannelHandlerContext) {
        cancelTimer()
        switch state {
        case .handshaking, .open, .outputClosed:
            if let error = prematureEnd { fail(context, error) }
        case .idle, .inputClosed, .closing: state = .closed
        case .closed, .failed: break
        }
        queue.take().fail(TLSHandler.closedError)
        context.fireChannelInactive()
    }

    private var prematureEnd: TLSError? {
        switch state {
        case .handshaking: connection?.closedInHandshake
        case .open, .outputClosed: connection?.truncated
        case .idle, .inputClosed, .closing, .closed, .failed: nil
        }
    }

    private func advanceHandshake(_ context: ChannelHandlerContext) {
        guard let connection else { return }
        switch connection.handshake() {
        case .needsPeer: sendCiphertext(context)
        case .failed(let error):
            sendCiphertext(context)
            fail(context, error)
        case .complete:
            state = .open
            cancelTimer()
            if flushRequested {
                encrypt(context)
            } else if connection.endsWithThePeersFlight {
                heldOctets = connection.outbound.readableBytes
            } else {
                sendCiphertext(context)
            }
            guard case .open = state else { return }
            context.fireUserInboundEventTriggered(
                TLSUserEvent.handshakeCompleted(negotiatedProtocol: connection.negotiatedProtocol))
            if outputCloseRequested { closeOutput(context, promise: outputClosePromise.take()) }
            if canRead, connection.receivedBytes > 0 { decrypt(context) }
        }
    }

    private func decrypt(_ context: ChannelHandlerContext) {
        guard let connection else { return }
        while true {
            var buffer =
                spare.take() ?? context.channel.allocator.buffer(capacity: connection.readSizeHint)
            let stop = connection.read(into: &buffer)
            // A KeyUpdate or a refused renegotiation is answered.
            if connection.outbound.readableBytes > heldOctets { sendCiphertext(context) }
            if buffer.readableBytes > 0 {
                delivered = true
                context.fireChannelRead(wrapInboundOut(buffer))
            } else {
                spare = buffer
            }
            switch stop {
            case .needsPeer: return
            case .closedByPeer: return peerClosed(context)
            case .failed(let error): return fail(context, error)
            case .full: guard canRead else { return }
            }
        }
    }

    private var canRead: Bool {
        switch state {
        case .open, .outputClosed: true
        case .idle, .handshaking, .inputClosed, .closing, .closed, .failed: false
        }
    }

    private func peerClosed(_ context: ChannelHandlerContext) {
        switch state {
        case .open:
            state = .inputClosed
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        case .outputClosed:
            state = .closing
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            context.fireUserInboundEventTriggered(TLSUserEvent.shutdownCompleted)
            closeWhenSent(context, promise: nil)
        // Whoever got the last data may have closed the channel meanwhile.
        case .idle, .handshaking, .inputClosed, .closing, .closed, .failed: break
        }
    }
}
