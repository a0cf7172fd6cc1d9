import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

@Suite struct TunnelNamesTests {
    @Test(arguments: [
        ("api.example", "api.example", nil), ("api.example", "API.example:443", nil), ("api.example", nil, nil),
        ("::1", "[::1]:443", nil), ("api.example", "other.example", "the host other.example"),
        ("10.0.0.1", "api.example", "socks5h://"), ("10.0.0.1", "10.0.0.1", nil),
    ])
    func tellsWhenTheHostIsAnother(asked: String, host: String?, words: String?) {
        let head = RequestHead(
            method: "GET", target: "/", headers: HeaderList(host.map { [("Host", $0)] } ?? []))
        let authority = Authority(host: asked, port: 443)
        let warning = TunnelNames.warning(.tunnel(authority, isSecure: true), head)
        #expect((warning == nil) == (words == nil))
        if let words { #expect(warning?.contains(words) == true) }
        #expect(TunnelNames.warning(.proxy, head) == nil)
    }

    @Test func standsInTheSummary() async throws {
        let origin = try Origin.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        defer { origin.stop() }
        let summary = try await TestProxy.run { proxy in
            let client = try proxy.tunnel(to: "127.0.0.1:\(origin.port)")
            for _ in 0..<2 {
                try client.send("GET / HTTP/1.1\r\nHost: front.example\r\n\r\n")
                #expect(try client.readResponse().body == "ok")
            }
        }
        #expect(summary.warnings.count == 1 && summary.warnings.first?.contains("front.example") == true)
    }
}
