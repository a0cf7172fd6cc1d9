public import PlayheadCassette
public import PlayheadProxy

/// What the admin API tells about and acts on.
public struct AdminContext: Sendable {
    /// The proxy.
    public var server: ProxyServer
    /// Its sessions.
    public var sessions: SessionRegistry
    /// The public CA certificate.
    public var certificatePEM: String
    /// The program's version.
    public var version: String
    /// The secret that opens the API.
    public var token: AdminToken
    /// Names that the API answers to, beside loopback ones and literal addresses.
    public var hosts: [String]
    /// Whether `/metrics` needs no token.
    public var opensMetrics: Bool
    /// Finds the cassettes in the sessions' folder.
    public var listCassettes: @Sendable () throws -> [CassetteLocation]
    /// The moment.
    public var clock: @Sendable () -> Timestamp

    /// Creates a context.
    public init(
        server: ProxyServer, sessions: SessionRegistry, certificatePEM: String, version: String, token: AdminToken,
        hosts: [String] = [], opensMetrics: Bool = false,
        listCassettes: @escaping @Sendable () throws -> [CassetteLocation], clock: @escaping @Sendable () -> Timestamp
    ) {
        self.server = server
        self.sessions = sessions
        self.certificatePEM = certificatePEM
        self.version = version
        self.token = token
        self.hosts = hosts
        self.opensMetrics = opensMetrics
        self.listCassettes = listCassettes
        self.clock = clock
    }
}
