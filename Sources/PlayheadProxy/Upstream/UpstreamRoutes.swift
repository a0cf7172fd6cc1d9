/// Which proxy, if any, leads to an origin.
public struct UpstreamRoutes: Sendable, Equatable {
    /// For plain `http`.
    public var http: UpstreamProxy?
    /// For `https`, and for tunnels that are passed through.
    public var https: UpstreamProxy?
    /// Origins that are reached directly.
    public var exceptions: ProxyExceptions

    /// Every origin is reached directly.
    public static let direct = UpstreamRoutes()

    /// Creates routes.
    public init(
        http: UpstreamProxy? = nil, https: UpstreamProxy? = nil, exceptions: ProxyExceptions = ProxyExceptions("")
    ) {
        self.http = http
        self.https = https
        self.exceptions = exceptions
    }

    /// One proxy for everything.
    public init(_ proxy: UpstreamProxy) { self.init(http: proxy, https: proxy) }

    /// Whether a proxy of these is spoken to over TLS.
    var hasSecureProxy: Bool { self.http?.kind == .https || self.https?.kind == .https }

    /// The proxy for an origin; nil when it is reached directly.
    func proxy(for target: UpstreamTarget) -> UpstreamProxy? {
        guard let proxy = target.isPlainHTTP ? self.http : self.https else { return nil }
        return self.exceptions.match(host: target.host, port: target.port) ? nil : proxy
    }
}
