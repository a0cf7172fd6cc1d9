import Foundation
import Testing

/// The steps of `action.yml`, run as GitHub runs them.
@Suite("Action", .enabled(if: Tool.has("bash"), "bash is not installed"), .timeLimit(.minutes(5)))
struct ActionTests {
    private static let url = "https://api.example.test"

    /// The script of a step.
    private static func script(_ name: String) throws -> String {
        let text = try String(contentsOfFile: Playhead.repository + "/action.yml", encoding: .utf8)
        let steps = text.components(separatedBy: "    - name: ")
        let step = try #require(steps.first { $0.hasPrefix(name + "\n") })
        let script = try #require(step.components(separatedBy: "      run: |\n").dropFirst().first)
        return script.split(separator: "\n", omittingEmptySubsequences: false).map { $0.dropFirst(8) }
            .joined(separator: "\n")
    }

    private func run(
        _ name: String, _ bench: Workbench, _ environment: [String: String]
    ) async throws -> Workbench.Finished {
        let file = try bench.write("step.sh", try Self.script(name))
        return try await bench.finish(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", file], environment: environment)
    }

    private func step(
        _ bench: Workbench, _ command: String, mode: String, options: [String] = [], report: String = ""
    ) async throws -> Workbench.Finished {
        let folder = (bench.binary as NSString).deletingLastPathComponent
        return try await self.run(
            "Run", bench,
            [
                "PATH": folder + ":" + (bench.environment["PATH"] ?? ""), "COMMAND": command,
                "OPTIONS": options.joined(separator: "\n"), "REPORT": report, "PLAYHEAD_MODE": mode,
                "PLAYHEAD_CASSETTE": "default", "PLAYHEAD_CASSETTES": bench.cassettes, "PLAYHEAD_FAIL_ON": "miss",
                "PLAYHEAD_ISOLATE": "env",
            ])
    }

    /// The outputs of the first step.
    private func found(_ bench: Workbench, _ environment: [String: String]) async throws -> [String: String] {
        let outputs = bench.file("outputs")
        let done = try await self.run(
            "Find Playhead", bench,
            ["ACTION": Playhead.repository, "PACKAGE": "", "GITHUB_OUTPUT": outputs].merging(environment) { $1 })
        try #require(done.code == 0, "\(done.errors)")
        let text = try String(contentsOfFile: outputs, encoding: .utf8)
        try FileManager.default.removeItem(atPath: outputs)
        return Dictionary(
            text.split(separator: "\n").map { line in
                let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
                return (parts[0], parts.last ?? "")
            }, uniquingKeysWith: { $1 })
    }

    @Test func takesThePackageThenTheProgramThenTheSources() async throws {
        try await withWorkbench { bench in
            let bare = ["PATH": "/usr/bin:/bin"]
            let build = try await self.found(bench, bare)
            #expect(build["how"] == "build")
            #expect(build["key"]?.hasPrefix("playhead-") == true && build["folder"]?.hasPrefix("/") == true)
            #expect(try await self.found(bench, bare)["key"] == build["key"])
            let folder = (bench.binary as NSString).deletingLastPathComponent
            #expect(try await self.found(bench, ["PATH": folder + ":/usr/bin:/bin"])["how"] == "installed")
            #expect(try await self.found(bench, ["PACKAGE": "x.deb"])["how"] == "package")
        }
    }

    /// The key of the cache must change with every source, else an old program would be taken for ever.
    @Test func aChangeOfTheSourcesChangesTheKey() async throws {
        try await withWorkbench { bench in
            _ = try bench.write("action/Package.swift", "// manifest")
            let source = "action/Sources/One.swift"
            _ = try bench.write(source, "let one = 1")
            let variables = ["ACTION": bench.file("action"), "PATH": "/usr/bin:/bin"]
            let before = try await self.found(bench, variables)["key"]
            _ = try bench.write(source, "let one = 2")
            let after = try await self.found(bench, variables)["key"]
            #expect(before != nil && before != after)
        }
    }

    @Test func putsWhatItBuiltIntoThePath() async throws {
        try await withWorkbench { bench in
            // In place of a build of some minutes, which `scripts/playhead` does.
            let script = try bench.write(
                "action/scripts/playhead",
                "#!/bin/sh\nd=$(dirname \"$0\")/../.build/release; mkdir -p \"$d\"\n"
                    + "printf '#!/bin/sh\\necho built\\n' >\"$d/playhead\"; chmod +x \"$d/playhead\"\n")
            chmod(script, 0o755)
            let folder = bench.file("kept")
            let variables = [
                "ACTION": bench.file("action"), "FOLDER": folder, "HOW": "build", "PACKAGE": "",
                "GITHUB_PATH": bench.file("path"),
            ]
            let build = try await self.run("Build Playhead", bench, variables)
            #expect(build.code == 0, "\(build.errors)")
            let install = try await self.run("Install Playhead", bench, variables)
            #expect(install.code == 0 && install.text == "built\n", "\(install.errors)")
            #expect(try String(contentsOfFile: bench.file("path"), encoding: .utf8) == folder + "\n")
        }
    }

    @Test func recordsReplaysAndFailsOnAMiss() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            let command = "curl -sf \(Self.url)/json?x=1 | cat"
            let first = try await self.step(bench, command, mode: "once", options: options)
            #expect(first.code == 0 && first.text.contains("/json?x=1"), "\(first.errors)")
            origin.stop()
            let second = try await self.step(bench, command, mode: "none", report: bench.file("junit.xml"))
            #expect(second.code == 0 && second.text.hasPrefix(first.text), "\(second.errors)")
            let junit = FileManager.default.contents(atPath: bench.file("junit.xml")) ?? Data()
            #expect(String(decoding: junit, as: UTF8.self).contains("<testsuite"))
            let miss = try await self.step(bench, "curl -s \(Self.url)/other", mode: "none")
            #expect(miss.code == 3, "\(miss.errors)")
            #expect(miss.text.contains("::error"), "\(miss.text)")
            let failed = try await self.step(bench, "false | true; echo not reached", mode: "none")
            #expect(failed.code == 1 && !failed.text.contains("not reached"), "\(failed.text)")
        }
    }
}
