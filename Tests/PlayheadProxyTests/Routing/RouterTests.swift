import Testing

@testable import PlayheadProxy

@Suite struct RouterTests {
    private static let router: Router<String> = {
        var router = Router<String>()
        router.on("GET", "/", "root")
        router.on("GET", "/sessions", "list")
        router.on("POST", "/sessions", "make")
        router.on("GET", "/sessions/{id}", "one")
        router.on("DELETE", "/sessions/{id}", "end")
        router.on("GET", "/cassettes/{name...}", "cassette")
        return router
    }()

    private static func match(_ method: String, _ target: String) throws -> Router<String>.Match {
        Self.router.match(method: method, path: try #require(RoutePath(target: target)))
    }

    @Test(arguments: [
        ("GET", "/", "root"), ("GET", "/sessions?limit=3", "list"), ("POST", "/sessions", "make"),
        ("HEAD", "/sessions", "list"), ("DELETE", "/sessions/7", "end"), ("GET", "/cassettes/a/b", "cassette"),
    ])
    func findsTheHandler(_ method: String, _ target: String, _ name: String) throws {
        guard case .found(let found, _) = try Self.match(method, target) else {
            Issue.record("\(method) \(target) leads nowhere")
            return
        }
        #expect(found == name)
    }

    @Test(arguments: ["/nothing", "/sessions/", "/sessions/1/2", "//sessions", "/cassettes", "/SESSIONS"])
    func anUnknownPathIsNotFound(_ target: String) throws {
        guard case .notFound = try Self.match("GET", target) else {
            Issue.record("\(target) leads somewhere")
            return
        }
    }

    @Test func anotherMethodNamesTheAllowedOnes() throws {
        guard case .methodNotAllowed(let allowed) = try Self.match("PUT", "/sessions/1") else {
            Issue.record("PUT is served")
            return
        }
        #expect(allowed == ["DELETE", "GET", "HEAD"])
    }

    @Test func parametersAreDecodedAndTyped() throws {
        guard case .found(_, let parameters) = try Self.match("GET", "/sessions/%34%32") else {
            Issue.record("not found")
            return
        }
        #expect(parameters["id"] == "42")
        #expect(parameters.value("id", as: Int.self) == 42)
        #expect(parameters.value("other", as: Int.self) == nil)
        #expect(parameters["other"].isEmpty)
    }
}
