import Foundation
import Testing

/// What `playhead run` promises about exit codes and words, whatever the command is.
@Suite("Contract of run", .timeLimit(.minutes(10)))
struct RunContractTests {
    static let url = "https://api.example.test"

    /// Options of a run that needs no origin.
    private func plain(_ bench: Workbench) -> [String] {
        ["--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes]
    }

    // MARK: misses

    @Test func aMissExitsThreeAndNamesTheNearestRecording() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            let first = try await bench.run(options, ["curl", "-s", Self.url + "/json?page=1&size=10"])
            try #require(first.code == 0, "\(first.errors)")
            origin.stop()
            let miss = try await bench.run(
                options + ["--mode", "none"], ["curl", "--http1.1", "-si", Self.url + "/json?page=2&size=10"])
            #expect(miss.code == 3, "\(miss.errors)")
            #expect(miss.summary?.missed == 1)
            // The nearest recording and the part that differs, old and new.
            #expect(miss.errors.contains("/json"))
            #expect(miss.errors.contains(#"query page: recorded "1", requested "2""#), "\(miss.errors)")
            #expect(!miss.errors.contains("query size"), "only what differs is to be told: \(miss.errors)")
            // The client got the machine-readable form of the same.
            #expect(miss.text.contains("HTTP/1.1 501"))
            #expect(miss.text.lowercased().contains("proxy-status:"))
            #expect(miss.text.lowercased().contains("playhead-miss:"))
            #expect(miss.text.contains("application/problem+json"))
        }
    }

    @Test func modeNoneOpensNoSocketAndNeedsNoOrigin() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let miss = try await bench.run(
                try bench.options(for: origin) + ["--mode", "none"],
                [
                    "curl", "-s", "-o", "/dev/null", Self.url + "/json", "-o", "/dev/null",
                    "http://api.example.test/json",
                ])
            #expect(miss.code == 3)
            #expect(miss.summary?.missed == 2)
            #expect(origin.connections == 0)
            #expect(!FileManager.default.fileExists(atPath: bench.cassettes + "/default.yaml"))
        }
    }

    @Test func theCommandsOwnCodeWinsOverAMiss() async throws {
        try await withWorkbench { bench in
            let miss = try await bench.run(
                self.plain(bench) + ["--mode", "none"], ["curl", "-sf", "-o", "/dev/null", Self.url + "/json"])
            #expect(miss.code == 22, "\(miss.errors)")
            #expect(miss.summary?.missed == 1)
        }
    }

    @Test func aSwallowedMissStillExitsThree() async throws {
        try await withWorkbench { bench in
            let miss = try await bench.run(
                self.plain(bench) + ["--mode", "none"],
                ["sh", "-c", "curl -sf -o /dev/null \(Self.url)/json || true"])
            #expect(miss.code == 3, "\(miss.errors)")
        }
    }

    // MARK: the command's end

    @Test(arguments: [0, 1, 7, 255] as [Int32])
    func passesTheCommandsCodeOn(_ code: Int32) async throws {
        try await withWorkbench { bench in
            let done = try await bench.run(self.plain(bench), ["sh", "-c", "echo out; echo err >&2; exit \(code)"])
            #expect(done.code == code)
            #expect(done.text == "out\n")
            #expect(done.errors.hasPrefix("err\n"), "\(done.errors)")
        }
    }

    @Test func aCommandThatIsNotThereExits127() async throws {
        try await withWorkbench { bench in
            let done = try await bench.run(self.plain(bench), ["no-such-command-4711"])
            #expect(done.code == 127)
            #expect(done.errors.contains("no-such-command-4711"))
        }
    }

    @Test func aFileThatIsNotExecutableExits126() async throws {
        try await withWorkbench { bench in
            let file = try bench.write("notes.txt", "not a program\n")
            let done = try await bench.run(self.plain(bench), [file])
            #expect(done.code == 126, "\(done.errors)")
            #expect(done.errors.contains("notes.txt"))
        }
    }

    @Test(arguments: [SIGTERM, SIGKILL, SIGINT])
    func aSignalThatEndedTheCommandIsAddedTo128(_ signal: Int32) async throws {
        try await withWorkbench { bench in
            let done = try await bench.run(self.plain(bench), ["sh", "-c", "kill -\(signal) $$"])
            #expect(done.code == 128 + signal, "\(done.errors)")
            let words = "playhead: the command was ended by signal \(signal) ("
            #expect(done.errors.contains(words) == (signal != SIGINT), "\(done.errors)")
        }
    }

    @Test func forwardsSignalsToTheCommand() async throws {
        try await withWorkbench { bench in
            let script = "trap 'echo got it; exit 9' TERM; echo ready; while :; do sleep 0.05; done"
            let child = try bench.start([bench.binary, "run"] + self.plain(bench) + ["--", "sh", "-c", script])
            try await eventually("the command runs") { child.output.isEmpty ? nil : true }
            child.signal(SIGTERM)
            let code = try await child.exit(within: .seconds(30))
            #expect(code == 9, "\(child.errors)")
            #expect(String(decoding: child.output, as: UTF8.self) == "ready\ngot it\n")
        }
    }

    @Test func aTimeoutExits124AndEndsTheCommand() async throws {
        try await withWorkbench { bench in
            let done = try await bench.run(
                self.plain(bench) + ["--timeout", "1s"], ["sh", "-c", "echo $$; exec sleep 120"], within: .seconds(40))
            #expect(done.code == 124, "\(done.errors)")
            #expect(done.errors.contains("playhead: the command did not end within 1s and was stopped (--timeout)."))
            let pid = try #require(pid_t(done.text.trimmingCharacters(in: .whitespacesAndNewlines)))
            #expect(kill(pid, 0) != 0, "the command still runs")
        }
    }

    @Test func givesTheCommandItsStandardInput() async throws {
        try await withWorkbench { bench in
            let input = try bench.write("input", "to be read\n")
            let done = try await bench.run(self.plain(bench), ["cat"], input: input)
            #expect(done.text == "to be read\n")
        }
    }

    @Test func aRunWithoutRequestsLeavesNoCassette() async throws {
        try await withWorkbench { bench in
            let done = try await bench.run(self.plain(bench), ["true"])
            #expect(done.code == 0)
            #expect(!bench.storedFiles().keys.contains { $0.hasSuffix(".yaml") })
        }
    }

    // MARK: what it sets

    @Test func setsAndRemovesTheVariablesOfTheContract() async throws {
        try await withWorkbench { bench in
            let done = try await bench.run(
                self.plain(bench), ["env"],
                environment: [
                    "ALL_PROXY": "socks5://1.2.3.4", "NO_PROXY": "api.example.test", "JAVA_TOOL_OPTIONS": "-Dmine=1",
                ])
            var seen: [String: String] = [:]
            for line in done.text.split(separator: "\n") {
                let pair = line.split(separator: "=", maxSplits: 1)
                if let name = pair.first { seen[String(name)] = pair.count > 1 ? String(pair[1]) : "" }
            }
            let proxy = try #require(seen["PLAYHEAD_PROXY_URL"])
            #expect(proxy.hasPrefix("http://127.0.0.1:"))
            for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "HTTP_PROXY", "grpc_proxy", "npm_config_proxy"] {
                #expect(seen[name] == proxy, "\(name)")
            }
            for name in [
                "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "AWS_CA_BUNDLE",
                "GIT_SSL_CAINFO", "CARGO_HTTP_CAINFO", "NODE_EXTRA_CA_CERTS", "DENO_CERT", "WGETRC", "PLAYHEAD_CA_FILE",
                "PLAYHEAD_BUNDLE_FILE",
            ] {
                #expect(seen[name]?.hasPrefix("/") == true, "\(name)")
            }
            #expect(seen["PLAYHEAD_ACTIVE"] == "1")
            #expect(seen["NODE_USE_ENV_PROXY"] == "1")
            #expect(seen["ALL_PROXY"] == nil && seen["all_proxy"] == nil)
            #expect(seen["NO_PROXY"]?.contains("example.test") != true)
            #expect(seen["no_proxy"]?.contains("localhost") == true)
            #expect(seen["JAVA_TOOL_OPTIONS"]?.hasPrefix("-Dmine=1 ") == true)
            #expect(seen["JAVA_TOOL_OPTIONS"]?.contains("-Djavax.net.ssl.trustStore=") == true)
            // Nothing of it is left once the command ended.
            let left = try FileManager.default.contentsOfDirectory(atPath: bench.folder + "/tmp")
            #expect(left.isEmpty, "\(left)")
        }
    }

    @Test func doesNotSetUppercaseHTTPProxyUnderCGI() async throws {
        try await withWorkbench { bench in
            let done = try await bench.run(self.plain(bench), ["env"], environment: ["REQUEST_METHOD": "GET"])
            #expect(!done.text.contains("\nHTTP_PROXY="))
            #expect(done.text.contains("http_proxy="))
        }
    }

    // MARK: modes

    @Test func recordsNewEpisodesBesideOldOnes() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            _ = try await bench.run(options, ["curl", "-s", Self.url + "/json?n=1"])
            let second = try await bench.run(
                options + ["--mode", "new_episodes"], ["curl", "-s", Self.url + "/json?n=1", Self.url + "/json?n=2"])
            #expect(second.summary?.replayed == 1 && second.summary?.recorded == 1, "\(second.errors)")
            #expect(origin.requests == ["GET /json?n=1", "GET /json?n=2"])
        }
    }

    @Test func onceDoesNotRecordIntoAFilledCassette() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            _ = try await bench.run(options, ["curl", "-s", Self.url + "/json?n=1"])
            let second = try await bench.run(options, ["curl", "-s", Self.url + "/json?n=2"])
            #expect(second.code == 3, "\(second.errors)")
            #expect(origin.requests == ["GET /json?n=1"])
        }
    }

    @Test func rewriteReplacesTheWholeCassette() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            _ = try await bench.run(options, ["curl", "-s", Self.url + "/json?n=1"])
            let second = try await bench.run(options + ["--mode", "rewrite"], ["curl", "-s", Self.url + "/json?n=2"])
            #expect(second.code == 0, "\(second.errors)")
            let text = try bench.cassetteText()
            #expect(text.contains("n=2") && !text.contains("n=1"))
        }
    }

    @Test func passthroughWritesNothing() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let done = try await bench.run(
                try bench.options(for: origin) + ["--mode", "passthrough"], ["curl", "-s", Self.url + "/json"])
            #expect(done.code == 0 && done.text.contains(#""path": "/json""#), "\(done.errors)")
            #expect(!bench.storedFiles().keys.contains { $0.hasSuffix(".yaml") })
        }
    }

    @Test func aFailedCommandSavesNothingWhereThatIsAsked() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin) + ["--discard-on-failure"]
            let failed = try await bench.run(options, ["sh", "-c", "curl -s \(Self.url)/json; exit 9"])
            #expect(failed.code == 9 && failed.text.contains("/json"))
            #expect(failed.errors.contains("the command failed, so nothing is saved (--discard-on-failure)."))
            #expect(bench.storedFiles().isEmpty, "\(bench.storedFiles().keys)")
            let done = try await bench.run(options, ["curl", "-s", Self.url + "/json"])
            #expect(done.code == 0)
            #expect(try bench.cassetteText().contains("/json"))
        }
    }

    @Test func postsWithDifferentBodiesGetTheirOwnAnswersInAnyOrder() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            let script = "for n in $ORDER; do curl -s -d value=$n \(Self.url)/echo; echo; done"
            let first = try await bench.run(options, ["sh", "-c", script], environment: ["ORDER": "1 2 3"])
            #expect(first.text == "value=1\nvalue=2\nvalue=3\n")
            origin.stop()
            let second = try await bench.run(options, ["sh", "-c", script], environment: ["ORDER": "3 1 2"])
            #expect(second.text == "value=3\nvalue=1\nvalue=2\n", "\(second.errors)")
        }
    }

    @Test func keepsSecretsOfEveryKindOutOfFilesAndTalk() async throws {
        try await withWorkbench { bench in
            let command = [
                "curl", "-s", "-H", "Authorization: Bearer bearer-secret-4711", "-b", "sid=cookie-secret-0815",
                "--json",
                #"{"user": "ada", "deep": {"password": "json-secret-9876"}}"#,
                Self.url + "/secret?access_token=query-secret-1234&page=1",
            ]
            let live = try await bench.recordsAndReplays(command, exchanges: 1, sameOutput: false)
            #expect(live.text.contains("hunter2-in-a-body"), "the live client gets the true answer")
            let text = try bench.cassetteText()
            #expect(text.contains("[REDACTED:"))
            #expect(text.contains("page=1") && text.contains("ada"))
            let miss = try await bench.run(
                ["--cassettes", bench.cassettes, "--mode", "none", "-v"],
                [
                    "curl", "-s", "-H", "Authorization: Bearer bearer-secret-4711",
                    Self.url + "/other?access_token=query-secret-1234",
                ])
            #expect(miss.code == 3)
            bench.expectNoSecrets(miss.errors, miss.text)
        }
    }
}
