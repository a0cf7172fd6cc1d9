import Foundation
import Testing

/// Real clients and servers that speak HTTP/2, recorded and then replayed with the server stopped.
@Suite("HTTP/2", .timeLimit(.minutes(3)))
struct HTTP2Tests {
    static let url = "https://api.example.test"

    struct Case: CustomTestStringConvertible {
        var client: String
        var server: HTTP2Origin.Server

        var testDescription: String { "\(self.client), \(self.server)" }

        static let all = ["curl", "curl-http1", "httpx", "node"].flatMap { client in
            HTTP2Origin.Server.allCases.map { Case(client: client, server: $0) }
        }.filter { HTTP2Origin.isInstalled($0.server) && Self.isInstalled($0.client) }

        private static func isInstalled(_ client: String) -> Bool {
            switch client {
            case "httpx": ClientPython.has("h2") && ClientPython.has("httpx")
            case "node": Tool.has("node")
            default: Tool.output(of: ["curl", "--version"])?.contains("HTTP2") ?? false
            }
        }

        var command: [String] {
            get throws {
                switch self.client {
                case "httpx": [try #require(ClientPython.path), Playhead.resource("Clients/http2.py"), url]
                case "node": ["node", Playhead.resource("Clients/http2.mjs"), "api.example.test"]
                default:
                    [
                        "sh", "-ec",
                        """
                        c="curl -sS \(self.client == "curl" ? "--http2" : "--http1.1") -w %{http_version},%{size_download}"
                        $c --parallel \(url)/a \(url)/b
                        $c -o big \(url)/big
                        $c --data-binary @body \(url)/post
                        """,
                    ]
                }
            }
        }
    }

    @Test(arguments: Case.all)
    func recordsAndReplays(_ test: Case) async throws {
        try await withWorkbench { bench in
            try bench.write("body", Data(repeating: UInt8(ascii: "x"), count: 100_000))
            let origin = try await HTTP2Origin(test.server, bench)
            // A client of HTTP/1.1 has the origin in HTTP/2 too, when asked.
            let options = try origin.options(bench) + (test.client == "curl-http1" ? ["--http2", "always"] : [])
            let live = try await bench.run(options, try test.command, within: .seconds(60))
            try #require(live.code == 0, "\(live.errors)")
            let recorded = try #require(live.summary?.recorded)
            #expect(recorded == (test.client.hasPrefix("curl") ? 4 : 5), "\(live.errors)")
            origin.stop()

            // Both sides spoke HTTP/2, and the cassette says so.
            let cassette = try bench.cassetteText()
            let spoken = cassette.matches(of: /http: HTTP\/2\n/).count
            #expect(spoken == (test.client == "curl-http1" ? 1 : 2) * recorded, "\(cassette.prefix(2000))")

            let replay = try await bench.run(options + ["--mode", "none"], try test.command, within: .seconds(60))
            #expect(replay.code == 0, "\(replay.errors)")
            #expect(Self.sorted(replay.text) == Self.sorted(live.text))
            #expect(live.text.contains("POST /post"))
            #expect(replay.summary?.replayed == recorded)
        }
    }

    /// Requests that are under way at once end in any order.
    private static func sorted(_ text: String) -> String { String(text.sorted()) }

    @Test(
        .enabled(
            if: Tool.has("nghttp") && Tool.has("h2load"), "nghttp and h2load are not installed (nghttp2-client)"))
    func nghttpAndH2loadByPriorKnowledge() async throws {
        try await withWorkbench { bench in
            // They know no proxies: the authority names the origin, the connection goes to the proxy.
            let nghttp = ["sh", "-c", "nghttp -H ':authority: api.example.test' $http_proxy/json"]
            try await bench.recordsAndReplays(nghttp, exchanges: 1)
            let h2load = [
                "sh", "-c", "h2load -n 500 -c 5 -m 50 -H ':authority: api.example.test' $http_proxy/json",
            ]
            let options = ["--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes]
            let load = try await bench.run(options + ["--mode", "none", "--repeats", "last"], h2load)
            #expect(load.code == 0, "\(load.errors)")
            #expect(load.text.contains("500 succeeded, 0 failed, 0 errored, 0 timeout"), "\(load.text)")
            #expect(load.text.contains("500 2xx, 0 3xx, 0 4xx, 0 5xx"), "\(load.text)")
            #expect(load.summary?.replayed == 500)
        }
    }

    @Test func isNotOfferedWhenItIsOff() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            defer { origin.stop() }
            let options = try bench.options(for: origin) + ["--mode", "passthrough"]
            for (use, version) in [("auto", "2"), ("off", "1.1")] {
                let answer = try await bench.run(
                    options + ["--http2", use],
                    ["curl", "-sS", "--http2", "-o", "body", "-w", "%{http_version}", Self.url + "/json"])
                #expect(answer.text == version, "\(answer.errors)")
            }
        }
    }
}
