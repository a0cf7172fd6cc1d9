import Foundation
import Testing

/// The step of `action.yml`, run as GitHub runs it.
@Suite("Action", .enabled(if: Tool.has("bash"), "bash is not installed"), .timeLimit(.minutes(5)))
struct ActionTests {
    private static let url = "https://api.example.test"

    /// The script of the last step, and the inputs with their defaults.
    private static func script() throws -> String {
        let text = try String(contentsOfFile: Playhead.repository + "/action.yml", encoding: .utf8)
        let step = try #require(text.components(separatedBy: "    - name: Run\n").last)
        let script = try #require(step.components(separatedBy: "      run: |\n").last)
        return script.split(separator: "\n", omittingEmptySubsequences: false).map { $0.dropFirst(8) }
            .joined(separator: "\n")
    }

    private func step(
        _ bench: Workbench, _ command: String, mode: String, options: [String] = [], report: String = ""
    ) async throws -> Workbench.Finished {
        let file = try bench.write("step.sh", try Self.script())
        let folder = (bench.binary as NSString).deletingLastPathComponent
        return try await bench.finish(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", file],
            environment: [
                "PATH": folder + ":" + (bench.environment["PATH"] ?? ""), "COMMAND": command,
                "OPTIONS": options.joined(separator: "\n"), "REPORT": report, "PLAYHEAD_MODE": mode,
                "PLAYHEAD_CASSETTE": "default", "PLAYHEAD_CASSETTES": bench.cassettes, "PLAYHEAD_FAIL_ON": "miss",
                "PLAYHEAD_ISOLATE": "env",
            ])
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
