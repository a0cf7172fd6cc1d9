import NIOCore
import NIOPosix
public import PlayheadProxy
import Synchronization

/// The admin API's own listener, on an event loop of its own.
public final class AdminServer: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let listener: any Channel
    private let service: AdminService
    private let connections: ConnectionCount
    /// Where it listens.
    public let address: ListenAddress

    /// At most this many connections are served at once.
    static let connectionLimit = 256

    /// Binds the listener; from then on the proxy refuses to connect to it.
    ///
    /// - Throws: `ProxyError` when the address cannot be bound.
    public static func start(_ address: ListenAddress, _ context: AdminContext) async throws -> AdminServer {
        try await Self.start(address, context, times: AdminTimes())
    }

    static func start(
        _ address: ListenAddress, _ context: AdminContext, times: AdminTimes
    ) async throws -> AdminServer {
        let service = AdminService(context)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let connections = ConnectionCount()
        do {
            let listener = try await ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 128)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            ConnectionBound(connections, limit: Self.connectionLimit))
                    }
                }
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            AdminConnectionHandler(service: service, times: times))
                    }
                }
                .bind(host: address.host, port: address.port).get()
            if let bound = listener.localAddress { context.server.protect(bound) }
            return AdminServer(
                group: group, listener: listener, service: service, connections: connections, asked: address)
        } catch {
            try? await group.shutdownGracefully()
            throw ProxyError.cannotListen(address, option: "--admin", cause: error)
        }
    }

    private init(
        group: MultiThreadedEventLoopGroup, listener: any Channel, service: AdminService,
        connections: ConnectionCount, asked: ListenAddress
    ) {
        self.group = group
        self.listener = listener
        self.service = service
        self.connections = connections
        self.address = ListenAddress(
            host: listener.localAddress?.ipAddress ?? asked.host, port: listener.localAddress?.port ?? asked.port)
    }

    /// The token's text, to be shown to the person who started it.
    public var token: String { self.service.context.token.text }

    /// Tells `/readyz` that everything is up, or that the end has begun.
    public func setReady(_ isReady: Bool) { self.service.setReady(isReady) }

    /// How many connections are open.
    var connectionCount: Int { self.connections.open.load(ordering: .relaxed) }

    /// Stops listening and ends the connections.
    public func shutDown() async {
        try? await self.listener.close()
        try? await self.group.shutdownGracefully()
    }
}

/// How many connections are open.
private final class ConnectionCount: Sendable {
    let open = Atomic(0)
}

/// Closes connections beyond a number, so that a client cannot take all descriptors of the process.
private final class ConnectionBound: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let count: ConnectionCount
    private let limit: Int

    init(_ count: ConnectionCount, limit: Int) {
        self.count = count
        self.limit = limit
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = self.unwrapInboundIn(data)
        guard self.count.open.load(ordering: .relaxed) < self.limit else {
            channel.close(promise: nil)
            return
        }
        let count = self.count
        count.open.add(1, ordering: .relaxed)
        channel.closeFuture.whenComplete { _ in count.open.subtract(1, ordering: .relaxed) }
        context.fireChannelRead(data)
    }
}

@available(*, unavailable)
extension ConnectionBound: Sendable {}
