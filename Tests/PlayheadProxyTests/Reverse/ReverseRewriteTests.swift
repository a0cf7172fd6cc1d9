import PlayheadHTTP
import Testing

@testable import PlayheadProxy

/// What a client of a reverse port is told about the server's addresses, and the server about the client's.
@Suite struct ReverseRewriteTests {
    private func rewrite(
        _ url: String = "https://api.example", authority: String = "localhost:9000", isSecure: Bool = false
    ) throws -> ReverseRewrite {
        let origin = try #require(ReverseOrigin(url))
        let other = ReversePort(port: 9001, origin: try #require(ReverseOrigin("https://login.example:8443/auth")))
        let door = ReverseDoor(
            origin: origin, isSecure: isSecure, isLoopback: true, port: 9000,
            all: [ReversePort(port: 9000, origin: origin), other])
        return ReverseRewrite(door: door, authority: authority)
    }

    @Test(arguments: [
        ("https://api.example/a?b#c", "http://localhost:9000/a?b#c"),
        ("HTTPS://API.example:443/", "http://localhost:9000/"),
        ("https://api.example", "http://localhost:9000"), ("https://api.example?q", "http://localhost:9000/?q"),
        ("//api.example/a", "http://localhost:9000/a"), ("/a", "/a"),
        ("https://login.example:8443/auth/in", "http://localhost:9001/in"),
        // Left alone: relative, another port, scheme or host, outside of another port's path, user information.
        ("a/b", nil), ("?x", nil), ("", nil), ("http://api.example/", nil), ("https://api.example:444/", nil),
        ("https://other.example/", nil), ("https://login.example:8443/authx", nil), ("mailto:a@b", nil),
        ("https://u@api.example/", nil), ("https://", nil), ("https:///a", nil),
    ])
    func findsThePageOfAURL(url: String, local: String?) throws {
        #expect(try self.rewrite().localURL(url[...]) == local)
    }

    @Test(arguments: [
        ("/v2/a", "/a"), ("/v2", "/"), ("/v2?q", "/?q"), ("/other", "https://api.example/other"),
        ("/v2x", "https://api.example/v2x"), ("https://api.example/v2/a", "http://localhost:9000/a"),
        ("https://api.example/other", nil),
    ])
    func takesTheBasePathOff(url: String, local: String?) throws {
        #expect(try self.rewrite("https://api.example/v2/").localURL(url[...]) == local)
    }

    @Test(arguments: [
        ("a=1; Domain=api.example; Path=/; Secure; HttpOnly", "a=1; Path=/; HttpOnly"),
        ("a=1; domain=.Example; SameSite=None; Secure; Partitioned", "a=1"),
        ("a=1; Domain=other.example; SameSite=Lax", "a=1; Domain=other.example; SameSite=Lax"),
        ("a=1;Max-Age=5", "a=1;Max-Age=5"), ("__Host-a=1; Secure; Path=/", "__Host-a=1; Secure; Path=/"), ("", ""),
        ("a=Secure; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "a=Secure; Expires=Wed, 21 Oct 2026 07:28:00 GMT"),
    ])
    func keepsCookiesForThePort(cookie: String, kept: String) throws {
        var headers = HeaderList([("Set-Cookie", cookie)])
        try self.rewrite().response(&headers)
        #expect(headers.values("set-cookie") == [kept])
    }

    @Test(arguments: [
        ("/", "/"), ("/v2", "/"), ("/v2/", "/"), ("/v2/a", "/a"), ("/other", "/other"), ("", "/"),
    ])
    func movesTheirPaths(path: String, kept: String) throws {
        var headers = HeaderList([("Set-Cookie", "a=1; Path=\(path)")])
        try self.rewrite("https://api.example/v2").response(&headers)
        #expect(headers.values("set-cookie") == ["a=1; Path=\(kept)"])
    }

    @Test func leavesSecureCookiesToClientsWithTLS() throws {
        var headers = HeaderList([("Set-Cookie", "a=1; Secure; SameSite=None; Domain=api.example")])
        try self.rewrite(isSecure: true).response(&headers)
        #expect(headers.values("set-cookie") == ["a=1; Secure; SameSite=None"])
    }

    @Test func putsEveryFieldThatLeadsSomewhereAcross() throws {
        var headers = HeaderList([
            ("Location", "https://api.example/a"), ("Content-Location", "/b"),
            ("Refresh", "5; URL=https://api.example/c"), ("X-Other", "https://api.example/d"),
            ("Link", "<https://api.example/?page=2>; rel=\"next\", <https://cdn.example/x>; rel=preload, </p>"),
        ])
        try self.rewrite(authority: "[::1]:9000", isSecure: true).response(&headers)
        #expect(headers.first("location") == "https://[::1]:9000/a")
        #expect(headers.first("content-location") == "/b")
        #expect(headers.first("refresh") == "5; URL=https://[::1]:9000/c")
        #expect(headers.first("x-other") == "https://api.example/d")
        #expect(
            headers.first("link")
                == "<https://[::1]:9000/?page=2>; rel=\"next\", <https://cdn.example/x>; rel=preload, </p>")
    }

    @Test(arguments: [
        ("http://localhost:9000", "https://api.example"), ("http://LOCALHOST:9000", "https://api.example"),
        ("http://localhost:9001", "https://login.example:8443"), ("http://localhost:3000", "http://localhost:3000"),
        ("https://localhost:9000", "https://localhost:9000"), ("null", "null"),
    ])
    func tellsTheServerItsOwnOrigin(sent: String, told: String) throws {
        var head = RequestHead(
            method: "GET", target: "/",
            headers: HeaderList([("Host", "localhost:9000"), ("Origin", sent), ("Referer", sent + "/page?q=1")]))
        try self.rewrite("https://api.example/v2").request(&head)
        #expect(head.headers.values("host") == ["api.example"])
        #expect(head.headers.first("origin") == told)
        let path = told == sent ? "/page?q=1" : told.contains("login") ? "/auth/page?q=1" : "/v2/page?q=1"
        #expect(head.headers.first("referer") == told + path)
    }
}
