import Foundation
import Testing

/// Origins that misbehave: nothing of it may look like a good answer, and nothing may leak into another request.
@Suite("Odd origins", .timeLimit(.minutes(10)))
struct UpstreamBehaviourTests {
    static let url = "https://api.example.test"

    @Test(arguments: [
        "two-lengths", "length-and-chunked", "negative-length", "odd-length", "odd-coding", "chunked-twice",
        "space-before-colon", "nul-in-value", "bare-cr", "no-colon", "status-of-two-digits", "status-zero", "not-http",
        "http-0.9", "unasked-101", "endless-1xx", "endless-header", "many-headers",
    ])
    func aMalformedAnswerBecomesA502(_ name: String) async throws {
        try await withWorkbench { bench in
            let live = try await bench.recordsAndReplays(
                [
                    "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "40",
                    Self.url + "/malformed/\(name)",
                ],
                exchanges: 1)
            #expect(live.text == "502", "\(live.errors)")
            #expect(try bench.cassetteText().contains("failure:"))
        }
    }

    @Test(arguments: ["size", "long", "overflow"])
    func badChunksBreakTheMessageOff(_ name: String) async throws {
        try await withWorkbench { bench in
            let live = try await bench.recordsAndReplays(
                ["curl", "-s", "--max-time", "40", Self.url + "/badchunk/\(name)"], exchanges: 1, code: nil)
            // curl's own codes for a message that is not complete, 92 over HTTP/2; 28 would be a hang.
            #expect([18, 52, 55, 56, 92].contains(live.code), "\(live.code)")
        }
    }

    @Test func anAnswerThatNobodyAskedForIsNeverUsed() async throws {
        try await withWorkbench { bench in
            let live = try await bench.recordsAndReplays(
                [
                    "curl", "-s", Self.url + "/extra", Self.url + "/json?after", Self.url + "/extra",
                    Self.url + "/json?last",
                ],
                exchanges: 4)
            #expect(!live.text.contains("poison"))
            #expect(live.text.contains("/json?after") && live.text.contains("/json?last"))
        }
    }

    @Test func anEarlyAnswerReachesAClientThatStillSends() async throws {
        try await withWorkbench { bench in
            try bench.write("big.bin", TestBytes.make(count: 20_000_000, seed: 3))
            let origin = try await bench.origin()
            let live = try await bench.run(
                try bench.options(for: origin),
                ["curl", "-s", "-w", "%{http_code}", "-H", "Expect:", "-T", "big.bin", Self.url + "/early"])
            #expect(live.text.contains("413"), "\(live.text) \(live.errors)")
        }
    }

    @Test func aConnectionThatTheOriginClosedIsNotUsedAgain() async throws {
        try await withWorkbench { bench in
            let urls = (1...12).map { Self.url + "/vanish?n=\($0)" }
            let live = try await bench.recordsAndReplays(["curl", "-sf"] + urls, exchanges: 12)
            #expect(live.text.split(separator: "\n").count == 12)
        }
    }

    @Test func passesInterimResponsesOn() async throws {
        try await withWorkbench { bench in
            let live = try await bench.recordsAndReplays(
                ["curl", "--http1.1", "-si", Self.url + "/hints"], exchanges: 1, sameOutput: false)
            #expect(live.text.contains("HTTP/1.1 103"))
            #expect(live.text.contains("rel=preload"))
        }
    }

    @Test(arguments: ["/split-secret", "/gzip-secret", "/secret"])
    func findsSecretsInWhateverFormTheyCome(_ path: String) async throws {
        try await withWorkbench { bench in
            let live = try await bench.recordsAndReplays(
                ["curl", "-s", "--compressed", Self.url + path], exchanges: 1, sameOutput: false)
            #expect(Secrets.all.contains { live.text.contains($0) }, "the live client gets the true answer")
            #expect(try bench.cassetteText().contains("[REDACTED:"))
            // The edited body keeps its length right: the replay is a whole message.
            let replay = try await bench.run(
                ["--cassettes", bench.cassettes], ["curl", "-s", "--compressed", Self.url + path])
            #expect(replay.code == 0 && replay.text.contains("[REDACTED:"), "\(replay.errors)")
            #expect((try? JSONSerialization.jsonObject(with: replay.output)) != nil, "\(replay.text)")
        }
    }

    /// Secrets are gone before the first byte reaches the disk: a killed process leaves none in its journal either.
    @Test func aJournalHoldsNoSecrets() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let serve = try await Serve(bench, try bench.options(for: origin))
            for path in ["/secret?access_token=query-secret-1234", "/split-secret", "/gzip-secret", "/cookies"] {
                let answer = try await bench.finish(
                    serve.curl(bench) + [
                        "-H", "Authorization: Bearer bearer-secret-4711", "--json",
                        #"{"password": "json-secret-9876"}"#,
                        Self.url + path,
                    ])
                #expect(answer.code == 0)
            }
            serve.process.kill()
            #expect(bench.storedFiles().keys.contains { $0.hasSuffix(".journal") })
            bench.expectNoSecrets(serve.process.errors)
        }
    }
}
