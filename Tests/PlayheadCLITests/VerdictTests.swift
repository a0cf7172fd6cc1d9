import PlayheadEngine
import Testing

@testable import PlayheadCLI

@Suite struct VerdictTests {
    private func code(
        _ flags: [SettingKey: [String]] = [:], environment: [String: String] = [:], missed: Int = 0, unused: Int = 0,
        failedTLS: Int = 0, leaks: Bool = false, secrets: Int = 0, recordingFailure: String? = nil,
        replayFailure: String? = nil,
        child: Int32 = 0
    ) throws -> Int32 {
        let scratch = try Scratch()
        let settings = Settings(flags: flags, environment: environment, file: nil)
        var summary = RunSummary()
        summary.missed = missed
        summary.failedTLS = failedTLS
        summary.recordingFailure = recordingFailure
        summary.replayFailure = replayFailure
        return try Verdict(SessionSetup(settings: settings, host: scratch.host()))
            .code(summary, unused: unused, childCode: child, leaks: leaks, secrets: secrets)
    }

    @Test func allWellIsZero() throws { #expect(try self.code() == 0) }

    @Test func theChildsCodeWinsOverEveryVerdict() throws {
        #expect(try self.code(missed: 2, child: 7) == 7)
        #expect(try self.code([.failOn: ["unused"]], unused: 2, child: 7) == 7)
        #expect(try self.code(recordingFailure: "no space", child: 7) == 7)
    }

    @Test func aMissIsThreeThoughTheProgramWasContent() throws { #expect(try self.code(missed: 1) == 3) }

    @Test func aMissIsForgivenOnlyWhenAsked() throws {
        #expect(try self.code([.failOn: ["none"]], missed: 1) == 0)
        #expect(try self.code([.failOn: ["unused"]], missed: 1) == 0)
        #expect(try self.code(environment: ["PLAYHEAD_FAIL_ON": "miss,unused"], missed: 1) == 3)
    }

    @Test func unusedRecordingsAreFourWhenDisallowed() throws {
        #expect(try self.code(unused: 1) == 0)
        #expect(try self.code([.failOn: ["unused"]], unused: 1) == 4)
        #expect(try self.code(environment: ["PLAYHEAD_ALLOW_UNUSED": "false"], unused: 1) == 4)
        #expect(try self.code([.failOn: ["none"], .allowUnused: ["no"]], unused: 1) == 4)
    }

    @Test func aMissWinsOverUnused() throws {
        #expect(try self.code([.failOn: ["miss", "unused"]], missed: 1, unused: 1) == 3)
    }

    @Test func distrustAndLeaksAreSixWhenAskedFor() throws {
        #expect(try self.code(failedTLS: 1, leaks: true) == 0)
        #expect(try self.code([.failOn: ["trust"]], failedTLS: 1) == 6)
        #expect(try self.code([.failOn: ["trust"]], leaks: true) == 0)
        #expect(try self.code([.failOn: ["leak"]], leaks: true) == 6)
        #expect(try self.code([.failOn: ["leak"]], failedTLS: 1) == 0)
        #expect(try self.code([.failOn: ["leak", "unused"]], unused: 1, leaks: true) == 6)
        #expect(try self.code([.failOn: ["leak", "miss"]], missed: 1, leaks: true) == 3)
        #expect(try self.code([.failOn: ["leak"]], leaks: true, child: 2) == 2)
    }

    @Test func aRecordingThatCannotBeReplayedIs65() throws {
        #expect(try self.code([.failOn: ["none"]], replayFailure: "the side file is missing") == 65)
        #expect(try self.code(missed: 1, replayFailure: "the side file is missing") == 65)
        #expect(try self.code(replayFailure: "the side file is missing", child: 7) == 7)
    }

    @Test func aSecretIsFiveWhenAskedFor() throws {
        #expect(try self.code(secrets: 1) == 0)
        #expect(try self.code([.failOn: ["secret"]], secrets: 1) == 5)
        #expect(try self.code([.failOn: ["secret"]]) == 0)
        #expect(try self.code(environment: ["PLAYHEAD_FAIL_ON": "miss,secret"], missed: 1, secrets: 1) == 3)
        #expect(try self.code([.failOn: ["secret", "trust", "unused"]], unused: 1, failedTLS: 1, secrets: 2) == 5)
        #expect(try self.code([.failOn: ["secret"]], secrets: 1, child: 2) == 2)
    }

    @Test func aRecordingThatFailedIs73() throws {
        #expect(try self.code(missed: 1, recordingFailure: "no space left") == 73)
    }

    @Test func mistakesInTheSettingsAreToldBeforeAnythingRuns() {
        #expect(failure { _ = try self.code([.failOn: ["everything"]]) }?.code == .usage)
        #expect(failure { _ = try self.code([.report: ["out.html:xml"]]) }?.code == .usage)
        #expect(failure { _ = try self.code(environment: ["PLAYHEAD_REPORT": "a:text"]) }?.code == .badConfiguration)
        #expect(failure { _ = try self.code([.report: ["a:json", "b.json", "/tmp/x:y/z"]]) } == nil)
    }
}
