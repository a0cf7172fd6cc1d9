import PlayheadHTTP
import Testing

@testable import PlayheadProxy

@Suite struct RequestIntentTests {
    private static let tunnel = Door.tunnel(Authority(host: "api.test", port: 8443), isSecure: true)

    @Test func takesTheOriginFromTheTargetOutsideATunnel() throws {
        let request = try Self.exchange("GET", "http://User@API.test/a?b=1", [("Host", "other.test")], .proxy)
        #expect(request.url == "http://api.test/a?b=1")
        #expect(request.head.target == "/a?b=1")
        #expect(request.head.headers.values("host") == ["api.test"])
        #expect(request.port == 80)
    }

    @Test func takesTheOriginFromTheTunnelInside() throws {
        let request = try Self.exchange("GET", "/a", [("Host", "front.test")], Self.tunnel)
        #expect(request.url == "https://api.test:8443/a")
        #expect(request.head.headers.values("host") == ["front.test"])
        let bare = try Self.exchange("GET", "/a", [], Self.tunnel)
        #expect(bare.head.headers.values("host") == ["api.test:8443"])
    }

    @Test func takesOffWhatConcernsOnlyThisHop() throws {
        let fields = [("Connection", "close, x-hop"), ("X-Hop", "1"), ("Playhead-Cassette", "a"), ("Accept", "*/*")]
        let request = try Self.exchange("GET", "/a", [("Host", "a")] + fields, Self.tunnel)
        #expect(request.head.headers == HeaderList([("Host", "a"), ("Accept", "*/*")]))
    }

    @Test(arguments: [
        ("GET", "/page", Door.proxy, 400), ("CONNECT", "a:1", Self.tunnel, 405),
        ("GET", "https://other.test/", Self.tunnel, 421), ("GET", "http://playhead.internal/x", Door.proxy, 404),
    ])
    func refuses(method: String, target: String, door: Door, status: Int) throws {
        guard case .refused(status, let reason) = try Self.intent(method, target, [], door) else {
            Issue.record("not refused with \(status)")
            return
        }
        #expect(!reason.isEmpty)
    }

    /// aiohttp asks a proxy for `ws://…`.
    @Test func takesWSTargetsOnlyForWebSockets() throws {
        let offer = [
            ("Host", "a.test"), ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ]
        let request = try Self.exchange("GET", "ws://a.test/chat", offer, .proxy)
        #expect(request.url == "http://a.test/chat")
        #expect(request.asksForWebSocket)
        #expect(throws: HTTP1Error(.unsupportedScheme)) {
            try Self.intent("GET", "ws://a.test/chat", [("Host", "a.test")], .proxy)
        }
    }

    @Test func knowsTunnelsAndTheCertificate() throws {
        if case .connect = try Self.intent("CONNECT", "a:1", [], .proxy) {} else { Issue.record("no tunnel") }
        let certificate = try Self.intent("GET", "http://playhead.internal/ca.pem", [], .proxy)
        if case .certificate = certificate {} else { Issue.record("no certificate") }
    }

    private static func intent(
        _ method: String, _ target: String, _ fields: [(String, String)], _ door: Door
    ) throws -> RequestIntent {
        let head = RequestHead(method: method, target: target, headers: HeaderList(fields))
        return try RequestIntent(head, .none, through: door)
    }

    private static func exchange(
        _ method: String, _ target: String, _ fields: [(String, String)], _ door: Door
    ) throws -> ProxiedRequest {
        guard case .exchange(let request) = try Self.intent(method, target, fields, door) else {
            throw WireError(description: "\(method) \(target) is no exchange")
        }
        return request
    }
}
