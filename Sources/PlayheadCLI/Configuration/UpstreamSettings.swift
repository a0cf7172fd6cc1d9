import PlayheadProxy

/// What leads to the origins, from `--upstream-proxy` and the variables that it may point to.
struct UpstreamSettings {
    private let settings: Settings
    private let environment: [String: String]

    init(_ settings: Settings, _ environment: [String: String]) {
        self.settings = settings
        self.environment = environment
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
