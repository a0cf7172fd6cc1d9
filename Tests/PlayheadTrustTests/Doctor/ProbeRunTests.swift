import Testing

@testable import PlayheadTrust

struct ProbeRunTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(
        _ probe: ClientProbe, tool: String? = nil, timeout: Duration = .seconds(20)
    ) async throws -> ProbeRun? {
        if let tool { try folder.write("#!/bin/sh\n" + tool, "bin/client", mode: 0o755) }
        return try await ProbeRun(
            probe, environment: ["PATH": folder.path + "/bin:/usr/bin:/bin"], folder: folder.path + "/work",
            timeout: timeout)
    }

    private let probe = ClientProbe("client", .curl, ["client"], ["{program}", "{url}"])

    @Test func aProgramThatIsNotHereIsNoClient() async throws {
        #expect(try await run(probe) == nil)
    }

    @Test func aLibraryThatIsNotHereIsNoClient() async throws {
        #expect(try await run(probe.with(\.check, ["{program}"]), tool: "exit 1\n") == nil)
        #expect(try await run(probe.with(\.check, ["{program}"]), tool: "exit 0\n") != nil)
    }

    @Test func writesItsFilesBuildsAndAsks() async throws {
        let building = probe.with(\.files, ["part/name": "{url}"])
            .with(\.build, ["cp", "{folder}/part/name", "{folder}/built"])
            .with(\.variables, ["PLACE": "{folder}"])
        let run = try #require(
            try await run(building, tool: #"echo "$1 $(cat "$PLACE/built") $https_proxy"; echo why >&2; exit 3"# + "\n")
        )
        #expect(try await run.prepare() == nil)
        var change = EnvironmentChange()
        change.set("https_proxy", "http://p")
        let url = "https://client.doctor.playhead.test/canary"
        #expect(
            try await run.ask(change) == ProbeRun.Outcome(code: 3, output: "\(url) \(url) http://p\n", errors: "why"))
    }

    @Test func aBuildThatFailsIsTold() async throws {
        let run = try #require(try await run(probe.with(\.build, ["ls", "{folder}/none"]), tool: "\n"))
        let failure = try #require(try await run.prepare())
        #expect(failure.code != 0 && failure.errors.contains("none"))
    }

    @Test func aClientThatHangsIsEnded() async throws {
        let run = try #require(try await run(probe, tool: "exec sleep 100\n", timeout: .milliseconds(300)))
        let outcome = try await run.ask(EnvironmentChange())
        #expect(outcome == ProbeRun.Outcome(code: 124, output: "", errors: ""))
    }

    @Test(arguments: [
        ("curl 7.88.1 (x86_64-pc-linux-gnu) libcurl/7.88.1", "7.88.1"), ("go version go1.19.8 linux/amd64", "1.19.8"),
        ("v20.19.2", "20.19.2"), ("ruby 3.1.2p20 (2022-04-12)", "3.1.2"), ("openjdk 17.0.13 2024-10-15", "17.0.13"),
    ])
    func findsTheVersion(text: String, version: String) { #expect(ProbeRun.version(in: text) == version) }

    @Test func wordsLoseTheHeadOfALog() {
        let line = "[1:2:1121/194155.853698:ERROR:components/headless/handler.cc:403] Page load failed: net::ERR_X"
        #expect(ProbeRun.tail("first\n\(line)\n[x] kept\n") == "first\nPage load failed: net::ERR_X\n[x] kept")
    }

    @Test func wordsLoseTheTraceOfAStack() {
        let words =
            "Unhandled exception.\n ---> HttpRequestException: no\n   at System.Net\n   --- End of inner\nat last\n"
        #expect(ProbeRun.tail(words) == "Unhandled exception.\n ---> HttpRequestException: no\nat last")
    }

    @Test func noVersionIsNone() { #expect(ProbeRun.version(in: "unknown option 5\n") == nil) }
}
