import Testing

@testable import PlayheadCLI

/// Paths that lead to the wrong kind of thing: the message names the setting to change.
@Suite struct SessionPlacesTests {
    private func setup(
        _ flags: [SettingKey: [String]], environment: [String: String] = [:], in scratch: Scratch
    ) -> SessionSetup {
        SessionSetup(
            settings: Settings(flags: flags, environment: environment, file: nil), host: scratch.host(environment))
    }

    @Test func aFileInPlaceOfTheCassettesFolderNamesTheSetting() throws {
        let scratch = try Scratch()
        let file = try scratch.write("notes", "text")
        let end = "give it a folder, which is made if it is not there."
        let asked = try #require(
            failure { _ = try self.setup([.cassettesFolder: ["notes"]], in: scratch).sessionOptions() })
        #expect(asked.code == .usage)
        #expect(asked.message == "--cassettes is \(file), which is a file; \(end)")
        let below = failure { _ = try self.setup([.cassettesFolder: ["notes/a/b"]], in: scratch).sessionOptions() }
        #expect(below?.message == "--cassettes is \(file)/a/b, but \(file) is a file; \(end)")
        let variable = try #require(
            failure {
                _ = try self.setup([:], environment: ["PLAYHEAD_CASSETTES": "notes/"], in: scratch).sessionOptions()
            })
        #expect(variable.code == .badConfiguration)
        #expect(variable.message.hasPrefix("The variable PLAYHEAD_CASSETTES is \(file)"))
    }

    @Test func aFolderThatIsThereOrNotYetIsFine() throws {
        let scratch = try Scratch()
        try scratch.write("notes", "text")
        for folder in [scratch.path, "new", "new/below"] {
            #expect(failure { _ = try self.setup([.cassettesFolder: [folder]], in: scratch).sessionOptions() } == nil)
        }
        // Such a session has nothing to do with cassettes.
        let relaying = self.setup([.cassettesFolder: ["notes"], .mode: ["passthrough"]], in: scratch)
        #expect(failure { _ = try relaying.sessionOptions() } == nil)
    }

    @Test func aFileInPlaceOfTheFolderOfTheCANamesTheSetting() throws {
        let scratch = try Scratch()
        let file = try scratch.write("notes", "text")
        for path in ["notes", "notes/ca"] {
            let failure = try #require(
                failure { _ = try self.setup([.caDirectory: [path]], in: scratch).authorityForRun() })
            #expect(failure.code == .usage)
            #expect(failure.message.hasPrefix("--ca-dir is \(scratch.path)/\(path), "), "\(failure)")
            #expect(failure.message.contains("\(file)") && failure.message.contains(" is a file; give it a folder"))
        }
    }

    @Test func aReportThatCannotBeWrittenNamesTheSetting() throws {
        let scratch = try Scratch()
        let verdict = try Verdict(self.setup([.report: ["missing/report.json"]], in: scratch))
        let failure = try #require(failure { _ = try verdict.report([], childCode: 0) })
        #expect(failure.code == .cannotWrite)
        #expect(
            failure.message == "\(scratch.path)/missing/report.json cannot be written: No such file or directory. "
                + "--report names it: give a file, in a folder that is there and can be written to.")
    }
}
