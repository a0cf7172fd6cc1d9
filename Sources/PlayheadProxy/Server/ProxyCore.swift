import Logging
import NIOCore
import PlayheadCA
import PlayheadTLS
import Synchronization

/// What all event loops share; immutable but for the parts that guard themselves.
final class ProxyCore: Sendable {
    /// The host name under which the CA certificate is served through the proxy itself.
    static let magicHost = "playhead.internal"

    let settings: ProxySettings
    let sessions: SessionRegistry
    let serverTLS: TLSServerContext
    /// For clients that speak TLS to the proxy itself; HTTP/1.1 alone.
    let listenerTLS: TLSServerContext
    let dialler: Dialler
    /// Mocks and faults, which may change at any time.
    let staged = StagedRules()
    let reversePorts = ReversePorts()
    /// The name of this instance among proxies.
    var name: String { self.dialler.name }
    let certificatePEM: String
    let logger: Logger
    /// What limits in time and the times of recordings are counted by.
    let clock: @Sendable () -> NIODeadline
    /// How many connections clients have made.
    let connectionCount = Atomic<Int>(0)

    init(
        settings: ProxySettings, sessions: SessionRegistry, serverTLS: TLSServerContext,
        listenerTLS: TLSServerContext, dialler: Dialler,
        certificatePEM: String, logger: Logger, clock: @escaping @Sendable () -> NIODeadline
    ) {
        self.settings = settings
        self.sessions = sessions
        self.serverTLS = serverTLS
        self.listenerTLS = listenerTLS
        self.dialler = dialler
        self.certificatePEM = certificatePEM
        self.logger = logger
        self.clock = clock
    }

    /// A client broke off the TLS handshake with us: most often it does not trust the CA.
    ///
    /// - Parameter agent: what the client called itself with CONNECT.
    func reportClientTLSFailure(host: String, error: TLSError, agent: String?, session: CassetteSession) {
        let reason = error.alert ?? error.message
        let advice = self.settings.distrustAdvice(agent)
        guard session.countClientTLSFailure(host: host, reason: reason, agent: agent, advice: advice) else { return }
        self.logger.info(
            "A client refused our certificate; it may not trust the CA or pin another",
            metadata: [
                "host": "\(host)", "reason": "\(reason)",
                "fix": "\(advice); or pass the host through with --tunnel \(host)",
            ])
    }
}
