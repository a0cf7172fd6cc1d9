import Foundation
import Testing

/// Exit codes and words for what a user may get wrong before anything runs.
@Suite("Contract of options and files", .timeLimit(.minutes(10)))
struct ConfigurationContractTests {
    @Test func aBadConfigurationNamesTheLine() async throws {
        try await withWorkbench { bench in
            try bench.write("playhead.yaml", "mode: none\ncassette: a\nno_such_setting: 1\n")
            let done = try await bench.run([], ["true"])
            #expect(done.code == 78, "\(done.errors)")
            #expect(done.errors.contains("no_such_setting"))
            #expect(done.errors.contains("playhead.yaml:3") || done.errors.contains("line 3"), "\(done.errors)")
        }
    }

    @Test func aWrongValueInTheConfigurationNamesTheKey() async throws {
        try await withWorkbench { bench in
            try bench.write("playhead.yaml", "cassette: a\nmode: sometimes\n")
            let done = try await bench.run([], ["true"])
            #expect(done.code == 78, "\(done.errors)")
            #expect(done.errors.contains("sometimes"))
        }
    }

    @Test func flagsWinOverVariablesAndThoseOverTheFile() async throws {
        try await withWorkbench { bench in
            try bench.write("playhead.yaml", "cassette: from-file\n")
            let names = ["env"]
            let plain = ["--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes]
            let file = try await bench.run(plain, names)
            #expect(file.text.contains("PLAYHEAD_CASSETTE=from-file"), "\(file.errors)")
            let variable = try await bench.run(plain, names, environment: ["PLAYHEAD_CASSETTE": "from-variable"])
            #expect(variable.text.contains("PLAYHEAD_CASSETTE=from-variable"))
            let flag = try await bench.run(
                plain + ["-c", "from-flag"], names, environment: ["PLAYHEAD_CASSETTE": "from-variable"])
            #expect(flag.text.contains("PLAYHEAD_CASSETTE=from-flag"))
        }
    }

    @Test(arguments: [
        ["run", "--mode", "sometimes", "--", "true"], ["run", "--match", "colour", "--", "true"],
        ["run", "--no-such-flag", "--", "true"], ["run"], ["no-such-command"], ["serve", "--listen", "nonsense"],
        ["run", "--map", "nonsense", "--", "true"], ["run", "-c", "../outside", "--", "true"],
        ["run", "--timeout", "soon", "--", "true"],
    ])
    func wrongUseExits64(_ arguments: [String]) async throws {
        try await withWorkbench { bench in
            let done = try await bench.playhead(arguments)
            #expect(done.code == 64, "\(done.errors)")
            #expect(!done.errors.isEmpty)
            #expect(done.output.isEmpty)
            #expect(bench.storedFiles().isEmpty)
        }
    }

    @Test(arguments: [
        "nonsense\n", "playhead: 1\nexchanges:\n  - nothing: here\n", "playhead: 99\nexchanges: []\n",
        "playhead: 1\nexchanges: [\n", "<<<<<<< HEAD\nplayhead: 1\n=======\n", "\n", "playhead: 1\nexchan",
        "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c]\n",
    ])
    func aBadCassetteExits65AndStaysAsItWas(_ content: String) async throws {
        try await withWorkbench { bench in
            try bench.write("cassettes/default.yaml", content)
            let done = try await bench.run(
                ["--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes], ["sh", "-c", "echo ran"])
            #expect(done.code == 65, "\(done.errors)")
            #expect(done.errors.contains("default.yaml"))
            #expect(done.text.isEmpty, "the command must not run without its recordings")
            #expect(try bench.cassetteText() == content)
        }
    }

    @Test func aTakenPortExits69() async throws {
        try await withWorkbench { bench in
            let options = ["--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes]
            let serve = try await Serve(bench, options)
            let second = try await bench.playhead(
                ["serve", "--listen", "127.0.0.1:\(serve.port)", "--admin", "off", "-c", "other"] + options,
                within: .seconds(60))
            #expect(second.code == 69, "\(second.errors)")
            #expect(second.errors.contains("\(serve.port)"))
            #expect(try await serve.stop() == 0)
        }
    }

    @Test func certPathPrintsThePathAndNothingElse() async throws {
        try await withWorkbench { bench in
            let done = try await bench.playhead(["cert", "path", "--ca-dir", bench.folder + "/ca"])
            #expect(done.code == 0)
            #expect(done.text == bench.folder + "/ca/ca.pem\n")
            #expect(done.errors.isEmpty)
        }
    }

    @Test func aKeyThatOthersCanReadIsRefused() async throws {
        try await withWorkbench { bench in
            let options = ["--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes]
            let serve = try await Serve(bench, options)
            #expect(try await serve.stop() == 0)
            let key = bench.folder + "/ca/ca.key"
            let mode = try #require(
                FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int)
            #expect(mode == 0o600)
            #expect(chmod(key, 0o644) == 0)
            let done = try await bench.playhead(
                ["serve", "--listen", "127.0.0.1:0", "--admin", "off"] + options, within: .seconds(30))
            #expect(done.code == 77, "\(done.errors)")
            #expect(done.errors.contains("chmod"), "\(done.errors)")
        }
    }

    @Test func versionAndHelpExitZero() async throws {
        try await withWorkbench { bench in
            for arguments in [
                ["version"], ["--version"], ["--help"], ["run", "--help"], ["serve", "--help"], ["cert", "--help"],
            ] {
                let done = try await bench.playhead(arguments)
                #expect(done.code == 0, "\(arguments): \(done.errors)")
                #expect(!done.text.isEmpty && done.errors.isEmpty)
            }
        }
    }

    @Test func helpAfterTheCommandBelongsToTheCommand() async throws {
        try await withWorkbench { bench in
            let options = ["--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes]
            let done = try await bench.run(options, ["echo", "--help", "--mode", "nonsense", "--", "-c"])
            #expect(done.text == "--help --mode nonsense -- -c\n", "\(done.errors)")
        }
    }

    @Test func matchSaysWhichRecordingAnswers() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            _ = try await bench.run(
                try bench.options(for: origin), ["curl", "-s", "https://api.example.test/json?page=1"])
            let place = ["--cassettes", bench.cassettes]
            let hit = try await bench.playhead(
                ["match"] + place + ["default", "GET", "https://api.example.test/json?page=1"])
            #expect(hit.code == 0, "\(hit.errors)")
            let miss = try await bench.playhead(
                ["match"] + place + ["default", "GET", "https://api.example.test/json?page=2"])
            #expect(miss.code == 3, "\(miss.errors)")
            #expect(miss.text.contains("page"))
        }
    }

    @Test func matchLooksAsTheProxyDoes() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            // A body in a side file, and a secret whose value the cassette does not hold.
            let body = bench.file("body.json")
            let filler = String(repeating: "x", count: 100_000)
            try #"{"n":1,"x":"\#(filler)"}"#.write(toFile: body, atomically: true, encoding: .utf8)
            let url = "https://api.example.test/json?key=correct-horse"
            let type = "Content-Type: application/json"
            let environment = ["PLAYHEAD_SECRETS_FROM_ENV": "SHOP", "SHOP": "correct-horse"]
            let twice = ["-s", "-H", type, "--data-binary", "@" + body, url]
            _ = try await bench.run(
                try bench.options(for: origin), ["curl"] + twice + ["--next"] + twice, environment: environment)
            #expect(try bench.cassetteText().contains("key={{SHOP}}"))
            try #"{"x":"\#(filler)","n":1}"#.write(toFile: body, atomically: true, encoding: .utf8)
            let match = [
                "match", "--cassettes", bench.cassettes, "--match", "default,body", "-H", type, "--data", "@" + body,
                "default", "POST", url,
            ]
            let hit = try await bench.playhead(match, environment: environment)
            #expect(hit.code == 0 && hit.text.contains("asked again: #2"), "\(hit.text)\(hit.errors)")
            let other = try await bench.playhead(
                match, environment: environment.merging(["SHOP": "battery-staple"]) { $1 })
            #expect(other.code == 3, "\(other.text)")
            origin.stop()
        }
    }
}
