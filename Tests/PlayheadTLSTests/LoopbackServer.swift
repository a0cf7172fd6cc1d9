import NIOCore
import NIOPosix
import PlayheadCA
import PlayheadTLS

/// A TLS server on loopback that answers each line with the line in upper case, for real clients.
struct LoopbackServer {
    let channel: any Channel

    var port: Int { channel.localAddress?.port ?? 0 }

    static func start(_ context: TLSServerContext, fallbackName: String = "fallback.example") async throws -> Self {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = TLSHandler(
                        accepting: context, fallbackName: fallbackName, handshakeTimeout: .seconds(120))
                    try channel.pipeline.syncOperations.addHandlers(handler, UpperCaseHandler(handler))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return LoopbackServer(channel: channel)
    }

    func stop() async throws { try await channel.close() }
}

/// Answers with what came in upper case, and closes when the peer has said all.
///
/// `?` asks for the facts of the connection and for its end.
final class UpperCaseHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let handler: TLSHandler

    init(_ handler: TLSHandler) { self.handler = handler }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let text = String(buffer: unwrapInboundIn(data))
        let facts =
            "<sni=\(handler.requestedServerName ?? "-") alpn=\(handler.negotiatedProtocol ?? "-") "
            + "version=\(handler.protocolVersion ?? "-") resumed=\(handler.isSessionResumed)>\n"
        let answer = text.hasPrefix("?") ? facts : text.uppercased()
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
        if text.hasPrefix("?") { context.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
