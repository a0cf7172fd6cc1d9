public import Logging
public import NIOCore
import NIOPosix
public import PlayheadCA
import PlayheadCassette
import PlayheadEngine
import PlayheadTLS
import Synchronization

/// The forward proxy: listeners, event loops, sessions.
public final class ProxyServer: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let core: ProxyCore
    let loops: [ObjectIdentifier: NIOLoopBound<ProxyLoop>]
    /// The listeners of leased sessions, by the session's id.
    let leaseListeners = Mutex<[String: (lease: Lease, listener: any Channel)]>([:])
    private let listeners: [any Channel]
    /// Listeners that came later from elsewhere.
    private let adopted = Mutex<[any Channel]>([])
    /// The addresses that are listened on, in the order they were asked for.
    public let addresses: [SocketAddress]
    /// The addresses of the reverse ports, in the order they were asked for.
    public let reverseAddresses: [SocketAddress]

    /// How many connections clients have made so far.
    public var connectionCount: Int { self.core.connectionCount.load(ordering: .relaxed) }

    /// What a server is made of.
    public struct Configuration: Sendable {
        /// The addresses to listen on; port 0 takes a free one.
        public var listen: [ListenAddress]
        /// The ports that stand for a server each.
        public var reverse: [ReverseListener]
        /// What the user asked of the proxy.
        public var settings: ProxySettings
        /// PEM files whose certificates are trusted upstream beside the system's roots.
        public var upstreamRoots: [String]
        /// The system's bundle of roots; nil looks in the usual places.
        public var systemBundle: String?
        /// The number of event loops; ``loopCount(cores:)`` unless given.
        public var loopCount: Int
        /// What limits in time and the times of recordings are counted by.
        var clock: @Sendable () -> NIODeadline = { .now() }

        /// Creates a configuration.
        public init(
            listen: [ListenAddress], settings: ProxySettings = ProxySettings(), upstreamRoots: [String] = [],
            systemBundle: String? = nil, loopCount: Int? = nil, reverse: [ReverseListener] = []
        ) {
            self.reverse = reverse
            self.listen = listen
            self.settings = settings
            self.upstreamRoots = upstreamRoots
            self.systemBundle = systemBundle
            self.loopCount = loopCount ?? Self.loopCount(cores: System.coreCount)
        }

        /// Half of the cores, at least one.
        ///
        /// Who sends the requests runs on the same machine: loops that compete with it for cores wait for each other.
        /// On two cores one loop answers more requests per second than two, each for two thirds of the CPU time.
        static func loopCount(cores: Int) -> Int { max(1, cores / 2) }
    }

    /// Binds all listeners and starts to serve.
    ///
    /// - Throws: `ProxyError` when an address cannot be bound or a certificate file cannot be used.
    public static func start(
        _ configuration: Configuration, authority: CertificateAuthority, sessions: SessionRegistry, logger: Logger
    ) async throws -> ProxyServer {
        let clock = sessions.standard.clock
        let leaves = try LeafCache(authority: authority, now: { clock().milliseconds / 1000 })
        let versions = configuration.settings.http2 == .off ? ["http/1.1"] : ["h2", "http/1.1"]
        let serverTLS = try TLSServerContext(alpn: versions) { name in try leaves.identity(for: name) }
        let listenerTLS = try TLSServerContext(alpn: ["http/1.1"]) { name in try leaves.identity(for: name) }
        let verifying = try TLSClientContext(
            extraRoots: configuration.upstreamRoots, useSystemRoots: true, verifiesPeer: true, alpn: ["http/1.1"],
            systemBundle: configuration.systemBundle)
        let unverified = try TLSClientContext(
            extraRoots: [], useSystemRoots: false, verifiesPeer: false, alpn: ["http/1.1"])
        // HTTP/1.1 alone: CONNECT is asked in it.
        let proxyTLS =
            configuration.settings.upstreamRoutes.hasSecureProxy
            ? try TLSClientContext(
                extraRoots: configuration.upstreamRoots, useSystemRoots: true, verifiesPeer: true, alpn: ["http/1.1"],
                systemBundle: configuration.systemBundle) : nil
        let guardian = AddressGuard(refusesMetadata: configuration.settings.refusesMetadata)
        let dialler = Dialler(
            settings: configuration.settings, verifying: verifying, unverified: unverified,
            proxyTLS: proxyTLS, guardian: guardian)
        let core = ProxyCore(
            settings: configuration.settings, sessions: sessions, serverTLS: serverTLS, listenerTLS: listenerTLS,
            dialler: dialler, certificatePEM: authority.certificatePEM, logger: logger, clock: configuration.clock)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, configuration.loopCount))
        var loops: [ObjectIdentifier: NIOLoopBound<ProxyLoop>] = [:]
        for eventLoop in group.makeIterator() {
            loops[ObjectIdentifier(eventLoop)] = try await eventLoop.submit {
                let loop = ProxyLoop(eventLoop: eventLoop, core: core)
                loop.start()
                return NIOLoopBound(loop, eventLoop: eventLoop)
            }.get()
        }
        var listeners: [any Channel] = []
        do {
            for address in configuration.listen {
                let listener = try await Self.bind(address, group: group, loops: loops, logger: logger)
                if let bound = listener.localAddress { guardian.addListener(bound) }
                listeners.append(listener)
            }
            for reverse in configuration.reverse {
                let listener = try await Self.bind(
                    reverse.address, group: group, loops: loops, logger: logger, reverse: reverse)
                if let bound = listener.localAddress, let port = bound.port {
                    guardian.addListener(bound)
                    core.reversePorts.add(ReversePort(port: port, origin: reverse.origin))
                }
                listeners.append(listener)
            }
        } catch {
            for listener in listeners { try? await listener.close() }
            try? await group.shutdownGracefully()
            throw error
        }
        // The first exchange that goes upstream would wait for them.
        if sessions.standard.plan.relays { Task.detached { try? verifying.prepare() } }
        return ProxyServer(
            group: group, core: core, loops: loops, listeners: listeners, addressCount: configuration.listen.count)
    }

    private init(
        group: MultiThreadedEventLoopGroup, core: ProxyCore, loops: [ObjectIdentifier: NIOLoopBound<ProxyLoop>],
        listeners: [any Channel], addressCount: Int
    ) {
        self.group = group
        self.core = core
        self.loops = loops
        self.listeners = listeners
        self.addresses = listeners.prefix(addressCount).compactMap(\.localAddress)
        self.reverseAddresses = listeners.dropFirst(addressCount).compactMap(\.localAddress)
    }

    private static func bind(
        _ address: ListenAddress, group: MultiThreadedEventLoopGroup,
        loops: [ObjectIdentifier: NIOLoopBound<ProxyLoop>], logger: Logger, lease: LeasedSession? = nil,
        reverse: ReverseListener? = nil
    ) async throws -> any Channel {
        do {
            return try await Self.bootstrap(
                group: group, loops: loops, logger: logger, lease: lease, reverse: reverse
            )
            .bind(host: address.host, port: address.port).get()
        } catch {
            throw ProxyError.cannotListen(
                address, option: reverse == nil ? "--listen" : "--reverse", cause: error)
        }
    }

    private static func bootstrap(
        group: MultiThreadedEventLoopGroup, loops: [ObjectIdentifier: NIOLoopBound<ProxyLoop>], logger: Logger,
        lease: LeasedSession?, reverse: ReverseListener? = nil
    ) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 4096)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptPause(logger: logger))
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let loop = loops[ObjectIdentifier(channel.eventLoop)]?.value else { return }
                    let connection = ClientConnectionHandler(loop: loop, lease: lease, reverse: reverse)
                    try channel.pipeline.syncOperations.addHandlers(
                        FirstOctetHandler(connection: connection), connection)
                }
            }
    }

    /// Serves what is connected to a listening socket from elsewhere, such as another network namespace.
    ///
    /// The socket belongs to the server from here on.
    package func adopt(listener socket: Int32) async throws {
        let listener = try await Self.bootstrap(
            group: self.group, loops: self.loops, logger: self.core.logger, lease: nil
        ).withBoundSocket(socket).get()
        self.adopted.withLock { $0.append(listener) }
    }

    /// Binds a listener whose connections belong to one session.
    func bind(_ address: ListenAddress, lease: LeasedSession) async throws -> any Channel {
        try await Self.bind(address, group: self.group, loops: self.loops, logger: self.core.logger, lease: lease)
    }

    var sessions: SessionRegistry { self.core.sessions }

    /// Forgets a listener that was closed.
    func unprotect(port: Int) { self.core.dialler.guardian.removeListener(port: port) }

    /// Remembers a listener of ours beside the proxy's: no request through the proxy reaches it under any name.
    package func protect(_ address: SocketAddress) { self.core.dialler.guardian.addListener(address) }

    /// The mocks and faults, which may be changed at any time.
    package var staged: StagedRules { self.core.staged }

    /// How many client connections are open.
    package func connectionCount() async -> Int {
        var count = 0
        for loop in self.loops.values {
            count += (try? await loop.eventLoop.submit { loop.value.connectionCount }.get()) ?? 0
        }
        return count
    }

    /// Stops accepting, lets exchanges under way finish within `grace` seconds, then closes everything.
    public func shutDown(grace: Int) async {
        for listener in self.listeners + self.adopted.withLock({ $0 }) { try? await listener.close() }
        for lease in self.leaseListeners.withLock({ $0.values.map { $0.listener } }) { try? await lease.close() }
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                await withTaskGroup(of: Void.self) { drains in
                    for loop in self.loops.values {
                        drains.addTask {
                            try? await loop.eventLoop.flatSubmit { loop.value.drain() }.get()
                        }
                    }
                }
            }
            tasks.addTask { try? await Task.sleep(for: .seconds(grace)) }
            await tasks.next()
            for loop in self.loops.values { try? await loop.eventLoop.flatSubmit { loop.value.stop() }.get() }
            tasks.cancelAll()
        }
        try? await self.group.shutdownGracefully()
    }
}

/// Where to listen.
public struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// A host name or an IP literal without brackets.
    public var host: String
    /// 0 takes a free port.
    public var port: Int

    /// Creates an address.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// An address that means every interface is none that a client can ask for; loopback stands in for it.
    public var reachable: ListenAddress {
        switch self.host {
        case "0.0.0.0": ListenAddress(host: "127.0.0.1", port: self.port)
        case "::": ListenAddress(host: "::1", port: self.port)
        default: self
        }
    }

    /// Whether only this machine reaches it.
    public var isLoopback: Bool {
        self.host == "localhost" || self.host == "::1" || self.host.hasPrefix("127.")
    }

    /// `host:port`, with brackets around IPv6.
    public var description: String {
        self.host.utf8.contains(0x3A) ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
    }
}
