import Foundation
import Testing

/// What the example tests need of the machine.
private enum Machine {
    static let makesNetworks = getuid() == 0 && Tool.output(of: ["unshare", "-n", "true"]) != nil && Tool.has("ip")
}

/// The commands of `examples`, run with the program: a job whose tests are one request that the cassette answers.
///
/// Each runs in a network of its own, so the ports that the examples name are free.
@Suite("examples", .timeLimit(.minutes(5)), .enabled(if: Machine.makesNetworks, "needs root and network namespaces"))
struct ExampleRunTests {
    private static let cassette = """
        playhead: 1
        recorded_with: playhead test
        exchanges:
        - id: '1'
          recorded_at: 2026-01-01T00:00:00.000Z
          request:
            method: GET
            url: https://api.example.test/json
            headers: []
          response:
            status: 200
            headers: []
            body: recorded

        """

    /// A folder with the program, a cassette, and an `npm` whose tests are one request.
    private static func prepare(_ bench: Workbench, path: String = "/json") throws -> [String: String] {
        try bench.write("cassettes/default.yaml", Self.cassette)
        try bench.write("cassettes/checkout.yaml", Self.cassette)
        let programs = bench.folder + "/programs"
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: programs + "/playhead", withDestinationPath: bench.binary)
        let npm = """
            #!/bin/sh
            # Trusts what Node would.
            [ "$1" = test ] && exec curl -s --fail --max-time 20 ${NODE_EXTRA_CA_CERTS:+--cacert "$NODE_EXTRA_CA_CERTS"} \\
                https://api.example.test\(path)

            """
        _ = FileManager.default.createFile(
            atPath: programs + "/npm", contents: Data(npm.utf8), attributes: [.posixPermissions: 0o755])
        return [
            "PATH": programs + ":" + (bench.environment["PATH"] ?? ""), "RUNNER_TEMP": bench.folder + "/tmp",
            "GITHUB_ENV": bench.folder + "/github.env", "GITHUB_STEP_SUMMARY": bench.folder + "/summary.md",
        ]
    }

    /// Runs a script in a network of its own; what it leaves running is ended with it.
    private static func run(
        _ bench: Workbench, _ script: String, _ environment: [String: String]
    ) async throws -> Workbench.Finished {
        try await bench.finish(
            [
                "unshare", "-n", "-m", "-p", "-f", "--mount-proc", "--kill-child=KILL", "bash", "-c",
                "ip link set lo up || exit 99\n" + script,
            ], environment: environment)
    }

    /// The `run` steps of a GitHub workflow, in order.
    private static func steps(_ name: String) throws -> [String] {
        let text = try String(contentsOfFile: Playhead.repository + "/examples/\(name)", encoding: .utf8)
        var steps: [String] = []
        var margin: Int?
        for line in text.components(separatedBy: "\n") {
            let indent = line.prefix { $0 == " " }.count
            if let inside = margin {
                if line.isEmpty || indent > inside {
                    steps[steps.count - 1] += line.dropFirst(inside + 2) + "\n"
                    continue
                }
                margin = nil
            }
            guard let range = line.range(of: "run: ") else { continue }
            let rest = String(line[range.upperBound...])
            steps.append(rest == "|" ? "" : rest)
            if rest == "|" { margin = indent }
        }
        return steps
    }

    /// A job of several steps: each is a shell of its own that gets the variables of `GITHUB_ENV`.
    private static func job(_ steps: [String]) -> String {
        steps.map { step in
            "[ -f \"$GITHUB_ENV\" ] && while IFS= read -r line; do export \"$line\"; done < \"$GITHUB_ENV\"\n"
                + "bash -e -c '\(step.replacing("'", with: "'\\''"))' || code=$?\n"
        }.joined() + "exit ${code:-0}\n"
    }

    @Test func theStepsOfGitHub() async throws {
        try await withWorkbench { bench in
            let environment = try Self.prepare(bench)
            let steps = try Self.steps("github-actions/step.yml")
            #expect(steps.count == 3)
            let done = try await Self.run(bench, Self.job(steps), environment)
            #expect(done.text.contains("recorded"), "\(done.errors)")
            #expect(done.code == 0, "\(done.text)\(done.errors)")
            let summary = try String(contentsOfFile: bench.folder + "/summary.md", encoding: .utf8)
            #expect(summary.contains("| replayed | 1 |"))
        }
    }

    @Test func aMissFailsTheJobOfGitHub() async throws {
        try await withWorkbench { bench in
            let environment = try Self.prepare(bench, path: "/other")
            let done = try await Self.run(bench, Self.job(try Self.steps("github-actions/step.yml")), environment)
            #expect(done.code == 3, "\(done.errors)")
            #expect(done.text.contains("::error title=playhead%3A miss GET https%3A//api.example.test/other"))
        }
    }

    @Test func theServiceOfGitHub() async throws {
        try await withWorkbench { bench in
            let environment = try Self.prepare(bench)
            let steps = try Self.steps("github-actions/service.yml")
            #expect(steps.count == 2)
            // The service and `docker exec` are the program itself here.
            let service =
                "playhead serve --mode none --ready-file ready > serve.log 2>&1 &\n"
                + "until [ -s ready ]; do sleep 0.05; done\n"
            let verdict = steps[1].replacing(#/docker exec \S+ \S+ \S+ /#, with: "")
            #expect(verdict.hasPrefix("playhead report"), "\(verdict)")
            let done = try await Self.run(bench, service + Self.job([steps[0], verdict]), environment)
            #expect(done.code == 0 && done.text.contains("recorded"), "\(done.text)\(done.errors)")
        }
    }

    @Test func theJobOfGitLab() async throws {
        try await withWorkbench { bench in
            let environment = try Self.prepare(bench)
            let text = try String(
                contentsOfFile: Playhead.repository + "/examples/gitlab/.gitlab-ci.yml", encoding: .utf8)
            let command = try #require(text.firstMatch(of: #/- (playhead run .*)/#)).output.1
            let done = try await Self.run(bench, String(command), environment)
            #expect(done.code == 0 && done.text.contains("recorded"), "\(done.errors)")
            #expect(try String(contentsOfFile: bench.file("playhead.xml"), encoding: .utf8).contains("<testsuite"))
        }
    }

    /// Compose and Kubernetes start the tests with one line that reads the shared folder.
    @Test(arguments: ["compose/compose.yaml", "kubernetes/job.yaml"])
    func theLineOfTheTestsContainer(_ name: String) async throws {
        try await withWorkbench { bench in
            let environment = try Self.prepare(bench)
            let text = try String(contentsOfFile: Playhead.repository + "/examples/\(name)", encoding: .utf8)
            let line = try #require(text.firstMatch(of: #/"(\. \/ca\/env\.sh [^"]*)"/#)).output.1
            let share = bench.folder + "/ca"
            let script = """
                playhead serve --mode none --listen 127.0.0.1:0 --share-ca '\(share)' --ready-file ready > log 2>&1 &
                until [ -s ready ]; do sleep 0.05; done
                sh -c '\(line.replacing("/ca/", with: share + "/"))'
                """
            let done = try await Self.run(bench, script, environment)
            #expect(done.code == 0 && done.text.contains("recorded"), "\(done.errors)")
        }
    }

    @Test func theDevContainer() async throws {
        try await withWorkbench { bench in
            var environment = try Self.prepare(bench)
            let data = try #require(
                FileManager.default.contents(
                    atPath: Playhead.repository + "/examples/devcontainer/devcontainer.json"))
            let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            func here(_ text: Any?) throws -> String {
                (try #require(text as? String)).replacing("/tmp/", with: bench.folder + "/tmp/")
            }
            environment["PLAYHEAD_MODE"] = "none"
            let file = try here((object["remoteEnv"] as? [String: String])?["BASH_ENV"])
            let script = """
                sh -c '\(try here(object["postStartCommand"]))'
                until [ -s '\(file)' ]; do sleep 0.05; done
                BASH_ENV='\(file)' bash -c 'npm test'
                """
            let done = try await Self.run(bench, script, environment)
            #expect(done.code == 0 && done.text.contains("recorded"), "\(done.errors)")
        }
    }
}
