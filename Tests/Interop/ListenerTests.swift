import Foundation
import Testing

/// The ways in to one port: SOCKS5, TLS to the proxy itself, and the token that opens it.
@Suite("Listener", .timeLimit(.minutes(10)))
struct ListenerTests {
    private static let url = "https://api.example.test/json"

    @Test(arguments: [["--socks5-hostname", "127.0.0.1:PORT"], ["--proxy", "socks5h://checkout:x@127.0.0.1:PORT"]])
    func curlThroughSOCKS(proxy: [String]) async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let serve = try await Serve(bench, try bench.options(for: origin))
            let curl =
                ["curl", "-s", "--max-time", "60", "--cacert", bench.folder + "/ca/ca.pem"]
                + proxy.map { $0.replacingOccurrences(of: "PORT", with: "\(serve.port)") }
            let done = try await bench.finish(curl + [Self.url, "http://api.example.test/json"])
            #expect(done.code == 0, "\(done.errors)\n\(serve.process.errors)")
            #expect(done.text.components(separatedBy: "\"path\"").count == 3, "\(done.text)")
            #expect(try await serve.stop() == 0)
            let name = proxy[1].contains("checkout") ? "checkout.yaml" : "default.yaml"
            let text = try bench.cassetteText(name)
            #expect(text.contains(Self.url) && text.contains("http://api.example.test/json"))
        }
    }

    @Test(.enabled(if: ClientPython.has("socks"), "PySocks is not installed"))
    func pythonThroughSOCKS() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let serve = try await Serve(bench, try bench.options(for: origin))
            let script = """
                import requests
                proxy = "socks5h://127.0.0.1:\(serve.port)"
                with requests.Session() as session:
                    for url in ["\(Self.url)", "http://api.example.test/json"]:
                        print(session.get(url, proxies={"https": proxy, "http": proxy}, timeout=60).status_code)
                """
            let done = try await bench.finish(
                [try #require(ClientPython.path), "-c", script],
                environment: ["REQUESTS_CA_BUNDLE": bench.folder + "/ca/ca.pem"])
            #expect(done.text == "200\n200\n", "\(done.errors)\n\(serve.process.errors)")
            #expect(try await serve.stop() == 0)
            #expect(Summary(serve.process.errors)?.recorded == 2)
        }
    }

    @Test func curlSpeaksTLSToTheProxy() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let serve = try await Serve(bench, try bench.options(for: origin))
            let ca = bench.folder + "/ca/ca.pem"
            for host in ["127.0.0.1", "localhost"] {
                let curl = [
                    "curl", "-s", "--max-time", "60", "--cacert", ca, "--proxy", "https://\(host):\(serve.port)",
                ]
                let done = try await bench.finish(
                    curl + ["--proxy-cacert", ca, "-w", "%{http_code} ", "-o", "/dev/null", "-o", "/dev/null"]
                        + [Self.url, "http://api.example.test/json"])
                #expect(done.text == "200 200 ", "\(done.errors)\n\(serve.process.errors)")
                let distrusting = try await bench.finish(curl + [Self.url])
                #expect(distrusting.code != 0)
            }
            #expect(try await serve.stop() == 0)
            #expect(serve.process.errors.contains("--proxy-cacert"), "\(serve.process.errors)")
        }
    }

    @Test func aTokenIsAskedForAndIsInAFileOfItsOwner() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let ready = bench.folder + "/ready.json"
            let options = try bench.options(for: origin) + ["--require-auth", "--ready-file", ready]
            let serve = try await Serve(bench, options)
            struct Ready: Decodable { let proxy_token_file: String }
            let line = try await eventually("the ready file") { FileManager.default.contents(atPath: ready) }
            let file = try JSONDecoder().decode(Ready.self, from: line).proxy_token_file
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let token = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(
                in: .whitespacesAndNewlines)
            let curl = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code} %{http_connect}", "--max-time", "60"]
            let trust = ["--cacert", bench.folder + "/ca/ca.pem"]
            for (user, answer) in [
                ("", "000 407"), ("default:wrong@", "000 407"), ("checkout:\(token)@", "200 200"),
                (":\(token)@", "200 200"),
            ] {
                let done = try await bench.finish(
                    curl + trust + ["--proxy", "http://\(user)127.0.0.1:\(serve.port)", Self.url])
                #expect(done.text == answer, "\(user): \(serve.process.errors)")
            }
            let env = try await bench.playhead(
                ["env", "--format", "dotenv", "--ca-dir", bench.folder + "/ca"],
                environment: ["PLAYHEAD_REQUIRE_AUTH": "1", "PLAYHEAD_LISTEN": "127.0.0.1:\(serve.port)"])
            #expect(env.text.contains("http://default:\(token)@127.0.0.1:\(serve.port)"), "\(env.errors)")
            // Nothing says so but the token's file; a port without one is asked without a token.
            for (port, isAsked) in [(serve.port, true), (1, false)] {
                let plain = try await bench.playhead(
                    [
                        "env", "--format", "dotenv", "--ca-dir", bench.folder + "/ca", "--url",
                        "http://127.0.0.1:\(port)",
                    ])
                #expect(plain.text.contains(":\(token)@") == isAsked, "\(plain.errors)")
            }
            #expect(try await serve.stop() == 0)
            #expect(!(serve.process.errors + String(decoding: serve.process.output, as: UTF8.self)).contains(token))
            #expect(!FileManager.default.fileExists(atPath: file))
            for data in bench.storedFiles().values { #expect(!String(decoding: data, as: UTF8.self).contains(token)) }
        }
    }

    @Test func onlyTheNamedNetworksMayCome() async throws {
        try await withWorkbench { bench in
            let serve = try await Serve(
                bench,
                [
                    "--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes, "--allow-from",
                    "10.0.0.0/8,fd00::/8",
                ])
            let done = try await bench.finish(serve.curl(bench) + ["http://playhead.internal/ca.pem"])
            #expect(done.text.contains("--allow-from"))
            let wrong = try await bench.playhead(["serve", "--allow-from", "10.0.0.0/99"])
            #expect(wrong.code == 64)
            #expect(try await serve.stop() == 0)
        }
    }
}
