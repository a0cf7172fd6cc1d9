import Foundation
import NIOCore
import NIOPosix
import PlayheadCA
import PlayheadTLS

@testable import PlayheadProxy

/// TLS in front of an origin that speaks in clear text: agrees on one protocol by ALPN and passes octets on.
final class TLSFront: Sendable {
    let port: Int
    /// The file with the certificate that signs this front's.
    let root: String
    private let group: MultiThreadedEventLoopGroup
    private let folder: Folder

    init(before origin: Int, alpn: [String]) throws {
        let now = Int64(Date().timeIntervalSince1970)
        let authority = try CertificateAuthority.ephemeral(userAtHost: "front@test", now: now)
        let leaves = try LeafCache(authority: authority, now: { now })
        let context = try TLSServerContext(alpn: alpn) { try leaves.identity(for: $0) }
        self.folder = try Folder()
        self.root = self.folder.path + "/root.pem"
        try authority.certificatePEM.write(toFile: self.root, atomically: true, encoding: .utf8)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        self.group = group
        let listener = try ServerBootstrap(group: group)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { channel in
                let (near, far) = SpliceHandler.pair()
                let bound = NIOLoopBound(far, eventLoop: channel.eventLoop)
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        TLSHandler(accepting: context, fallbackName: "127.0.0.1"), near,
                    ])
                }.flatMap {
                    ClientBootstrap(group: channel.eventLoop)
                        .channelInitializer { origin in
                            origin.eventLoop.makeCompletedFuture {
                                try origin.pipeline.syncOperations.addHandler(bound.value)
                            }
                        }
                        .connect(host: "127.0.0.1", port: origin)
                }.flatMap { _ in channel.setOption(.autoRead, value: true) }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        self.port = listener.localAddress?.port ?? 0
    }

    func stop() { self.group.shutdownGracefully { _ in } }
}
