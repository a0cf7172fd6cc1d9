import PlayheadEngine
import PlayheadProxy
import Testing

@testable import PlayheadCLI

@Suite struct ValueParsersTests {
    @Test(arguments: [
        ("9000=https://api.example/v2", "127.0.0.1:9000", "https://api.example/v2"),
        ("0.0.0.0:80=http://a:8080", "0.0.0.0:80", "http://a:8080"),
        ("[::1]:0=https://a/?q", nil, nil), ("9000", nil, nil), ("9000=", nil, nil), ("=https://a", nil, nil),
        ("a=https://a", nil, nil),
    ])
    func readsReversePorts(text: String, address: String?, url: String?) {
        let listener = ValueParsers.reverse(text)
        #expect(listener?.address.description == address && listener?.origin.description == url)
    }

    @Test(arguments: [
        ("8s", 8000), ("500ms", 500), ("10m", 600_000), ("2h", 7_200_000), ("30d", 2_592_000_000), ("0", 0),
        ("15", 15_000),
    ])
    func readsDurations(text: String, milliseconds: Int64) {
        #expect(ValueParsers.milliseconds(text) == milliseconds)
    }

    @Test(arguments: ["", "s", "-1s", "-1", "1.5s", "8 s", "1w", "ten", "99999999999999999999", "9999999999999999d"])
    func refusesOtherDurations(text: String) {
        #expect(ValueParsers.milliseconds(text) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1", 8080), ("8080", "127.0.0.1", 8080), (":8080", "127.0.0.1", 8080),
        ("0", "127.0.0.1", 0), ("0.0.0.0:0", "0.0.0.0", 0), ("[::1]:0", "::1", 0), ("[::]:8080", "::", 8080),
        ("localhost:1", "localhost", 1),
    ])
    func readsListenAddresses(text: String, host: String, port: Int) {
        #expect(ValueParsers.listenAddress(text) == ListenAddress(host: host, port: port))
    }

    @Test(arguments: [
        "", "localhost", "65536", "-1", "127.0.0.1:65536", "127.0.0.1:", "::1:80:", "a b:80", "http://a:80",
    ])
    func refusesOtherListenAddresses(text: String) {
        #expect(ValueParsers.listenAddress(text) == nil)
    }

    @Test func readsMappings() throws {
        #expect(
            try ValueParsers.mapping("api.example=127.0.0.1:8443")
                == HostMapping(HostPattern("api.example"), targetHost: "127.0.0.1", targetPort: 8443))
        #expect(
            try ValueParsers.mapping("API.example:443=[::1]")
                == HostMapping(HostPattern("api.example:443"), targetHost: "::1", targetPort: nil))
        #expect(
            try ValueParsers.mapping("[::1]:443=[fd00::1]:8443")
                == HostMapping(HostPattern("[::1]:443"), targetHost: "fd00::1", targetPort: 8443))
        #expect(
            try ValueParsers.mapping("*.example.com=127.0.0.1")
                == HostMapping(HostPattern("*.example.com"), targetHost: "127.0.0.1", targetPort: nil))
    }

    @Test(arguments: ["", "a", "a=", "=b", "a=b=c", "a:0=b", "a b=c"])
    func refusesOtherMappings(text: String) {
        #expect(ValueParsers.mapping(text) == nil)
    }

    @Test func readsMissActions() {
        #expect(ValueParsers.missAction("close") == .close)
        #expect(ValueParsers.missAction("status:200") == .status(200))
        #expect(ValueParsers.missAction("status:599") == .status(599))
    }

    @Test(arguments: ["", "status", "status:", "status:199", "status:600", "status:x", "Close", "404"])
    func refusesOtherMissActions(text: String) {
        #expect(ValueParsers.missAction(text) == nil)
    }

    @Test func readsTheUsesOfHTTP2() {
        #expect(HTTP2Use.allCases.allSatisfy { ValueParsers.http2Use($0.rawValue) == $0 })
        #expect(ValueParsers.http2Use("false") == .off)
        #expect(ValueParsers.http2Use("2") == nil)
    }
}
