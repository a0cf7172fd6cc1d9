import Logging
import NIOCore
import PlayheadCA
import PlayheadCassette

/// Speaks SOCKS5 at the start of a client connection; then the connection goes on like one after CONNECT.
final class SOCKSHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// More than all messages of the protocol together.
    private static let limit = 2048

    private let connection: ClientConnectionHandler
    private var conversation: SOCKSConversation
    private var isOver = false

    init(connection: ClientConnectionHandler) {
        self.connection = connection
        self.conversation = SOCKSConversation(needsPassword: connection.core.settings.gate.token != nil)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.connection.expect(.handshake) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isOver else { return }
        self.conversation.append(self.unwrapInboundIn(data))
        self.advance(context)
        // Only a client that waits for no answer at all comes here.
        if !self.isOver, self.conversation.bufferedBytes > Self.limit { context.close(promise: nil) }
    }

    private func advance(_ context: ChannelHandlerContext) {
        while !self.isOver {
            let step = self.conversation.next()
            if case .wait = step { return }
            self.act(step, context)
            if case .authenticate = step { return }
        }
    }

    private func act(_ step: SOCKSConversation.Step, _ context: ChannelHandlerContext) {
        switch step {
        case .wait: break
        case .send(let octets): self.write(octets, context)
        case .told(let via):
            self.connection.trail = self.connection.trail.joined(HopTrail(via: via))
            self.act(self.conversation.chooseAuthentication(), context)
        case .authenticate(let user, let password): self.authenticate(user, password, context)
        case .connect(let authority, let rest): self.connect(authority, rest, context)
        case .refuse(let octets, let reason):
            self.isOver = true
            self.connection.core.logger.info("A SOCKS client was refused", metadata: ["reason": "\(reason)"])
            self.write(octets, context)
            context.close(mode: .output, promise: nil)
            self.connection.expect(.linger)
        }
    }

    private func authenticate(_ user: String, _ password: [UInt8], _ context: ChannelHandlerContext) {
        guard self.connection.core.settings.gate.admits(password: password) else {
            return self.act(self.conversation.rejected("its password is not the token"), context)
        }
        if user.isEmpty || self.connection.lease != nil { return self.proceed(context) }
        guard let name = try? CassetteName.validated(user) else {
            return self.act(self.conversation.rejected("\(user.debugDescription) is no cassette name"), context)
        }
        self.connection.loop.openSession(name) { result in
            guard context.channel.isActive else { return }
            switch result {
            case .success(let session):
                self.connection.session = session
                self.proceed(context)
            case .failure(let error):
                self.act(self.conversation.rejected("the cassette \(name) cannot be opened: \(error)"), context)
            }
        }
    }

    private func proceed(_ context: ChannelHandlerContext) {
        self.act(self.conversation.authenticated(), context)
        self.advance(context)
    }

    private func connect(_ authority: Authority, _ rest: ByteBuffer, _ context: ChannelHandlerContext) {
        guard (try? LeafName.validated(authority.host)) != nil else {
            return self.act(
                .refuse(SOCKSConversation.reply(1), "\(authority.host) is no name for a certificate"), context)
        }
        guard !self.connection.trail.isLoop(at: self.connection.core.name) else {
            return self.act(
                .refuse(SOCKSConversation.reply(SOCKSTrail.code), "it came through this proxy before"), context)
        }
        self.isOver = true
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
        self.connection.openTunnel(authority, rest, .socks)
        self.connection.flushIfNeeded()
    }

    private func write(_ octets: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: octets)), promise: nil)
    }
}

@available(*, unavailable)
extension SOCKSHandler: Sendable {}
