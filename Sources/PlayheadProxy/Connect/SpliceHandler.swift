import NIOCore

/// One end of a tunnel that is passed through: what is read here is written at the partner's end.
///
/// Reading stops while the partner cannot take more, so a slow peer costs one socket buffer and no memory.
final class SpliceHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private weak var partner: SpliceHandler?
    private var context: ChannelHandlerContext?
    private var heldRead = false

    /// The two ends of one tunnel.
    static func pair() -> (SpliceHandler, SpliceHandler) {
        let first = SpliceHandler()
        let second = SpliceHandler()
        first.partner = second
        second.partner = first
        return (first, second)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Sends octets out at this end.
    func forward(_ octets: ByteBuffer) {
        self.context?.write(self.wrapOutboundOut(octets), promise: nil)
        self.context?.flush()
    }

    func close() { self.context?.close(promise: nil) }

    /// Closes once what was forwarded has left; a plain close would drop it.
    private func closeWhenSent() {
        guard let context = self.context else { return }
        let sent = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer()), promise: sent)
        sent.futureResult.assumeIsolated().whenComplete { _ in self.close() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.partner?.context?.write(data, promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.partner?.context?.flush()
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        if let other = self.partner?.context, !other.channel.isWritable {
            self.heldRead = true
        } else {
            context.read()
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, let partner = self.partner, partner.heldRead {
            partner.heldRead = false
            partner.context?.read()
        }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event {
            self.partner?.context?.close(mode: .output, promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelInactive(context: ChannelHandlerContext) {
        self.partner?.closeWhenSent()
        context.fireChannelInactive()
    }
}

@available(*, unavailable)
extension SpliceHandler: Sendable {}
