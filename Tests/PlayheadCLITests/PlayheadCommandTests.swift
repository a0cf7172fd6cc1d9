import ArgumentParser
import Testing

@testable import PlayheadCLI

@Suite struct PlayheadCommandTests {
    @Test func runTakesWhatFollowsItsOwnOptions() throws {
        #expect(try RunCommand.command(in: ["--", "curl", "-s"]) == ["curl", "-s"])
        #expect(try RunCommand.command(in: ["curl", "--", "x"]) == ["curl", "--", "x"])
        #expect(try RunCommand.command(in: ["--", "--odd"]) == ["--odd"])
    }

    @Test func runLeavesTheOptionsOfTheCommandAlone() throws {
        let parsed = try PlayheadCommand.parseAsRoot(["run", "--mode", "none", "--", "curl", "--mode", "all", "-q"])
        let run = try #require(parsed as? RunCommand)
        #expect(run.shared.flags[.mode] == ["none"])
        #expect(run.shared.flags[.quiet] == nil)
        #expect(try RunCommand.command(in: run.command) == ["curl", "--mode", "all", "-q"])
    }

    @Test func runAndServeAreParsedAlikeWithAndWithoutTheTree() throws {
        let words = ["run", "--mode", "none", "--", "curl", "--mode", "all", "-q"]
        let direct = try #require(PlayheadCommand.proxyCommand(words) as? RunCommand)
        let whole = try #require(try PlayheadCommand.parseAsRoot(words) as? RunCommand)
        #expect(direct.shared.flags == whole.shared.flags)
        #expect(direct.command == whole.command)
        #expect(PlayheadCommand.proxyCommand(["serve", "--listen", "127.0.0.1:0"]) is ServeCommand)
    }

    @Test(arguments: [["serve", "--help"], ["serve", "--no-such"], ["run", "--help"], ["cassette", "list"], []])
    func otherArgumentsAreLeftToTheWholeParser(words: [String]) {
        #expect(PlayheadCommand.proxyCommand(words) == nil)
    }

    @Test(arguments: [[], ["--"]]) func runWithoutACommandIsAUsageError(rest: [String]) {
        #expect(failure { _ = try RunCommand.command(in: rest) }?.code == .usage)
    }

    @Test func runNamesAnOptionItDoesNotHave() throws {
        let failure = try #require(failure { _ = try RunCommand.command(in: ["--mod", "none", "true"]) })
        #expect(failure.code == .usage)
        #expect(failure.message.hasPrefix("run has no option --mod."))
    }

    @Test(arguments: ["-h", "--help", "--version"]) func runAnswersHelpAndVersion(word: String) {
        #expect(throws: CleanExit.self) { try RunCommand.command(in: [word]) }
    }

    @Test(arguments: [["--bogus"], ["serve", "--bogus"], ["serve", "extra"], ["match", "x"], ["run", "--mode"]])
    func theParsersOwnErrorsAre64(arguments: [String]) {
        do {
            _ = try PlayheadCommand.parseAsRoot(arguments)
            Issue.record("\(arguments) was accepted")
        } catch {
            #expect(PlayheadCommand.exitCode(for: error).rawValue == 64)
            #expect(PlayheadCommand.fullMessage(for: error).hasPrefix("playhead: "))
        }
    }

    @Test func aWordThatIsNoCommandGetsTheWayOut() throws {
        let typo = try #require(PlayheadCommand.refusal(of: ["sevre"]))
        #expect(typo.contains("Did you mean serve?"))
        let program = try #require(PlayheadCommand.refusal(of: ["curl", "-s"]))
        #expect(program.contains("playhead run -- curl"))
        #expect(!program.contains("Did you mean"))
        for words in [[], ["run"], ["help"], ["--help"], ["cert-install"]] {
            #expect(PlayheadCommand.refusal(of: words) == nil)
        }
    }

    @Test(arguments: [
        (nil, "http://127.0.0.1:8080"), ("0.0.0.0:9000", "http://127.0.0.1:9000"), ("[::]:9000", "http://[::1]:9000"),
        ("proxy:9000,127.0.0.1:1", "http://proxy:9000"),
    ])
    func envLeadsToTheFirstListenerOfServe(listen: String?, url: String) throws {
        let environment = listen.map { ["PLAYHEAD_LISTEN": $0] } ?? [:]
        #expect(try EnvCommand.proxyURL(Settings(flags: [:], environment: environment, file: nil)) == url)
    }

    @Test func envCannotGuessAFreePort() {
        let settings = Settings(flags: [:], environment: ["PLAYHEAD_LISTEN": "127.0.0.1:0"], file: nil)
        #expect(failure { _ = try EnvCommand.proxyURL(settings) }?.message.contains("--url") == true)
    }
}
