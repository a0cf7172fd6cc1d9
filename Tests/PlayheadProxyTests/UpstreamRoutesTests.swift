import Testing

@testable import PlayheadProxy

/// Which origins are reached through which proxy.
@Suite struct UpstreamRoutesTests {
    @Test func choosesByWhatIsSpokenToTheOrigin() throws {
        let plain = try UpstreamProxy("http://plain:1", setting: "x")
        let secure = try UpstreamProxy("https://secure:2", setting: "x")
        let routes = UpstreamRoutes(http: plain, https: secure, exceptions: ProxyExceptions("direct.example"))
        func proxy(_ host: String, isSecure: Bool = false, isTunnel: Bool = false) -> UpstreamProxy? {
            routes.proxy(for: UpstreamTarget(isSecure: isSecure, host: host, port: 80, isTunnel: isTunnel))
        }
        #expect(proxy("a.example") == plain)
        #expect(proxy("a.example", isSecure: true) == secure)
        #expect(proxy("a.example", isTunnel: true) == secure)
        #expect(proxy("direct.example") == nil)
        #expect(routes.hasSecureProxy)
        #expect(!UpstreamRoutes(plain).hasSecureProxy)
    }
}

/// `NO_PROXY`, as the common clients read it.
@Suite struct ProxyExceptionsTests {
    @Test(arguments: [
        ("example.com", "example.com", 443, true), ("example.com", "api.example.com", 443, true),
        ("example.com", "badexample.com", 443, false), (".example.com", "example.com", 443, true),
        ("*.example.com", "api.example.com", 443, true), ("Example.COM.", "EXAMPLE.com", 1, true),
        ("*", "anything", 1, true), ("a,b c\td", "c", 1, true), ("example.com:8080", "example.com", 8080, true),
        ("example.com:8080", "example.com", 443, false), ("127.0.0.1", "127.0.0.1", 80, true),
        ("127.0.0.1:80", "127.0.0.1", 81, false), ("10.0.0.0/8", "10.200.3.4", 80, true),
        ("10.0.0.0/8", "11.0.0.1", 80, false), ("192.168.1.128/25", "192.168.1.129", 80, true),
        ("192.168.1.128/25", "192.168.1.1", 80, false), ("0.0.0.0/0", "8.8.8.8", 80, true),
        ("0.0.0.0/0", "name.example", 80, false), ("[::1]:81", "::1", 81, true), ("::1", "::1", 80, true),
        ("fd00::/8", "fd12::1", 80, true), ("fd00::/8", "fe80::1", 80, false),
        ("127.0.0.1", "::ffff:127.0.0.1", 1, true),
        ("10.0.0.0/33", "10.0.0.1", 1, false), ("10.0.0.0/x", "10.0.0.1", 1, false), (",, ,", "a", 1, false),
        (".", "a", 1, false), ("", "a", 1, false), ("1.2.3.4", "1.2.3.40", 1, false),
    ])
    func matches(list: String, host: String, port: Int, isDirect: Bool) {
        #expect(ProxyExceptions(list).match(host: host, port: port) == isDirect)
    }
}
