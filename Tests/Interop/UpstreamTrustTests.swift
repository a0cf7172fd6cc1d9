import Foundation
import Testing

/// An origin with a bad certificate is never answered as if it were good.
@Suite("Upstream verification", .timeLimit(.minutes(10)))
struct UpstreamTrustTests {
    static let url = "https://api.example.test/json"

    @Test(arguments: ["expired", "wronghost", "selfsigned"])
    func aBadCertificateGivesA502ThatNamesTheWayOut(_ listener: String) async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin, https: listener)
            let command = ["curl", "-si", "--max-time", "60", Self.url]
            let live = try await bench.run(options, command)
            #expect(live.text.contains(" 502 "), "\(live.text)\n\(live.errors)")
            #expect(live.text.lowercased().contains("proxy-status:"))
            #expect(live.text.contains("--insecure-upstream"))
            #expect(live.text.contains("Trust its issuer with --upstream-ca FILE") == (listener == "selfsigned"))
            #expect(live.text.contains("--upstream-ca does not help with that") == (listener != "selfsigned"))
            #expect(live.errors.contains("playhead cassette prune"), "who corrects it has to know: \(live.errors)")
            #expect(live.text.contains("api.example.test"))
            #expect(live.text.lowercased().contains("cache-control: no-store"))
            #expect(origin.requests.isEmpty, "a request went to an origin that was not verified")
            // Recorded as a failure, so that the replay is the same event.
            #expect(try bench.cassetteText().contains("failure:"))
            #expect(try !bench.cassetteText().contains("status: 502"))
            origin.stop()
            let replay = try await bench.run(options, command)
            expectSameBytes(live.output, replay.output)
            #expect(replay.summary?.replayed == 1, "\(replay.errors)")
        }
    }

    @Test func anUnknownCAGivesA502() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let live = try await bench.run(
                [
                    "--cassettes", bench.cassettes, "--ca-dir", bench.folder + "/ca", "--map",
                    "api.example.test=127.0.0.1:\(origin.port("https"))",
                ], ["curl", "-si", Self.url])
            #expect(live.text.contains(" 502 "), "\(live.text)\n\(live.errors)")
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func insecureUpstreamIsPerHostAndLoud() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin, https: "selfsigned")
            let live = try await bench.run(
                options + ["--insecure-upstream", "api.example.test"],
                [
                    "curl", "-s", "-w", "%{http_code} ", "-o", "/dev/null", Self.url, "-o", "/dev/null",
                    "https://git.example.test/json",
                ])
            #expect(live.text == "200 502 ", "only the named host is trusted unseen: \(live.errors)")
            #expect(live.errors.contains("api.example.test"), "nothing was said about it: \(live.errors)")
        }
    }

    @Test func anOriginThatRefusesGivesA502AndReplaysIt() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            origin.stop()
            let command = ["curl", "-si", "--max-time", "60", Self.url]
            let live = try await bench.run(options, command)
            #expect(live.text.contains(" 502 "), "\(live.text)\n\(live.errors)")
            #expect(live.text.lowercased().contains("proxy-status:"))
            let replay = try await bench.run(options, command)
            expectSameBytes(live.output, replay.output)
            #expect(replay.summary?.replayed == 1, "\(replay.errors)")
        }
    }

    /// A client that holds only our CA accepts the leaf for every kind of name.
    @Test(arguments: [
        "https://api.example.test/json", "https://127.0.0.1/json", "https://[::1]/json",
        "https://xn--bcher-kva.example/json",
        "https://\(String(repeating: "a", count: 50)).\(String(repeating: "b", count: 45)).test/json",
    ])
    func everyKindOfNameIsAccepted(_ url: String) async throws {
        try await withWorkbench { bench in
            // The certificate is what counts here: a miss is an answer over a verified connection.
            let done = try await bench.run(
                [
                    "--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes, "--mode", "none",
                    "--proxy-localhost",
                ],
                ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code} %{ssl_verify_result}", url])
            #expect(done.text == "501 0", "\(done.errors)")
        }
    }
}
