import Foundation
import Testing

/// Origins that are reached through another program's proxy.
@Suite(
    "Upstream proxies", .enabled(if: ClientPython.has("pproxy"), "pproxy is not installed"),
    .timeLimit(.minutes(10)))
struct UpstreamProxyTests {
    private static let password = "upstream-secret-4242"

    /// Names are the proxy's business: `localhost` is what it and the origin's certificate know.
    @Test(arguments: [
        ("http", "http"), ("socks5", "socks5"), ("http+ssl", "https"),
    ])
    func recordsThroughAProxyAndReplaysWithoutIt(listens: String, scheme: String) async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let proxy = try await ForwardProxy(bench, "\(listens)://127.0.0.1:0/#user:\(Self.password)")
            let options =
                try bench.options(for: origin) + [
                    "--proxy-localhost", "--upstream-proxy",
                    "\(scheme)://user:\(Self.password)@127.0.0.1:\(proxy.port)",
                ]
            let (secure, plain) = (origin.port("https"), origin.port("http"))
            let command = [
                "curl", "-s", "--max-time", "60", "https://localhost:\(secure)/json?x=1", "-d", "body",
                "https://localhost:\(secure)/echo", "http://localhost:\(plain)/json?x=2",
                "http://localhost:\(plain)/json?x=3",
            ]
            let live = try await bench.run(options, command)
            #expect(live.code == 0, "\(live.errors)")
            #expect(live.summary?.recorded == 4, "\(live.errors)")
            let name = listens == "socks5" ? "socks5" : "http"
            #expect(proxy.requests == ["\(name) localhost:\(secure)", "\(name) localhost:\(plain)"])
            origin.stop()
            proxy.stop()
            let replay = try await bench.run(options, command)
            expectSameBytes(live.output, replay.output)
            #expect(replay.summary?.replayed == 4, "\(replay.errors)")
            for data in bench.storedFiles().values {
                #expect(!String(decoding: data, as: UTF8.self).contains(Self.password))
            }
            #expect(!(live.errors + replay.errors).contains(Self.password))
        }
    }

    @Test func takesTheProxyOfItsOwnEnvironmentAndItsExceptions() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let proxy = try await ForwardProxy(bench, "http://127.0.0.1:0")
            let options = try bench.options(for: origin) + ["--upstream-proxy", "env", "--mode", "passthrough"]
            let environment = [
                "HTTPS_PROXY": "http://127.0.0.1:\(proxy.port)", "NO_PROXY": "git.example.test",
            ]
            let done = try await bench.run(
                options,
                [
                    "curl", "-s", "-o", "/dev/null", "-o", "/dev/null", "-o", "/dev/null", "-w", "%{http_code} ",
                    "https://api.example.test/json", "https://git.example.test/json", "http://api.example.test/json",
                ], environment: environment)
            #expect(done.text == "200 200 200 ", "\(done.errors)")
            #expect(proxy.requests == ["http 127.0.0.1:\(origin.port("https"))"])
        }
    }

    @Test func saysWhichSettingToChange() async throws {
        try await withWorkbench { bench in
            let proxy = try await ForwardProxy(bench, "http+socks5://127.0.0.1:0/#user:right")
            for (scheme, credentials) in [("http", ""), ("http", "user:\(Self.password)@"), ("socks5", "")] {
                let done = try await bench.run(
                    [
                        "--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes, "--upstream-proxy",
                        "\(scheme)://\(credentials)127.0.0.1:\(proxy.port)",
                    ], ["curl", "-si", "--max-time", "60", "https://api.example.test/"])
                #expect(done.text.contains(" 502 "), "\(done.text)\n\(done.errors)")
                #expect(done.text.contains("--upstream-proxy"), "\(done.text)")
                #expect(!(done.text + done.errors).contains(Self.password))
                #expect(bench.storedFiles().isEmpty, "the proxy's refusal is not the origin's answer")
                // A client may keep the 502 to itself.
                let words = "1 request failed and is not recorded: GET https://api.example.test/: The upstream proxy "
                #expect(done.errors.contains(", 1 failed\n") && done.errors.contains(words), "\(done.errors)")
            }
        }
    }

    /// The other proxy is Playhead too: what a chain of sidecars looks like.
    @Test func playheadGoesThroughPlayhead() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let outer = try await Serve(bench, try bench.options(for: origin) + ["--mode", "passthrough"])
            let inner = try await bench.run(
                [
                    "--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes, "--upstream-ca",
                    bench.folder + "/ca/ca.pem", "--upstream-proxy", "http://127.0.0.1:\(outer.port)",
                ],
                [
                    "curl", "-s", "-o", "/dev/null", "-o", "/dev/null", "-w", "%{http_code} ",
                    "https://api.example.test/json", "http://api.example.test/json",
                ])
            #expect(inner.text == "200 200 ", "\(inner.errors)")
            #expect(inner.summary?.recorded == 2)
            #expect(origin.requests.count == 2)
            #expect(try await outer.stop() == 0)
        }
    }
}
