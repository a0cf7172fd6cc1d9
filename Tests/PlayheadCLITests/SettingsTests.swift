import Testing

@testable import PlayheadCLI

@Suite struct SettingsTests {
    private func file(_ text: String) throws -> ConfigurationFile {
        let scratch = try Scratch()
        return try ConfigurationFile(path: scratch.write("playhead.yaml", text))
    }

    @Test func aFlagWinsOverAVariableOverTheFileOverTheDefault() throws {
        let file = try self.file("mode: none\ncassette: of-file\nrepeats: last\n")
        let settings = Settings(
            flags: [.mode: ["all"]], environment: ["PLAYHEAD_MODE": "once", "PLAYHEAD_CASSETTE": "of-variable"],
            file: file)
        #expect(settings.text(.mode) == "all")
        #expect(settings[.mode]?.source == .flag)
        #expect(settings.text(.cassette) == "of-variable")
        #expect(settings[.cassette]?.source == .variable)
        #expect(settings.text(.repeats) == "last")
        #expect(settings[.repeats]?.source == .file(file.path, line: 3))
        #expect(settings[.onMiss] == nil)
        #expect(try settings.parsed(.onMiss, default: 7, expected: "a number") { Int($0) } == 7)
    }

    @Test func aListOfASourceReplacesTheListOfALowerOne() throws {
        let file = try self.file("only: [a.example, b.example]\n")
        let settings = Settings(flags: [.only: ["c.example"]], environment: [:], file: file)
        #expect(settings.list(.only) == ["c.example"])
    }

    @Test func listsAreSplitAtCommasAndTrimmed() throws {
        let file = try self.file("match: method, path\nignore_query: [a, b]\n")
        let settings = Settings(
            flags: [.only: ["a.example, b.example", "c.example"]], environment: ["PLAYHEAD_IGNORE": ",x.example ,,"],
            file: file)
        #expect(settings.list(.only) == ["a.example", "b.example", "c.example"])
        #expect(settings.list(.ignore) == ["x.example"])
        #expect(settings.list(.match) == ["method", "path"])
        #expect(settings.list(.ignoreQuery) == ["a", "b"])
    }

    @Test func whatMayHoldACommaIsNotSplit() throws {
        let file = try self.file("ignore_json: $.a[1,2]\n")
        let settings = Settings(flags: [.report: ["a,b.json"]], environment: [:], file: file)
        #expect(settings.list(.report) == ["a,b.json"])
        #expect(settings.list(.ignoreJSON) == ["$.a[1,2]"])
    }

    @Test func anEmptyVariableIsAsGoodAsNone() throws {
        let settings = Settings(
            flags: [:], environment: ["PLAYHEAD_MODE": ""], file: try self.file("mode: none\n"))
        #expect(settings.text(.mode) == "none")
    }

    @Test(arguments: [
        ("true", true), ("YES", true), ("on", true), ("1", true), ("false", false), ("No", false), ("off", false),
        ("0", false),
    ])
    func flagsTakeTheUsualWords(text: String, value: Bool) throws {
        let settings = Settings(flags: [:], environment: ["PLAYHEAD_DROP_UNUSED": text], file: nil)
        #expect(try settings.flag(.dropUnused) == value)
    }

    @Test func anErrorNamesThePlaceOfTheValueAndItsCodeTellsFlagsFromTheRest() throws {
        let file = try self.file("\n\nmode: bad\n")
        for (settings, code, place) in [
            (
                Settings(flags: [.mode: ["bad"]], environment: [:], file: nil), CommandFailure.Code.usage,
                "--mode is bad"
            ),
            (
                Settings(flags: [:], environment: ["PLAYHEAD_MODE": "bad"], file: nil), .badConfiguration,
                "The variable PLAYHEAD_MODE is bad"
            ),
            (
                Settings(flags: [:], environment: [:], file: file), .badConfiguration,
                "\(file.path), line 3: mode is bad"
            ),
        ] {
            let failure = try #require(
                failure { _ = try settings.parsed(.mode, default: 0, expected: "a number") { Int($0) } })
            #expect(failure.code == code)
            #expect(failure.message == place + "; it takes a number.")
        }
    }

    @Test func aMisspeltVariableIsToldAndOthersAreNot() {
        let warnings = Settings.suspects(in: [
            "PLAYHEAD_MOED": "none", "PLAYHEAD_MODE": "none", "PLAYHEAD_CONFIG": "x", "PLAYHEAD_ACTIVE": "1",
            "PLAYHEAD_CA_FILE": "x", "PLAYHEAD_SOMETHING_ELSE": "x", "PATH": "/bin",
        ])
        #expect(
            warnings == ["the variable PLAYHEAD_MOED is unknown and has no effect. Did you mean PLAYHEAD_MODE?"])
    }

    @Test func everySettingHasThreeNamesThatBelongTogether() {
        #expect(SettingKey.onMiss.flag == "--on-miss")
        #expect(SettingKey.onMiss.variable == "PLAYHEAD_ON_MISS")
        #expect(SettingKey.onMiss.rawValue == "on_miss")
        #expect(Set(SettingKey.allCases.map(\.flag)).count == SettingKey.allCases.count)
    }
}
