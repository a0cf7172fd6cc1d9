public import PlayheadEngine

/// What the user asked of the proxy; fixed for the life of the server.
public struct ProxySettings: Sendable {
    /// Which hosts are tunnelled, relayed without recording, or take part.
    public var traffic: TrafficRules
    /// Other addresses for host names, like curl's `--connect-to`.
    public var hostMap: [HostMapping]
    /// What a client gets for a request that no recording answers.
    public var missAction: MissAction
    /// Hosts whose certificate is not verified.
    public var insecureHosts: [HostPattern]
    /// Whether cloud metadata addresses are refused (a sidecar's default).
    public var refusesMetadata: Bool
    /// Limits in time.
    public var timeouts: ProxyTimeouts
    /// Which proxies lead to the origins.
    public var upstreamRoutes: UpstreamRoutes
    /// Who may use the proxy.
    public var gate: ProxyGate
    /// Our own certificates; the first whose hosts match is shown.
    public var clientCertificates: [ClientCertificate]
    /// With whom HTTP/2 is spoken.
    public var http2: HTTP2Use

    /// What to tell the user of a client that refused our certificate, by its `User-Agent` if it sent one.
    public var distrustAdvice: @Sendable (_ userAgent: String?) -> String = { _ in
        "trust the CA with `playhead cert install`"
    }
    /// Finds the addresses of origins: the system's look-up.
    var lookUp: CheckedResolver.LookUp = { CheckedResolver.lookUp(host: $0, port: $1) }

    /// Creates settings with the product's defaults.
    public init(
        traffic: TrafficRules = TrafficRules(), hostMap: [HostMapping] = [], missAction: MissAction = .status(501),
        insecureHosts: [HostPattern] = [], refusesMetadata: Bool = false, timeouts: ProxyTimeouts = ProxyTimeouts(),
        upstreamRoutes: UpstreamRoutes = .direct, clientCertificates: [ClientCertificate] = [],
        http2: HTTP2Use = .auto, gate: ProxyGate = .open
    ) {
        self.traffic = traffic
        self.hostMap = hostMap
        self.missAction = missAction
        self.insecureHosts = insecureHosts
        self.refusesMetadata = refusesMetadata
        self.timeouts = timeouts
        self.upstreamRoutes = upstreamRoutes
        self.clientCertificates = clientCertificates
        self.http2 = http2
        self.gate = gate
    }
}

/// With whom HTTP/2 is spoken.
public enum HTTP2Use: String, Sendable, CaseIterable {
    /// With clients that can, and then with origins that can: what the client would have had without us.
    case auto
    /// With every client and every origin that can, whatever the other side speaks.
    case always
    /// With nobody.
    case off
}

/// What answers a request that no recording answers.
public enum MissAction: Sendable, Equatable {
    /// A response with this status and the reason in its body.
    case status(Int)
    /// The connection is closed.
    case close
}

/// One entry of `--map`.
public struct HostMapping: Sendable, Equatable {
    /// The asked host, with or without a port.
    public var asked: HostPattern
    /// The host or address to connect to.
    public var targetHost: String
    /// The port to connect to; nil keeps the asked one.
    public var targetPort: Int?

    /// Creates a mapping.
    public init(_ asked: HostPattern, targetHost: String, targetPort: Int? = nil) {
        self.asked = asked
        self.targetHost = targetHost
        self.targetPort = targetPort
    }
}

/// The proxy's limits in time, in seconds.
public struct ProxyTimeouts: Sendable, Equatable {
    /// For a request head, from its first octet.
    public var head = 60
    /// For a TLS handshake, either side, and for the first octet in a tunnel.
    public var handshake = 10
    /// For an idle client connection.
    public var keepAlive = 75
    /// For a TCP connection to an origin.
    public var connect = 10
    /// Without any progress in a message; long, since long polls and language models are quiet for minutes.
    public var idle = 600
    /// From the end of a request to the first octet of its response; nil means that `idle` is the only limit.
    public var response: Int?
    /// For an idle pooled connection to an origin.
    public var pooled = 30

    /// The defaults.
    public init() {}
}
