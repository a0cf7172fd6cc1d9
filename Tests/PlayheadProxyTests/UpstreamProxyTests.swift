import PlayheadHTTP
import Testing

@testable import PlayheadProxy

/// The URL of an upstream proxy.
@Suite struct UpstreamProxyTests {
    @Test(arguments: [
        ("proxy.example", "http://proxy.example:80"), ("http://Proxy.Example:3128/", "http://proxy.example:3128"),
        ("https://p", "https://p:443"), ("socks5h://[::1]:9", "socks5://[::1]:9"), ("SOCKS5://h", "socks5://h:1080"),
        ("http://user:secret@h:1", "http://h:1"), ("http://us%40er:se%3Acret@h:1", "http://h:1"),
    ])
    func readsURLsAndNeverShowsCredentials(text: String, shown: String) throws {
        #expect(try UpstreamProxy(text, setting: "x").description == shown)
    }

    @Test(arguments: [
        "", "http://", "http://h:0", "http://h:70000", "http://h/path", "ftp://h", "socks4://h", "http://@h",
        "http://:p@h",
        "http://u%zz:p@h", "http://u%3A:p@h", "http://u:%0A@h", "socks5://u@h", "socks5://u:@h", "http://a b",
        "http://h?x",
        "socks5://\(String(repeating: "u", count: 256)):p@h",
    ])
    func refusesWhatIsNoProxyURL(text: String) {
        #expect(throws: UpstreamProxy.Problem.self) { _ = try UpstreamProxy(text, setting: "x") }
    }

    @Test func decodesCredentialsForBasic() throws {
        // Base64 of `us@er:se:cret`.
        let proxy = try UpstreamProxy("http://us%40er:se%3Acret@h:1", setting: "x")
        #expect(proxy.authorization == "Basic dXNAZXI6c2U6Y3JldA==")
        #expect(try UpstreamProxy("http://user@h", setting: "x").authorization == "Basic dXNlcjo=")
        #expect(try UpstreamProxy("http://h", setting: "x").authorization == nil)
    }

    @Test func writesForwardedRequestsInAbsoluteForm() throws {
        let proxy = try UpstreamProxy("http://user@h", setting: "x")
        for (host, port, target, expected) in [
            ("a.example", 80, "/x?y", "http://a.example/x?y"), ("a.example", 8080, "/", "http://a.example:8080/"),
            ("::1", 80, "/", "http://[::1]/"), ("::1", 81, "*", "http://[::1]:81"),
        ] {
            var head = RequestHead(method: "GET", target: target)
            ForwardedForm(proxy: proxy, authority: Authority(host: host, port: port)).apply(to: &head)
            #expect(head.target == expected)
            #expect(head.headers.first("proxy-authorization") == "Basic dXNlcjo=")
        }
    }
}
