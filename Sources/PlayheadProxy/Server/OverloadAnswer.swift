import NIOCore
import PlayheadHTTP

/// Tells one client that it cannot be served, and closes: for a moment when no descriptors are left.
final class OverloadAnswer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// How long a client may take to ask and to go.
    private static let patience = TimeAmount.seconds(2)

    private var hasAnswered = false

    func handlerAdded(context: ChannelHandlerContext) {
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { context.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.hasAnswered else { return }
        self.hasAnswered = true
        let octets = self.unwrapInboundIn(data)
        // TLS and SOCKS have no words for it.
        guard let first = octets.getInteger(at: octets.readerIndex, as: UInt8.self), first >= 0x20 else {
            return context.close(promise: nil)
        }
        let response = OwnResponse.overloaded
        var out = ByteBuffer()
        HTTP1Encoder.write(response.head, into: &out)
        out.writeImmutableBuffer(response.body)
        context.writeAndFlush(self.wrapOutboundOut(out), promise: nil)
        context.close(mode: .output, promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { context.close(promise: nil) }
    }
}

@available(*, unavailable)
extension OverloadAnswer: Sendable {}

extension OwnResponse {
    /// No descriptors are left.
    static var overloaded: OwnResponse {
        var response = OwnResponse.error(
            status: 503,
            reason:
                "This proxy has no file descriptors left for another connection. Raise the limit of open files with "
                + "`ulimit -n`, or open fewer connections at once.", proxyStatus: "error=connection_limit_reached")
        response.head.headers.append(name: "Retry-After", value: "1")
        response.head.headers.append(name: "Connection", value: "close")
        return response
    }
}
