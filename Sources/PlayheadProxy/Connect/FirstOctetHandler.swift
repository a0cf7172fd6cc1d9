import Logging
import NIOCore
import PlayheadHTTP
import PlayheadTLS

/// Looks at the first octet of a client connection: SOCKS5, TLS to the proxy itself, or HTTP; then it goes away.
final class FirstOctetHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let connection: ClientConnectionHandler
    private var isRefused = false

    init(connection: ClientConnectionHandler) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isRefused, let first = self.unwrapInboundIn(data).firstOctet else { return }
        let address = context.remoteAddress?.ipAddress
        guard self.connection.core.settings.gate.admits(address: address) else {
            return self.refuse(context, first: first, address: address ?? "")
        }
        switch first {
        case 0x05 where self.connection.reverse == nil: self.insert(SOCKSHandler(connection: self.connection), context)
        case 0x16: self.insert(self.tls(context), context)
        default: break
        }
        context.fireChannelRead(data)
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    private func insert(_ handler: some ChannelHandler, _ context: ChannelHandlerContext) {
        do { try context.pipeline.syncOperations.addHandler(handler, position: .after(self)) } catch {
            context.close(promise: nil)
        }
    }

    /// TLS with a leaf of ours for the name that the client asks for, else for the address that it came to.
    private func tls(_ context: ChannelHandlerContext) -> TLSHandler {
        self.connection.isTLSFinished = false
        self.connection.isSecure = true
        let core = self.connection.core
        return TLSHandler(
            accepting: self.connection.reverse == nil ? core.listenerTLS : core.serverTLS,
            fallbackName: context.localAddress?.ipAddress ?? "127.0.0.1",
            handshakeTimeout: .seconds(Int64(self.connection.core.settings.timeouts.handshake)))
    }

    /// Says no in the client's own protocol.
    private func refuse(_ context: ChannelHandlerContext, first: UInt8, address: String) {
        self.isRefused = true
        self.connection.core.logger.info(
            "A client was refused by --allow-from", metadata: ["address": "\(address)"])
        var octets = ByteBuffer()
        switch first {
        case 0x05: octets.writeBytes([5, 0xFF])
        // There is no alert before a handshake that would say more than a close does.
        case 0x16: return context.close(promise: nil)
        default:
            let response = OwnResponse.error(
                status: 403, reason: "Clients at \(address) are not allowed; --allow-from names the networks that are.")
            HTTP1Encoder.write(response.head, into: &octets)
            octets.writeImmutableBuffer(response.body)
        }
        context.writeAndFlush(self.wrapOutboundOut(octets), promise: nil)
        context.close(mode: .output, promise: nil)
        self.connection.expect(.linger)
    }
}

@available(*, unavailable)
extension FirstOctetHandler: Sendable {}

extension ByteBuffer {
    fileprivate var firstOctet: UInt8? { self.getInteger(at: self.readerIndex) }
}
