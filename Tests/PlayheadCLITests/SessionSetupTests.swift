import PlayheadCassette
import PlayheadEngine
import PlayheadProxy
import Testing

@testable import PlayheadCLI

@Suite struct SessionSetupTests {
    private func setup(
        _ flags: [SettingKey: [String]] = [:], environment: [String: String] = [:], scratch: Scratch
    ) -> SessionSetup {
        SessionSetup(
            settings: Settings(flags: flags, environment: environment, file: nil), host: scratch.host(environment))
    }

    @Test func theCassetteIsDefaultInTheFolderCassettes() throws {
        let scratch = try Scratch()
        let setup = self.setup(scratch: scratch)
        #expect(try setup.location().file == scratch.path + "/cassettes/default.yaml")
        #expect(try setup.displayPath() == "cassettes/default.yaml")
    }

    @Test(arguments: ["../x", "/etc/passwd", ".hidden", "a//b", ""])
    func aCassetteNameCannotLeaveTheFolder(name: String) throws {
        let scratch = try Scratch()
        let setup = self.setup([.cassette: [name]], scratch: scratch)
        #expect(failure { _ = try setup.location() }?.code == .usage)
    }

    @Test func anUnknownMatcherNamesItsSetting() throws {
        let scratch = try Scratch()
        let match = try #require(failure { _ = try self.setup([.match: ["colour"]], scratch: scratch).matchRules() })
        #expect(match.code == .usage)
        #expect(match.message.hasPrefix("--match is not usable: unknown matcher \"colour\""))
        let path = try #require(failure { _ = try self.setup([.ignoreJSON: ["$["]], scratch: scratch).matchRules() })
        #expect(path.message.hasPrefix("--ignore-json is not usable: "))
        let rule = try #require(failure { _ = try self.setup([.noRedact: ["nope"]], scratch: scratch).redactor() })
        #expect(rule.message.hasPrefix("--no-redact is not usable: unknown redaction rule"))
    }

    @Test func ignoredNamesJoinTheRules() throws {
        let scratch = try Scratch()
        let rules = try self.setup(
            [.match: ["method", "path"], .ignoreQuery: ["page"], .ignoreHeader: ["X-Id"], .ignoreJSON: ["$.at"]],
            scratch: scratch
        ).matchRules()
        #expect(rules.list == ["method", "path"])
        #expect(rules.ignoredQuery == ["page"])
        #expect(rules.ignoredHeaders == ["x-id"])
    }

    @Test func ignoredHostsArePassedOnAndAllOthersTakePart() throws {
        let scratch = try Scratch()
        let traffic = try self.setup([.ignore: ["telemetry.example"]], scratch: scratch).proxySettings().traffic
        #expect(traffic.decision(host: "telemetry.example", port: 443, url: "https://telemetry.example/") == .ignore)
        #expect(traffic.decision(host: "api.example", port: 443, url: "https://api.example/") == .takePart)
        #expect(
            failure { _ = try self.setup([.ignore: ["a b"]], scratch: scratch).proxySettings() }?.code == .usage)
    }

    @Test func ignoreTakesPartsOfURLsToo() throws {
        let scratch = try Scratch()
        let traffic = try self.setup([.ignore: ["/health"]], scratch: scratch).proxySettings().traffic
        #expect(traffic.decision(host: "a.example", port: 443, url: "https://a.example/health") == .ignore)
        #expect(traffic.decision(host: "a.example", port: 443, url: "https://a.example/orders") == .takePart)
    }

    @Test func onlyTakesHostsAndPartsOfURLs() throws {
        let scratch = try Scratch()
        let traffic = try self.setup([.only: ["*.example.com", "/v1/"]], scratch: scratch).proxySettings().traffic
        #expect(traffic.decision(host: "a.example.com", port: 443, url: "https://a.example.com/x") == .takePart)
        #expect(traffic.decision(host: "b.example.org", port: 443, url: "https://b.example.org/v1/x") == .takePart)
        #expect(traffic.decision(host: "b.example.org", port: 443, url: "https://b.example.org/v2/x") == .ignore)
    }

    @Test func aMissingFileOfRootsIsInputMissing() throws {
        let scratch = try Scratch()
        let failure = try #require(
            failure { _ = try self.setup([.upstreamCA: ["ca.pem"]], scratch: scratch).upstreamRoots() })
        #expect(failure.code == .inputMissing)
        #expect(failure.message.hasPrefix("The certificates in \(scratch.path)/ca.pem cannot be read: "))
    }

    @Test func theFolderOfTheCAFollowsTheSystemsHabits() throws {
        let scratch = try Scratch()
        #expect(self.setup(environment: ["HOME": "/h"], scratch: scratch).caDirectory == "/h/.local/share/playhead")
        #expect(self.setup(environment: ["XDG_DATA_HOME": "/d"], scratch: scratch).caDirectory == "/d/playhead")
        #expect(
            self.setup([.caDirectory: ["ca"]], environment: ["XDG_DATA_HOME": "/d"], scratch: scratch).caDirectory
                == scratch.path + "/ca")
    }

    @Test func halfAnOwnAuthorityIsRefused() throws {
        let scratch = try Scratch()
        let setup = self.setup([.caCertificate: ["ca.pem"]], scratch: scratch)
        #expect(failure { _ = try setup.ownAuthority() }?.message == "--ca-cert needs --ca-key with its key.")
    }
}

@Suite struct PlaybackSettingsTests {
    private func options(_ flags: [SettingKey: [String]]) throws -> SessionOptions {
        let scratch = try Scratch()
        return try SessionSetup(
            settings: Settings(flags: flags, environment: [:], file: nil), host: scratch.host([:])
        ).sessionOptions()
    }

    @Test func answersComeAtOnceUnlessASpeedIsAsked() throws {
        #expect(try self.options([:]).speed == .instant)
        #expect(try self.options([.speed: ["recorded"]]).speed == .recorded)
        #expect(try self.options([.speed: ["x10"]]).speed.factor == 10)
        #expect(try self.options([:]).order == .momentary)
        #expect(try self.options([.playback: ["chronological"]]).order == .chronological)
        let order = try #require(failure { _ = try self.options([.playback: ["later"]]) })
        #expect(order.message == "--playback is later; it takes momentary or chronological.")
        let wrong = try #require(failure { _ = try self.options([.speed: ["fast"]]) })
        #expect(wrong.message == "--speed is fast; it takes instant, recorded, or a factor such as x10.")
    }

    @Test func nothingIsChangedInAnswersUnlessItIsAskedFor() throws {
        let plain = try self.options([:])
        #expect(plain.changes.echo.isEmpty && !plain.changes.refreshesDates && !plain.templated)
        let asked = try self.options([
            .valueEcho: ["nonce"], .refreshDates: ["true"], .templates: ["true"], .templateEnvironment: ["HOME"],
        ])
        #expect(!asked.changes.echo.isEmpty && asked.changes.refreshesDates && asked.templated)
        let wrong = try #require(failure { _ = try self.options([.valueEcho: ["$["]]) })
        #expect(wrong.message.hasPrefix("--value-echo is not usable: "))
    }
}
