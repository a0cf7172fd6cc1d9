/// Which handler a method and a path lead to; the admin API and mocks share it.
package struct Router<Handler: Sendable>: Sendable {
    /// What a request leads to.
    package enum Match: Sendable {
        case found(Handler, PathParameters)
        /// No route has this path.
        case notFound
        /// The path exists, with these methods.
        case methodNotAllowed([String])
    }

    /// One method of one path.
    package struct Route: Sendable {
        package let method: String
        package let pattern: String
        package let handler: Handler
        let parsed: RoutePattern
    }

    /// The routes in the order in which they were added; the first that fits is taken.
    package private(set) var routes: [Route] = []

    /// A router without routes.
    package init() {}

    /// Adds a route.
    package mutating func on(_ method: String, _ pattern: String, _ handler: Handler) {
        self.routes.append(
            Route(method: method, pattern: pattern, handler: handler, parsed: RoutePattern(pattern)))
    }

    /// The handler of a request; HEAD is served by the route of GET (RFC 9110 section 9.3.2).
    package func match(method: String, path: RoutePath) -> Match {
        var allowed: [String] = []
        let wanted = method == "HEAD" ? "GET" : method
        for route in self.routes {
            guard let parameters = route.parsed.match(path) else { continue }
            if route.method == wanted { return .found(route.handler, parameters) }
            if !allowed.contains(route.method) { allowed.append(route.method) }
        }
        if allowed.contains("GET") { allowed.append("HEAD") }
        return allowed.isEmpty ? .notFound : .methodNotAllowed(allowed.sorted())
    }
}
