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
            ["ACTION": Playhead.repository, "PACKAGE": "", "RELEASE": "", "GITHUB_OUTPUT": outputs].merging(environment)
            { $1 })
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
            #expect(try await self.found(bench, ["RELEASE": "v1.2.3"])["how"] == "release")
            #expect(try await self.found(bench, ["RELEASE": "v1.2.3", "PACKAGE": "x.deb"])["how"] == "package")
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

    /// A package is downloaded from loopback; `apt-get` is a stand-in that keeps what it is asked to install.
    @Test(.enabled(if: Tool.has("dpkg") && Tool.has("curl"), "dpkg or curl is not installed"))
    func installsAPackageFromAURLAndOneOfARelease() async throws {
        try await withWorkbench { bench in
            let architecture = try #require(Tool.output(of: ["dpkg", "--print-architecture"]))
                .trimmingCharacters(in: .whitespacesAndNewlines)
            let name = "playhead_1.2.3_\(architecture).deb"
            _ = try bench.write("mirror/v1.2.3/\(name)", "the package\n")
            _ = try bench.write("mirror/bare.deb", "another package\n")
            let sums = try await bench.finish(["sh", "-c", "cd mirror/v1.2.3 && sha256sum \(name)"])
            let sumsFile = try bench.write("mirror/v1.2.3/SHA256SUMS", sums.text)
            for (tool, script) in [
                ("apt-get", "for last; do :; done; [ \"$1\" = update ] || cp \"$last\" '\(bench.file("installed"))'"),
                ("sudo", "exec \"$@\""),
            ] {
                chmod(try bench.write("bin/" + tool, "#!/bin/sh\n\(script)\n"), 0o755)
            }
            let server = try await FileServer(bench, folder: bench.file("mirror"))
            defer { server.stop() }
            try FileManager.default.createDirectory(
                atPath: bench.file("temporary"), withIntermediateDirectories: true)
            let variables = [
                "PATH": bench.file("bin") + ":" + (bench.environment["PATH"] ?? ""), "ACTION": Playhead.repository,
                "FOLDER": "", "PACKAGE": "", "RELEASE": "", "RUNNER_TEMP": bench.file("temporary"),
            ]
            let release = ["HOW": "release", "RELEASE": "v1.2.3", "RELEASES": server.url + "/"]
            let installed = try await self.run("Install Playhead", bench, variables.merging(release) { $1 })
            #expect(installed.code == 0, "\(installed.errors)")
            #expect(try String(contentsOfFile: bench.file("installed"), encoding: .utf8) == "the package\n")

            let bare = ["HOW": "package", "PACKAGE": server.url + "/bare.deb"]
            let other = try await self.run("Install Playhead", bench, variables.merging(bare) { $1 })
            #expect(other.code == 0, "\(other.errors)")
            #expect(try String(contentsOfFile: bench.file("installed"), encoding: .utf8) == "another package\n")

            // Neither a package that is not the one of the list, nor one that the list does not name, is installed.
            try FileManager.default.removeItem(atPath: bench.file("installed"))
            for text in [String(repeating: "0", count: 64) + "  \(name)\n", "no line of it\n"] {
                try Data(text.utf8).write(to: URL(fileURLWithPath: sumsFile))
                let refused = try await self.run("Install Playhead", bench, variables.merging(release) { $1 })
                #expect(refused.code != 0)
                #expect(!FileManager.default.fileExists(atPath: bench.file("installed")))
            }
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

/// Files of a folder over HTTP on loopback.
private final class FileServer: Sendable {
    let url: String
    private let process: ChildProcess

    init(_ bench: Workbench, folder: String) async throws {
        let program = """
            import functools, http.server, sys
            handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
            print(server.server_port, flush=True)
            server.serve_forever()
            """
        let process = try bench.start(["python3", "-c", program, folder])
        self.process = process
        let port = try await eventually("the file server is ready") {
            if let code = process.pollExit() { throw HarnessError("it ended with \(code): \(process.errors)") }
            let text = String(decoding: process.output, as: UTF8.self)
            return text.hasSuffix("\n") ? Int(text.dropLast()) : nil
        }
        self.url = "http://127.0.0.1:\(port)"
    }

    func stop() { self.process.signal(SIGKILL) }
}
