import NIOCore
import NIOPosix
import PlayheadEngine
import PlayheadTLS

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Opens connections to origins: name mapping, checked addresses, happy eyeballs, TLS with verification.
final class Dialler: Sendable {
    private let hostMap: [HostMapping]
    private let insecureHosts: [HostPattern]
    private let clientCertificates: [ClientCertificate]
    private let verifying: TLSClientContext
    let unverified: TLSClientContext
    /// For proxies that are spoken to over TLS.
    let proxyTLS: TLSClientContext
    let routes: UpstreamRoutes
    let timeouts: ProxyTimeouts
    let guardian: AddressGuard
    private let lookUp: CheckedResolver.LookUp
    /// The name of this instance among proxies.
    let name = HopTrail.newName()

    init(
        settings: ProxySettings, verifying: TLSClientContext, unverified: TLSClientContext,
        proxyTLS: TLSClientContext? = nil,
        guardian: AddressGuard
    ) {
        self.hostMap = settings.hostMap
        self.insecureHosts = settings.insecureHosts
        self.clientCertificates = settings.clientCertificates
        self.verifying = verifying
        self.unverified = unverified
        self.proxyTLS = proxyTLS ?? verifying
        self.routes = settings.upstreamRoutes
        self.timeouts = settings.timeouts
        self.guardian = guardian
        self.lookUp = settings.lookUp
    }

    /// Connects and puts `handler` at the end of the pipeline; `completion` hears nil once the way to the origin
    /// stands: TCP, or the tunnel of a proxy.
    func connect(
        _ target: UpstreamTarget, on eventLoop: any EventLoop, handler: some ChannelHandler,
        completion: @escaping (UpstreamFailure?) -> Void
    ) {
        if let proxy = self.routes.proxy(for: target) {
            return self.connect(target, through: proxy, on: eventLoop, handler: handler, completion)
        }
        var handlers: [any ChannelHandler] = [handler]
        if target.isSecure { handlers.insert(self.tls(for: target), at: 0) }
        self.dial(self.address(of: target), on: eventLoop, handlers) { error in
            completion(error.map { UpstreamPool.failure(from: $0, target: target) })
        }
    }

    /// Opens a TCP connection to an address that is checked, and puts handlers into its pipeline.
    ///
    /// Into its pipeline alone: while the addresses of a name are tried, of both families, there are several
    /// connections, and what becomes of the others is no business of these handlers.
    func dial(
        _ address: Authority, on eventLoop: any EventLoop, _ handlers: [any ChannelHandler],
        _ completion: @escaping ((any Error)?) -> Void
    ) {
        let resolver = CheckedResolver(eventLoop: eventLoop, guardian: self.guardian, lookUp: self.lookUp)
        ClientBootstrap(group: eventLoop)
            .resolver(resolver)
            .connectTimeout(.seconds(Int64(self.timeouts.connect)))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            // Nothing is read before there is somebody to read it.
            .channelOption(.autoRead, value: false)
            .connect(host: address.host, port: address.port)
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success(let channel):
                    // Its pipeline hears first that it is active; then the handlers come, and hear it from here.
                    eventLoop.assumeIsolated().execute { completion(Self.begin(channel, handlers)) }
                case .failure(ChannelError.connectTimeout(let limit)) where !resolver.isDone:
                    // NIO's limit covers both; people need to know which of the two was slow.
                    completion(
                        UpstreamFailure.dnsTimeout(address.host, seconds: Int(limit.nanoseconds / 1_000_000_000)))
                case .failure(let error): completion(error)
                }
            }
    }

    /// Puts handlers into the pipeline of a connection that stands, as if it had just become active.
    private static func begin(_ channel: any Channel, _ handlers: [any ChannelHandler]) -> (any Error)? {
        guard channel.isActive else { return ChannelError.ioOnClosedChannel }
        do {
            try channel.pipeline.syncOperations.addHandlers(handlers)
            guard channel.isActive else { return ChannelError.ioOnClosedChannel }
            channel.pipeline.syncOperations.fireChannelActive()
            try channel.syncOptions?.setOption(.autoRead, value: true)
            return nil
        } catch {
            channel.close(promise: nil)
            return error
        }
    }

    /// TLS with the origin.
    func tls(for target: UpstreamTarget) -> TLSHandler {
        TLSHandler(
            connecting: self.trust(for: target), host: target.host, identity: self.identity(target.host, target.port),
            alpn: target.versions == .both ? ["h2", "http/1.1"] : nil,
            handshakeTimeout: .seconds(Int64(self.timeouts.handshake)))
    }

    /// Our own certificate for a host.
    func identity(_ host: String, _ port: Int) -> TLSIdentity? {
        self.clientCertificates.first { $0.hosts.matches(host: host, port: port) }?.identity
    }

    /// Whether a host's certificate is not verified.
    func isInsecure(_ host: String, _ port: Int) -> Bool {
        self.insecureHosts.contains { $0.matches(host: host, port: port) }
    }

    private func trust(for target: UpstreamTarget) -> TLSClientContext {
        self.isInsecure(target.host, target.port) ? self.unverified : self.verifying
    }

    /// Where the way to an origin leads, after `--map`.
    func address(of target: UpstreamTarget) -> Authority {
        for mapping in self.hostMap where mapping.asked.matches(host: target.host, port: target.port) {
            return Authority(host: mapping.targetHost, port: mapping.targetPort ?? target.port)
        }
        return Authority(host: target.host, port: target.port)
    }
}

extension UpstreamPool {
    /// Puts a low-level error into the words of `UpstreamFailure`.
    static func failure(from error: any Error, target: UpstreamTarget) -> UpstreamFailure {
        let address = target.description
        switch error {
        case let failure as UpstreamFailure:
            return failure
        case let tls as TLSError:
            switch tls.code {
            case .certificateRejected: return .certificate(target.host, tls)
            case .truncated: return .closed(address)
            case .timedOut: return .tlsTimeout(tls.message)
            default:
                return tls.isMissingClientCertificate
                    ? .clientCertificate(target.host, tls.message) : .tls(target.host, tls.message, alert: tls.alert)
            }
        case let connection as NIOConnectionError:
            if let failure = connection.dnsAError as? UpstreamFailure ?? connection.dnsAAAAError as? UpstreamFailure {
                return failure
            }
            if let first = connection.connectionErrors.first { return Self.failure(from: first.error, target: target) }
            return .dns(target.host, .unknown)
        case let timeout as ChannelError:
            if case .connectTimeout(let amount) = timeout {
                return .connectTimeout(address, seconds: Int(amount.nanoseconds / 1_000_000_000))
            }
            return .closed(address)
        case let io as IOError:
            switch io.errnoCode {
            case ECONNREFUSED: return .refused(address)
            case EMFILE, ENFILE: return .noDescriptors(address)
            case ECONNRESET, EPIPE: return .reset(address)
            case ETIMEDOUT: return .connectTimeout(address, seconds: 0)
            default: return .unreachable(address, "\(io)")
            }
        default:
            return .unreachable(address, "\(error)")
        }
    }
}
