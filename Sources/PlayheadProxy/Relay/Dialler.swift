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
    private let verifying: TLSClientContext
    private let unverified: TLSClientContext
    private let timeouts: ProxyTimeouts
    let guardian: AddressGuard

    init(settings: ProxySettings, verifying: TLSClientContext, unverified: TLSClientContext, guardian: AddressGuard) {
        self.hostMap = settings.hostMap
        self.insecureHosts = settings.insecureHosts
        self.verifying = verifying
        self.unverified = unverified
        self.timeouts = settings.timeouts
        self.guardian = guardian
    }

    /// Connects and puts `handler` at the end of the pipeline; `completion` hears nil once TCP is connected.
    func connect(
        _ target: UpstreamTarget, on eventLoop: any EventLoop, handler: some ChannelHandler,
        completion: @escaping (UpstreamFailure?) -> Void
    ) {
        let (host, port) = self.address(of: target)
        let bound = NIOLoopBound(handler, eventLoop: eventLoop)
        ClientBootstrap(group: eventLoop)
            .resolver(CheckedResolver(eventLoop: eventLoop, guardian: self.guardian))
            .connectTimeout(.seconds(Int64(self.timeouts.connect)))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if target.isSecure {
                        let tls = TLSHandler(connecting: self.trust(for: target), host: target.host)
                        try channel.pipeline.syncOperations.addHandler(tls)
                    }
                    try channel.pipeline.syncOperations.addHandler(bound.value)
                }
            }
            .connect(host: host, port: port)
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success: completion(nil)
                case .failure(let error): completion(UpstreamPool.failure(from: error, target: target))
                }
            }
    }

    private func trust(for target: UpstreamTarget) -> TLSClientContext {
        let isInsecure = self.insecureHosts.contains { $0.matches(host: target.host, port: target.port) }
        return isInsecure ? self.unverified : self.verifying
    }

    private func address(of target: UpstreamTarget) -> (host: String, port: Int) {
        for mapping in self.hostMap where mapping.host == target.host && (mapping.port ?? target.port) == target.port {
            return (mapping.targetHost, mapping.targetPort ?? target.port)
        }
        return (target.host, target.port)
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
            case .certificateRejected: return .certificate(target.host, tls.message)
            case .truncated: return .closed(address)
            default: return .tls(target.host, tls.message, alert: tls.alert)
            }
        case let connection as NIOConnectionError:
            if let failure = connection.dnsAError as? UpstreamFailure ?? connection.dnsAAAAError as? UpstreamFailure {
                return failure
            }
            if let first = connection.connectionErrors.first { return Self.failure(from: first.error, target: target) }
            return .dns(target.host)
        case let timeout as ChannelError:
            if case .connectTimeout(let amount) = timeout {
                return .connectTimeout(address, seconds: Int(amount.nanoseconds / 1_000_000_000))
            }
            return .closed(address)
        case let io as IOError:
            switch io.errnoCode {
            case ECONNREFUSED: return .refused(address)
            case ECONNRESET, EPIPE: return .reset(address)
            case ETIMEDOUT: return .connectTimeout(address, seconds: 0)
            default: return .unreachable(address, "\(io)")
            }
        default:
            return .unreachable(address, "\(error)")
        }
    }
}
