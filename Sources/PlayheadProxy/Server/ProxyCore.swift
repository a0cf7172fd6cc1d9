import Logging
import NIOCore
import PlayheadCA
import PlayheadTLS

/// What all event loops share; immutable but for the parts that guard themselves.
final class ProxyCore: Sendable {
    /// The host name under which the CA certificate is served through the proxy itself.
    static let magicHost = "playhead.internal"

    let settings: ProxySettings
    let sessions: SessionRegistry
    let serverTLS: TLSServerContext
    let dialler: Dialler
    let certificatePEM: String
    let logger: Logger

    init(
        settings: ProxySettings, sessions: SessionRegistry, serverTLS: TLSServerContext, dialler: Dialler,
        certificatePEM: String, logger: Logger
    ) {
        self.settings = settings
        self.sessions = sessions
        self.serverTLS = serverTLS
        self.dialler = dialler
        self.certificatePEM = certificatePEM
        self.logger = logger
    }

    /// A client broke off the TLS handshake with us: most often it does not trust the CA.
    func reportClientTLSFailure(host: String, error: TLSError, session: CassetteSession) {
        let reason = error.alert ?? error.message
        guard session.countClientTLSFailure(host: host, reason: reason) else { return }
        self.logger.info(
            "A client refused our certificate; it may not trust the CA or pin another",
            metadata: [
                "host": "\(host)", "reason": "\(reason)",
                "fix": "trust the CA with `playhead cert install`, or pass the host through with --tunnel \(host)",
            ])
    }
}
