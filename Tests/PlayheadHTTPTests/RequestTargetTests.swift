import PlayheadHTTP
import Testing

@Suite struct RequestTargetTests {
    private func describe(_ target: String, _ method: String = "GET") -> String {
        do throws(HTTP1Error) {
            let parsed = try RequestTarget.parse(target, method: method)
            let port = parsed.effectivePort.map { "\($0)" } ?? "-"
            return "\(parsed.form) \(parsed.scheme ?? "-") \(parsed.userinfo ?? "-") \(parsed.authorityText) \(port) "
                + parsed.pathAndQuery
        } catch {
            return "\(error.status) \(error.code)"
        }
    }

    @Test(arguments: [
        ("/", "origin - -  - /"),
        ("//evil/%0d%0a\\..?a=b&c", "origin - -  - //evil/%0d%0a\\..?a=b&c"),
        ("http://Example.COM", "absolute http - example.com 80 /"),
        ("HTTPS://a_b.c:8443/x?y", "absolute https - a_b.c:8443 8443 /x?y"),
        ("https://a.", "absolute https - a. 443 /"),
        ("http://a:/x", "absolute http - a 80 /x"),
        ("http://a?q=/@:", "absolute http - a 80 /?q=/@:"),
        ("http://user:p@ss@a/@b", "absolute http user:p@ss a 80 /@b"),
        ("http://[2001:DB8::1]:81/x", "absolute http - [2001:db8::1]:81 81 /x"),
        ("http://[::ffff:127.0.0.1]/", "absolute http - [::ffff:127.0.0.1] 80 /"),
        ("http://127.1/", "absolute http - 127.1 80 /"),
        ("/é", "origin - -  - /é"),
    ])
    func takesApart(_ sample: (target: String, expected: String)) {
        #expect(self.describe(sample.target) == sample.expected)
    }

    @Test(arguments: [
        ("", "badTarget"), ("a", "badTargetForm"), ("*", "badTargetForm"), ("http:/a", "badTargetForm"),
        ("http:a", "badTargetForm"), ("://a", "badTargetForm"), ("?x", "badTargetForm"), ("http:", "badTargetForm"),
        ("ftp://a/", "unsupportedScheme"), ("httpss://a/", "unsupportedScheme"), ("wsss://a/", "unsupportedScheme"),
        ("file:///etc/passwd", "unsupportedScheme"),
        ("http://", "badAuthority"), ("http:///x", "badAuthority"), ("http://:80/", "badAuthority"),
        ("http://user@/", "badAuthority"), ("http://a\\b/", "badAuthority"), ("http://a\\@b/", "badAuthority"),
        ("http://%61/", "badAuthority"), ("http://*.a/", "badAuthority"), ("http://a,b/", "badAuthority"),
        ("http://[::1/", "badAuthority"), ("http://[::1]x/", "badAuthority"), ("http://[fe80::1%25e]/", "badAuthority"),
        ("http://é/", "badAuthority"), ("http://a:b/", "badPort"), ("http://a:0/", "badPort"),
        ("http://a:65536/", "badPort"), ("http://a:-1/", "badPort"), ("http://a:80:80/", "badPort"),
        ("http://a:999999/", "badPort"), ("http://a/#f", "fragmentInTarget"), ("/#", "fragmentInTarget"),
        ("/a b", "badTarget"), ("/a\0", "badTarget"), ("/a\r\nX: y", "badTarget"), ("/a\u{7F}", "badTarget"),
        ("a:443", "badTargetForm"),
    ])
    func refuses(_ sample: (target: String, code: String)) {
        #expect(self.describe(sample.target) == "400 \(sample.code)")
    }

    @Test func readsTheServerAsAWhole() {
        #expect(self.describe("*", "OPTIONS") == "asterisk - -  - *")
        #expect(self.describe("http://a", "OPTIONS") == "absolute http - a 80 *")
        #expect(self.describe("http://a/", "OPTIONS") == "absolute http - a 80 /")
        #expect(self.describe("**", "OPTIONS") == "400 badTargetForm")
    }

    @Test func readsConnectTargets() {
        #expect(self.describe("A.example:443", "CONNECT") == "authority - - a.example:443 443 ")
        #expect(self.describe("[::1]:8443", "CONNECT") == "authority - - [::1]:8443 8443 ")
        #expect(self.describe("::1:443", "CONNECT") == "400 badAuthority")
        #expect(self.describe("u@a:443", "CONNECT") == "400 badAuthority")
        #expect(self.describe("/", "CONNECT") == "400 badTargetForm")
        #expect(self.describe("https://a:443", "CONNECT") == "400 badTargetForm")
    }

    @Test(arguments: ["a", "a:", "[::1]", "127.0.0.1"])
    func refusesCONNECTWithoutPort(_ target: String) {
        #expect(self.describe(target, "CONNECT") == "400 missingPort")
    }

    @Test(arguments: [
        "::", "::1", "1::", "1:2:3:4:5:6:7:8", "1::8", "::2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::1.2.3.4",
        "1:2:3:4:5:6:1.2.3.4", "ABCD:ef01::",
    ])
    func acceptsIPv6(_ address: String) throws {
        let (host, port) = try RequestTarget.parseAuthority("[\(address)]:1")
        #expect(host == address.lowercased())
        #expect(port == 1)
    }

    @Test(arguments: [
        "", ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "::g", ":1", "1:", "1:::2",
        "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "::1.2.3", "::1.2.3.4.5", "::256.1.1.1", "::01.1.1.1",
        "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3.4:5", "::1%1", "v1.a",
    ])
    func refusesWhatIsNoIPv6(_ address: String) {
        #expect(throws: HTTP1Error.self) { try RequestTarget.parseAuthority("[\(address)]:1") }
    }

    @Test(arguments: [("ws://A/x", "http"), ("WSS://a/x", "https")])
    func readsTheSchemesOfWebSocketAsThoseBelowThem(text: String, scheme: String) throws {
        let target = try RequestTarget.parse(text, method: "GET")
        #expect(target.scheme == scheme)
        #expect(target.namesWebSocket)
        #expect(target.host == "a")
        #expect(target.pathAndQuery == "/x")
        #expect(try !RequestTarget.parse("http://a/x", method: "GET").namesWebSocket)
    }

    @Test func boundsNamesAsDNSDoes() throws {
        let label = String(repeating: "a", count: 63)
        let longest = [label, label, label, String(repeating: "a", count: 61)].joined(separator: ".")
        #expect(try RequestTarget.parseAuthority(longest).host.utf8.count == 253)
        #expect(try RequestTarget.parseAuthority(longest + ".").host.utf8.count == 254)
        #expect(throws: HTTP1Error.self) { try RequestTarget.parseAuthority("a" + longest) }
        #expect(throws: HTTP1Error.self) { try RequestTarget.parseAuthority("a" + label) }
    }
}
