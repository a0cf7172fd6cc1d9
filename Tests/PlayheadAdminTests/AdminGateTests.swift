import PlayheadHTTP
import Testing

@testable import PlayheadAdmin

@Suite struct AdminGateTests {
    private static let secret = "0123456789abcdef0123456789abcdef"

    private static func status(
        _ method: String = "GET", _ target: String = "/api/v1/status", host: [String] = ["127.0.0.1:8081"],
        token: String? = AdminGateTests.secret, fields: [(String, String)] = [], hosts: [String] = [],
        opensMetrics: Bool = false
    ) throws -> Int? {
        let gate = AdminGate(token: try #require(AdminToken(Self.secret)), hosts: hosts, opensMetrics: opensMetrics)
        var headers = HeaderList(host.map { ("Host", $0) } + fields)
        if let token { headers.append(name: "Authorization", value: "Bearer \(token)") }
        return gate.refusal(of: RequestHead(method: method, target: target, headers: headers))?.status
    }

    @Test func theTokenOpens() throws {
        #expect(try Self.status() == nil)
        #expect(try Self.status(token: nil) == 401)
        #expect(try Self.status(token: "0123456789abcdef0123456789abcdeX") == 401)
        #expect(try Self.status(token: "") == 401)
        #expect(try Self.status(token: nil, fields: [("Authorization", "Basic \(Self.secret)")]) == 401)
        #expect(try Self.status(fields: [("Authorization", "Bearer \(Self.secret)")]) == 401, "two are one too many")
        #expect(try Self.status(token: nil, fields: [("authorization", "bearer \(Self.secret)")]) == nil)
    }

    @Test(arguments: ["/healthz", "/readyz", "/ca.pem", "/readyz?x=1"])
    func publicPathsNeedNoToken(_ target: String) throws {
        #expect(try Self.status("GET", target, token: nil) == nil)
        #expect(try Self.status("HEAD", target, token: nil) == nil)
        #expect(try Self.status("POST", target, token: nil) == 401)
        #expect(try Self.status("GET", target + "/", token: nil) == (target.contains("?") ? nil : 401))
    }

    @Test func metricsAreOpenWhenAsked() throws {
        #expect(try Self.status("GET", "/metrics", token: nil) == 401)
        #expect(try Self.status("GET", "/metrics", token: nil, opensMetrics: true) == nil)
    }

    /// DNS rebinding: a page's own name resolves to this machine, and the browser sends that name as Host.
    @Test(arguments: ["evil.example", "evil.example:8081", "localhost.evil.example", "127.0.0.1.evil.example", "proxy"])
    func refusesNamesItDoesNotAnswerTo(_ host: String) throws {
        #expect(try Self.status(host: [host]) == 421)
        #expect(try Self.status("GET", "/ca.pem", host: [host], token: nil) == 421, "public paths too")
    }

    @Test(arguments: ["localhost", "LOCALHOST:1", "127.0.0.1", "127.8.8.8:8081", "[::1]:8081", "10.1.2.3:8081"])
    func answersToLoopbackAndLiteralAddresses(_ host: String) throws { #expect(try Self.status(host: [host]) == nil) }

    @Test func answersToNamesThatWereAsked() throws {
        #expect(try Self.status(host: ["Proxy:8081"], hosts: ["proxy"]) == nil)
        #expect(try Self.status(host: ["proxy.evil.example"], hosts: ["proxy"]) == 421)
    }

    @Test(arguments: [[], ["127.0.0.1", "127.0.0.1"], ["a b"], ["127.0.0.1, localhost"], [""]])
    func needsExactlyOneHost(_ host: [String]) throws { #expect(try Self.status(host: host) == 400) }

    @Test(arguments: ["http://127.0.0.1:8081/api/v1/status", "*", "127.0.0.1:8081", "http://evil.example/"])
    func isNoProxy(_ target: String) throws { #expect(try Self.status("GET", target) == 400) }

    /// CSRF: even with a token that leaked, another site's page is not listened to.
    @Test(arguments: [
        ("Origin", "http://evil.example"), ("Origin", "null"), ("Origin", "https://127.0.0.1:8081"),
        ("Origin", "http://127.0.0.1:3000"), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"),
        ("Sec-Fetch-Site", "else"),
    ])
    func refusesOtherSites(_ name: String, _ value: String) throws {
        for method in ["GET", "POST", "PUT", "DELETE"] {
            #expect(try Self.status(method, "/api/v1/sessions", fields: [(name, value)]) == 403)
        }
        #expect(try Self.status("GET", "/healthz", token: nil, fields: [(name, value)]) == 403)
    }

    @Test func itsOwnOriginMayAsk() throws {
        #expect(
            try Self.status(
                "POST", "/api/v1/sessions",
                fields: [("Origin", "http://127.0.0.1:8081"), ("Sec-Fetch-Site", "same-origin")])
                == nil)
        #expect(try Self.status(fields: [("Sec-Fetch-Site", "none")]) == nil)
        #expect(
            try Self.status(fields: [("Origin", "http://127.0.0.1:8081"), ("Origin", "http://127.0.0.1:8081")]) == 403)
    }

    @Test(arguments: [("1.2.3.4", true), ("::1", true), ("1.2.3", false), ("1.2.3.256", false), ("+1.2.3.4", false)])
    func knowsLiteralAddresses(_ text: String, _ isLiteral: Bool) { #expect(AdminGate.isLiteral(text) == isLiteral) }
}
