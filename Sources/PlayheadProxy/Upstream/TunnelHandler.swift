import NIOCore
import NIOTLS

/// Asks a proxy for a tunnel at the start of an upstream connection; afterwards it only passes on.
///
/// What stands behind it in the pipeline sees the channel become active when the tunnel stands, so that TLS with the
/// origin begins by itself.
final class TunnelHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let proxy: UpstreamProxy
    private let target: Authority
    private let seconds: Int
    private var negotiation: (any TunnelNegotiation)?
    private let opened: EventLoopPromise<Void>
    private var timer: Scheduled<Void>?
    private var isOpen = false
    private var isOver = false

    /// - Parameter negotiation: nil for a proxy that forwards requests and needs no tunnel.
    init(
        proxy: UpstreamProxy, target: Authority, negotiation: (any TunnelNegotiation)?, seconds: Int,
        opened: EventLoopPromise<Void>
    ) {
        self.proxy = proxy
        self.target = target
        self.negotiation = negotiation
        self.seconds = seconds
        self.opened = opened
    }

    func channelActive(context: ChannelHandlerContext) {
        self.timer = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(Int64(self.seconds))) {
            self.fail(context, .proxyTimeout(self.proxy, self.target, seconds: self.seconds))
        }
        if let first = self.negotiation?.start() {
            context.writeAndFlush(self.wrapOutboundOut(first), promise: nil)
        } else if self.proxy.kind != .https {
            self.open(context, ByteBuffer())
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isOpen else { return context.fireChannelRead(data) }
        guard !self.isOver, let step = self.negotiation?.receive(self.unwrapInboundIn(data)) else { return }
        switch step {
        case .wait: break
        case .send(let octets): context.writeAndFlush(self.wrapOutboundOut(octets), promise: nil)
        case .failed(let failure): self.fail(context, failure)
        case .open(let rest): self.open(context, rest)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if self.isOpen { return context.fireUserInboundEventTriggered(event) }
        switch event {
        case ChannelEvent.inputClosed: self.fail(context, .proxyClosed(self.proxy, self.target))
        // The handshake with the proxy is none with the origin.
        case TLSUserEvent.handshakeCompleted: if self.negotiation == nil { self.open(context, ByteBuffer()) }
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if self.isOpen { return context.fireErrorCaught(error) }
        let hop = UpstreamTarget(isSecure: self.proxy.kind == .https, host: self.proxy.host, port: self.proxy.port)
        self.fail(context, .proxyUnreachable(self.proxy, UpstreamPool.failure(from: error, target: hop)))
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !self.isOpen { self.fail(context, .proxyClosed(self.proxy, self.target)) }
        context.fireChannelInactive()
    }

    private func open(_ context: ChannelHandlerContext, _ rest: ByteBuffer) {
        self.isOpen = true
        self.timer?.cancel()
        context.fireChannelActive()
        self.opened.succeed(())
        if rest.readableBytes > 0 { context.fireChannelRead(self.wrapInboundOut(rest)) }
    }

    private func fail(_ context: ChannelHandlerContext, _ failure: UpstreamFailure) {
        guard !self.isOpen, !self.isOver else { return }
        self.isOver = true
        self.timer?.cancel()
        self.opened.fail(failure)
        context.close(promise: nil)
    }
}

@available(*, unavailable)
extension TunnelHandler: Sendable {}
