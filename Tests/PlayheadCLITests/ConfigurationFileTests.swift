import Testing

@testable import PlayheadCLI

@Suite struct ConfigurationFileTests {
    @Test(arguments: [
        ("mode: once\nmod: x\n", "line 2: unknown key mod. Did you mean mode?"),
        ("# talk\n\ncassete: x\n", "line 3: unknown key cassete. Did you mean cassette?"),
        ("mode: [once]\n", "line 1: mode takes one plain value."),
        ("only: {a: b}\n", "line 1: only takes a list of plain values."),
        ("only:\n- [a]\n", "line 2: only takes a list of plain values."),
        ("- mode\n", "line 1: settings are `key: value` lines."),
        ("playback_repeats: often\n", "line 1: playback_repeats takes true or false."),
        ("repeats: last\nmode:\n", "line 2: mode has no value. Give it one, or remove the line."),
    ])
    func refusesAMistakeAndNamesItsLine(text: String, words: String) throws {
        let scratch = try Scratch()
        let path = try scratch.write("playhead.yaml", text)
        let failure = try #require(failure { _ = try ConfigurationFile(path: path) })
        #expect(failure.code == .badConfiguration)
        #expect(failure.message == "\(path), \(words)")
    }

    @Test(arguments: ["mode: once\nmode: none\n", "mode: &a once\n", "mode: [", "a: b: c\n"])
    func refusesBrokenYAML(text: String) throws {
        let scratch = try Scratch()
        let path = try scratch.write("playhead.yaml", text)
        let failure = try #require(failure { _ = try ConfigurationFile(path: path) })
        #expect(failure.code == .badConfiguration)
        #expect(failure.message.hasPrefix(path))
    }

    @Test func anEmptyFileSetsNothing() throws {
        let scratch = try Scratch()
        #expect(try ConfigurationFile(path: scratch.write("playhead.yaml", "# nothing\n")).entries.isEmpty)
    }

    @Test func rubysNameForTheLastAnswerIsRead() throws {
        let scratch = try Scratch()
        for (text, rule) in [("true", "last"), ("false", "none")] {
            let file = try ConfigurationFile(path: scratch.write("playhead.yaml", "playback_repeats: \(text)\n"))
            #expect(file.entries[.repeats]?.values == [rule])
        }
    }

    @Test func hyphensAndUnderscoresAreTheSameInKeys() throws {
        let scratch = try Scratch()
        let file = try ConfigurationFile(path: scratch.write("playhead.yaml", "on-miss: close\n"))
        #expect(file.entries[.onMiss]?.values == ["close"])
    }

    @Test func pathsStartFromTheFolderOfTheFile() throws {
        let scratch = try Scratch()
        let file = try ConfigurationFile(
            path: scratch.write(
                "playhead.yaml", "cassettes: ./tests/tapes\nupstream_ca: [ca.pem, /etc/ca.pem]\ncassette: name\n"))
        #expect(file.entries[.cassettesFolder]?.values == [scratch.path + "/tests/tapes"])
        #expect(file.entries[.upstreamCA]?.values == [scratch.path + "/ca.pem", "/etc/ca.pem"])
        #expect(file.entries[.cassette]?.values == ["name"])
    }

    @Test func isFoundUpwardsAndNotBeyondTheRepository() throws {
        let scratch = try Scratch()
        let outer = try scratch.write("playhead.yaml", "mode: none\n")
        let deep = try scratch.folder("project/sources/deep")
        #expect(ConfigurationFile.find(from: deep) == outer)
        _ = try scratch.folder("project/.git")
        #expect(ConfigurationFile.find(from: deep) == nil)
        let inner = try scratch.write("project/playhead.yaml", "mode: once\n")
        #expect(ConfigurationFile.find(from: deep) == inner)
    }

    @Test func aWorktreeWithAGitFileIsARepositoryToo() throws {
        let scratch = try Scratch()
        try scratch.write("playhead.yaml", "mode: none\n")
        let project = try scratch.folder("project")
        try scratch.write("project/.git", "gitdir: elsewhere\n")
        #expect(ConfigurationFile.find(from: project) == nil)
    }

    @Test func aNamedFileMustBeThere() throws {
        let scratch = try Scratch()
        let byFlag = try #require(
            failure { _ = try Settings.load(flags: [:], configFile: "nope.yaml", host: scratch.host()) })
        #expect(byFlag.code == .inputMissing)
        #expect(byFlag.message.contains(scratch.path + "/nope.yaml"))
        let byVariable = failure {
            _ = try Settings.load(flags: [:], configFile: nil, host: scratch.host(["PLAYHEAD_CONFIG": "nope.yaml"]))
        }
        #expect(byVariable?.code == .inputMissing)
    }

    @Test func theNullDeviceMeansNoFile() throws {
        let scratch = try Scratch()
        try scratch.write("playhead.yaml", "mode: none\n")
        let settings = try Settings.load(flags: [:], configFile: "/dev/null", host: scratch.host())
        #expect(settings.text(.mode) == nil)
    }

    @Test func aFolderIsNoConfigurationFile() throws {
        let scratch = try Scratch()
        let folder = try scratch.folder("playhead.yaml")
        let failure = try #require(
            failure { _ = try Settings.load(flags: [:], configFile: nil, host: scratch.host()) })
        #expect(failure.code == .inputMissing)
        #expect(failure.message.contains("\(folder) cannot be read: it is no regular file"))
    }

    @Test func aNamedFileIsReadInPlaceOfTheOneThatIsFound() throws {
        let scratch = try Scratch()
        try scratch.write("playhead.yaml", "mode: none\n")
        try scratch.write("other.yaml", "mode: all\n")
        let settings = try Settings.load(flags: [:], configFile: "other.yaml", host: scratch.host())
        #expect(settings.text(.mode) == "all")
        #expect(try Settings.load(flags: [:], configFile: nil, host: scratch.host()).text(.mode) == "none")
    }
}
