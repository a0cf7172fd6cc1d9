import PlayheadProxy
import Testing

@testable import PlayheadCLI

/// Where `--upstream-proxy` leads, and that no error repeats a password.
@Suite struct UpstreamSettingsTests {
    private func routes(_ value: String?, _ environment: [String: String] = [:]) throws -> UpstreamRoutes {
        let flags = value.map { [SettingKey.upstreamProxy: [$0]] } ?? [:]
        return try UpstreamSettings(
            Settings(flags: flags, environment: environment, file: nil), Scratch().host(environment)
        ).routes()
    }

    @Test func isDirectUnlessAsked() throws {
        let environment = ["HTTPS_PROXY": "http://a:1", "http_proxy": "http://b:2"]
        #expect(try self.routes(nil, environment) == .direct)
        #expect(try self.routes("none", environment) == .direct)
        #expect(try self.routes("env") == .direct)
    }

    @Test func takesOneProxyForEverything() throws {
        let routes = try self.routes("http://proxy.example:3128", ["NO_PROXY": "*"])
        #expect(routes.http?.description == "http://proxy.example:3128")
        #expect(routes.https == routes.http)
        #expect(routes.exceptions == ProxyExceptions(""))
        #expect(routes.http?.setting == "--upstream-proxy")
    }

    @Test func readsTheVariableAsAnyOtherSetting() throws {
        let environment = ["PLAYHEAD_UPSTREAM_PROXY": "socks5://127.0.0.1"]
        #expect(try self.routes(nil, environment).https?.description == "socks5://127.0.0.1:1080")
    }

    @Test func readsTheEnvironmentAsCurlDoes() throws {
        let routes = try self.routes(
            "env",
            ["HTTPS_PROXY": "a:1", "https_proxy": "b:2", "HTTP_PROXY": "c:3", "NO_PROXY": "x.example,10.0.0.0/8"])
        #expect(routes.https?.description == "http://b:2")
        #expect(routes.https?.setting == "https_proxy")
        #expect(routes.http?.description == "http://c:3")
        #expect(routes.exceptions == ProxyExceptions("x.example 10.0.0.0/8"))
        let all = try self.routes("env", ["ALL_PROXY": "socks5h://s:9", "HTTPS_PROXY": ""])
        #expect(all.http?.description == "socks5://s:9")
        #expect(all.https?.description == "socks5://s:9")
    }

    @Test func readsLimitsInTimeAsWholeSeconds() throws {
        func timeouts(_ flags: [SettingKey: [String]]) throws -> ProxyTimeouts {
            try UpstreamSettings(Settings(flags: flags, environment: [:], file: nil), Scratch().host()).timeouts()
        }
        #expect(try timeouts([:]) == ProxyTimeouts())
        var expected = ProxyTimeouts()
        (expected.connect, expected.handshake, expected.response, expected.idle) = (3, 1, 120, 3600)
        let read = try timeouts([
            .connectTimeout: ["3s"], .tlsTimeout: ["10ms"], .responseTimeout: ["2m"], .idleTimeout: ["1h"],
        ])
        #expect(read == expected)
        #expect(throws: CommandFailure.self) { _ = try timeouts([.connectTimeout: ["soon"]]) }
    }

    @Test func distrustsHTTPProxyUnderCGI() throws {
        let routes = try self.routes("env", ["HTTP_PROXY": "http://evil:1", "REQUEST_METHOD": "GET"])
        #expect(routes == .direct)
    }

    @Test(arguments: [
        "socks4://u:hunter2@h:1", "ftp://u:hunter2@h", "http://u:hunter2@", "http://:hunter2@h", "h:hunter2",
    ])
    func saysWhatIsWrongWithoutThePassword(url: String) throws {
        let flag = #expect(throws: CommandFailure.self) { _ = try self.routes(url) }
        #expect(flag?.description.contains("--upstream-proxy") == true)
        #expect(flag?.description.contains("hunter2") == false)
        let variable = #expect(throws: CommandFailure.self) { _ = try self.routes("env", ["ALL_PROXY": url]) }
        #expect(variable?.description.contains("ALL_PROXY") == true)
        #expect(variable?.description.contains("hunter2") == false)
    }
}
