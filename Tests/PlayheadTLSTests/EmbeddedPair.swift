import Foundation
import NIOCore
import NIOEmbedded
import NIOTLS
import PlayheadCA
import PlayheadTLS

/// The CA of the tests, made once; its clock is fixed to the real time because OpenSSL verifies against that.
enum TestAuthority {
    static let seconds: Int64 = {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec)
    }()
    static let shared: CertificateAuthority = {
        do {
            return try CertificateAuthority.ephemeral(userAtHost: "test@host", now: seconds)
        } catch {
            fatalError("\(error)")
        }
    }()

    static func leaves() throws -> LeafCache { try LeafCache(authority: shared) { seconds } }

    static func serverContext(alpn: [String] = []) throws -> TLSServerContext {
        let leaves = try leaves()
        return try TLSServerContext(alpn: alpn) { try leaves.identity(for: $0) }
    }

    static func clientContext(
        alpn: [String] = [], trusted: Bool = true, verifiesPeer: Bool = true
    ) throws -> TLSClientContext {
        let folder = try TemporaryFolder()
        let path = try folder.write(shared.certificatePEM, to: "ca.pem")
        return try TLSClientContext(
            extraRoots: trusted ? [path] : [], useSystemRoots: false, verifiesPeer: verifiesPeer, alpn: alpn)
    }
}

/// Writes down all that reaches the end of a pipeline.
final class Recorder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    var received = ByteBuffer()
    var events: [String] = []
    var errors: [TLSError] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        received.writeBuffer(&buffer)
        if events.last != "data" { events.append("data") }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted(let name): events.append("handshake \(name ?? "-")")
        case TLSUserEvent.shutdownCompleted: events.append("shutdown")
        case ChannelEvent.inputClosed: events.append("inputClosed")
        default: events.append("\(event)")
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? TLSError { errors.append(error) }
        events.append("error")
    }

    func channelInactive(context: ChannelHandlerContext) { events.append("inactive") }

    var text: String { String(buffer: received) }
}

/// A client and a server in one thread, without sockets; the test carries the ciphertext.
final class EmbeddedPair {
    let client = EmbeddedChannel()
    let server = EmbeddedChannel()
    let clientHandler: TLSHandler
    let serverHandler: TLSHandler
    let clientEnd = Recorder()
    let serverEnd = Recorder()

    init(
        client clientContext: TLSClientContext? = nil, server serverContext: TLSServerContext? = nil,
        host: String = "a.example", fallbackName: String = "fallback.example"
    ) throws {
        clientHandler = TLSHandler(connecting: try clientContext ?? TestAuthority.clientContext(), host: host)
        serverHandler = TLSHandler(
            accepting: try serverContext ?? TestAuthority.serverContext(), fallbackName: fallbackName)
        try client.pipeline.syncOperations.addHandlers(clientHandler, clientEnd)
        try server.pipeline.syncOperations.addHandlers(serverHandler, serverEnd)
    }

    func connect() throws {
        try server.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try client.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    /// Carries ciphertext until both are silent, in pieces of at most `limit` octets.
    func exchange(piecesOf limit: Int = .max) throws {
        var moved = true
        while moved {
            moved = false
            for (from, to) in [(client, server), (server, client)] {
                while var buffer = try from.readOutbound(as: ByteBuffer.self) {
                    moved = true
                    while buffer.readableBytes > 0 {
                        guard let piece = buffer.readSlice(length: min(limit, buffer.readableBytes)) else { break }
                        guard to.isActive else { continue }
                        to.pipeline.fireChannelRead(piece)
                        to.pipeline.fireChannelReadComplete()
                    }
                }
            }
        }
    }

    func handshake() throws {
        try connect()
        try exchange()
    }

    /// Ends the test's channels whatever state they are in.
    func finish() {
        _ = try? client.finish(acceptAlreadyClosed: true)
        _ = try? server.finish(acceptAlreadyClosed: true)
    }
}

func buffer(_ text: String) -> ByteBuffer { ByteBuffer(string: text) }
