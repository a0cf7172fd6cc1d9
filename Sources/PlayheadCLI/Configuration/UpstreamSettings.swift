import PlayheadProxy

/// What leads to the origins: proxies, our own certificates, limits in time.
struct UpstreamSettings {
    private let settings: Settings
    private let host: HostEnvironment
    private var environment: [String: String] { self.host.environment }

    init(_ settings: Settings, _ host: HostEnvironment) {
        self.settings = settings
        self.host = host
    }

    /// Our own certificates for servers that ask for one.
    func clientCertificates() throws -> [ClientCertificate] {
        try self.settings.parsedList(
            .clientCertificate, expected: "HOST=CERT,KEY with PEM files", ClientCertificateText.init
        ).map { try $0.load(self.settings, self.host) }
    }

    /// The limits in time; whole seconds, at least one.
    func timeouts() throws -> ProxyTimeouts {
        var timeouts = ProxyTimeouts()
        timeouts.connect = try self.seconds(.connectTimeout) ?? timeouts.connect
        timeouts.handshake = try self.seconds(.tlsTimeout) ?? timeouts.handshake
        timeouts.idle = try self.seconds(.idleTimeout) ?? timeouts.idle
        timeouts.response = try self.seconds(.responseTimeout)
        return timeouts
    }

    private func seconds(_ key: SettingKey) throws -> Int? {
        let parsed = try self.settings.parsed(
            key, default: nil, expected: "a duration such as 10s", ValueParsers.milliseconds)
        // A timer of NIO counts nanoseconds in 64 bits.
        return parsed.map { Int(min(max(1, $0 / 1000), 1 << 32)) }
    }

    /// The proxies of the setting; none unless it is given.
    func routes() throws -> UpstreamRoutes {
        switch self.settings.text(.upstreamProxy) {
        case nil, "none"?: return .direct
        case "env"?: return try self.inherited()
        case let url?:
            do {
                return UpstreamRoutes(try UpstreamProxy(url, setting: SettingKey.upstreamProxy.flag))
            } catch {
                // The value itself stays unsaid: it may hold a password.
                throw self.settings.error(.upstreamProxy, error.description)
            }
        }
    }

    /// The proxies that our own environment names, as curl reads it; a child's variables are another matter.
    private func inherited() throws -> UpstreamRoutes {
        let all = ["all_proxy", "ALL_PROXY"]
        // httpoxy: under CGI the variable HTTP_PROXY is a field that the client sent.
        let isCGI = self.environment["REQUEST_METHOD"] != nil || self.environment["GATEWAY_INTERFACE"] != nil
        return UpstreamRoutes(
            http: try self.proxy((isCGI ? ["http_proxy"] : ["http_proxy", "HTTP_PROXY"]) + all),
            https: try self.proxy(["https_proxy", "HTTPS_PROXY"] + all),
            exceptions: ProxyExceptions(self.first(["no_proxy", "NO_PROXY"])?.value ?? ""))
    }

    private func proxy(_ names: [String]) throws -> UpstreamProxy? {
        guard let (name, url) = self.first(names) else { return nil }
        do { return try UpstreamProxy(url, setting: name) } catch {
            throw CommandFailure(
                .badConfiguration, "The variable \(name), which --upstream-proxy env reads, \(error.description).")
        }
    }

    private func first(_ names: [String]) -> (name: String, value: String)? {
        for name in names { if let value = self.environment[name], !value.isEmpty { return (name, value) } }
        return nil
    }
}
