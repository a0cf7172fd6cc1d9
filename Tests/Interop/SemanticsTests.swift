import Foundation
import Testing

/// Rules of recording and replay that only the whole program shows; `docs/recording-tests.md` says which row each proves.
@Suite("Semantics", .timeLimit(.minutes(10)))
struct SemanticsTests {
    static let url = "https://api.example.test"
    private static let curl = ["curl", "-s", "--max-time", "30"]

    @Test func pollingFiveTimesRecordsFiveAndReplaysThemInOrder() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            let five = Self.curl + [String](repeating: Self.url + "/json?poll", count: 5)
            let live = try await bench.run(options, five)
            #expect(live.summary?.recorded == 5, "\(live.errors)")
            #expect(Set(live.text.split(separator: "\n")).count == 5, "each answer has its own number: \(live.text)")
            origin.stop()
            let again = try await bench.run(options + ["--mode", "none"], five)
            #expect(again.text == live.text && again.summary?.replayed == 5, "\(again.errors)")
            let sixth = try await bench.run(options + ["--mode", "none"], five + [Self.url + "/json?poll"])
            #expect(sixth.code == 3 && sixth.summary?.missed == 1)
            #expect(sixth.errors.contains("already played") && sixth.errors.contains("#5"), "\(sixth.errors)")
        }
    }

    @Test func nothingIsSavedWhenTheCommandFailsAndThatIsAskedFor() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            let failing = ["sh", "-c", "curl -s \(Self.url)/json && exit 9"]
            let discarded = try await bench.run(options + ["--discard-on-failure"], failing)
            #expect(discarded.code == 9 && discarded.text.contains("served"), "\(discarded.errors)")
            #expect(bench.storedFiles().isEmpty, "\(bench.storedFiles().keys)")
            #expect(discarded.summary?.recorded == 0 && discarded.errors.contains("1 discarded"), "\(discarded.errors)")
            let kept = try await bench.run(options, failing)
            #expect(kept.code == 9)
            #expect(try bench.cassetteText().contains("/json"))
            origin.stop()
        }
    }

    @Test func ignoredHostsAreRelayedInEveryModeAndNotRecorded() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin) + ["--ignore", "api.example.test"]
            for mode in ["none", "once"] {
                let report = bench.file("report-\(mode).json")
                let relayed = try await bench.run(
                    options + ["--mode", mode, "--report", report], Self.curl + [Self.url + "/json?\(mode)"])
                #expect(relayed.code == 0 && relayed.text.contains("served"), "\(mode): \(relayed.errors)")
                // It is no miss, and it is counted.
                #expect(
                    relayed.errors.contains("0 missed") && relayed.errors.contains("1 ignored"), "\(relayed.errors)")
                let counts = try String(contentsOfFile: report, encoding: .utf8)
                #expect(counts.contains(#""ignored":1"#) && counts.contains(#""missed":0"#), "\(counts)")
            }
            #expect(origin.requests.count == 2 && bench.storedFiles().isEmpty)
        }
    }

    @Test func aMissTakesTheShapeThatIsAskedFor() async throws {
        try await withWorkbench { bench in
            let options = ["--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes, "--mode", "none"]
            let status = try await bench.run(
                options + ["--on-miss", "status:404"],
                Self.curl + ["-o", "/dev/null", "-w", "%{http_code}", Self.url + "/json"])
            #expect(status.text == "404" && status.code == 3, "\(status.errors)")
            let closed = try await bench.run(
                options + ["--on-miss", "close"], ["sh", "-c", "curl -s \(Self.url)/json; echo curl=$?"])
            #expect(closed.code == 3 && !closed.text.contains("curl=0"), "\(closed.text)\(closed.errors)")
            #expect(closed.summary?.missed == 1)
        }
    }

    @Test func anUnusedRecordingIsAVerdictWhenAskedForButHidesNoOther() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            _ = try await bench.run(options, Self.curl + [Self.url + "/json?a", Self.url + "/json?b"])
            let replay = options + ["--mode", "none", "--fail-on", "unused"]
            let one = try await bench.run(replay, Self.curl + [Self.url + "/json?a"])
            #expect(one.code == 4, "\(one.errors)")
            let both = try await bench.run(replay, Self.curl + [Self.url + "/json?a", Self.url + "/json?b"])
            #expect(both.code == 0, "\(both.errors)")
            let worse = try await bench.run(replay, ["sh", "-c", "curl -s \(Self.url)/json?a; exit 7"])
            #expect(worse.code == 7, "\(worse.errors)")
            origin.stop()
        }
    }

    @Test func aDigestKeepsTheCodedOctetsAndItsAbsenceDoesNot() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            let command = Self.curl + ["-H", "Accept-Encoding: gzip", Self.url + "/gzip?digest=1", Self.url + "/gzip"]
            let live = try await bench.run(options, command)
            let text = try bench.cassetteText()
            let parts = text.components(separatedBy: "\n- id: ")
            #expect(parts.count == 3)
            #expect(parts[1].contains("base64: ") && !parts[1].contains("coding:"), "\(parts[1])")
            #expect(parts[2].contains("one two three") && parts[2].contains("coding: [gzip]"), "\(parts[2])")
            origin.stop()
            let replayed = try await bench.run(options + ["--mode", "none"], command)
            #expect(replayed.code == 0 && replayed.output.prefix(2) == Data([0x1f, 0x8b]))
            #expect(replayed.output.prefix(64) == live.output.prefix(64))
        }
    }

    @Test func failuresBeforeAResponseAreRecordedAndReplayed() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options =
                try bench.options(for: origin) + [
                    "--map", "dns.example.test:80=no-such-host.invalid:80", "--map",
                    "refused.example.test:80=127.0.0.1:9",
                ]
            let command =
                Self.curl + [
                    "-w", "%{http_code} ", "-o", "/dev/null", "http://dns.example.test/", "-o", "/dev/null",
                    "http://refused.example.test/", "-o", "/dev/null", "http://api.example.test/reset-early",
                ]
            let live = try await bench.run(options, command)
            #expect(live.text == "502 502 502 ", "\(live.errors)")
            let text = try bench.cassetteText()
            for kind in ["dns", "refused"] { #expect(text.contains("kind: \(kind)"), "\(text)") }
            #expect(text.components(separatedBy: "failure:").count == 4, "\(text)")
            origin.stop()
            #expect(!live.errors.contains("again with"), "\(live.errors)")
            let report = bench.file("failures.json")
            let replayed = try await bench.run(options + ["--mode", "none", "--report", report], command)
            #expect(replayed.text == live.text && replayed.summary?.replayed == 3, "\(replayed.errors)")
            // Whoever forgot that the network was down is told, and the exit code stays.
            let warning = "3 recorded failures were replayed: GET http://dns.example.test/ (DNS failure), "
            #expect(replayed.code == 0 && replayed.errors.contains("playhead: warning: " + warning))
            #expect(replayed.errors.contains("--mode all -- COMMAND"), "\(replayed.errors)")
            #expect(try String(contentsOfFile: report, encoding: .utf8).contains(warning))
        }
    }

    @Test func rulesThatWereOffStandInTheCassette() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            _ = try await bench.run(
                options + ["--no-redact", "cookie"], Self.curl + ["-b", "sid=not-hidden", Self.url + "/json?1"])
            var text = try bench.cassetteText()
            #expect(
                text.contains("sid=not-hidden") && text.contains("status: 200") && text.contains("no_redact: cookie"),
                "\(text)")
            _ = try await bench.run(
                options + ["--no-redact", "api-key", "--mode", "new_episodes"], Self.curl + [Self.url + "/json?2"])
            text = try bench.cassetteText()
            #expect(text.contains("no_redact: api-key, cookie"), "\(text)")
            origin.stop()
        }
    }

    @Test func allFormatsAndLayoutsReplay() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            let command = Self.curl + [Self.url + "/json?a", Self.url + "/sse", Self.url + "/bytes/100000"]
            for name in ["a.json", "b.plist", "c.cassette", "d.yml"] {
                let live = try await bench.run(options + ["--cassette", name], command)
                #expect(live.summary?.recorded == 3 && live.output.count > 100_000, "\(name): \(live.errors)")
                let replayed = try await bench.run(
                    options + ["--mode", "none", "--cassette", String(name.prefix(1))], command)
                #expect(replayed.code == 0 && replayed.output == live.output, "\(name): \(replayed.errors)")
            }
            origin.stop()
        }
    }
}
