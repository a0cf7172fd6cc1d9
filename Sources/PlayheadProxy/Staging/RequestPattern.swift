package import PlayheadEngine
import PlayheadHTTP

/// Which requests a mock or a fault is for; what is nil means any.
package struct RequestPattern: Sendable {
    package var session: String?
    package var method: String?
    package var host: HostPattern?
    /// The pattern of the path as it was written, such as `/v1/users/{id}`.
    package var path: String? { didSet { self.parsed = self.path.map { RoutePattern($0) } } }
    private var parsed: RoutePattern?

    /// A pattern for every request.
    package init(
        session: String? = nil, method: String? = nil, host: HostPattern? = nil, path: String? = nil
    ) {
        self.session = session
        self.method = method
        self.host = host
        self.path = path
        self.parsed = path.map { RoutePattern($0) }
    }

    /// Whether a request is meant.
    ///
    /// - Parameter path: the request's path; nil when it cannot be decoded, which only patterns without path take.
    func matches(_ request: ProxiedRequest, session: String, path: RoutePath?) -> Bool {
        if let own = self.session, own != session { return false }
        if let own = self.method, own != request.head.method { return false }
        if let own = self.host, !own.matches(host: request.host, port: request.port) { return false }
        guard let parsed = self.parsed else { return true }
        guard let path else { return false }
        return parsed.match(path) != nil
    }
}
