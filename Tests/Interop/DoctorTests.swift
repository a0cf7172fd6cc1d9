import Foundation
import Testing

/// `playhead doctor` with real clients, and with some that behave badly on purpose.
@Suite("Doctor", .timeLimit(.minutes(5)))
struct DoctorTests {
    private struct Report: Decodable {
        struct Client: Decodable {
            var name: String
            var version: String?
            var proxied: Bool
            var trusted: Bool
            var isolate: String?
            var fix: String
            /// What the client said itself, which a failed test shows.
            var words: String
        }
        var version: Int
        var clients: [Client]
        var missing: [String]

        func client(_ name: String) throws -> Client { try #require(self.clients.first { $0.name == name }) }
    }

    private func ask(_ bench: Workbench, _ names: String, path: String? = nil) async throws -> Report {
        let environment = path.map { ["PATH": $0] } ?? [:]
        let done = try await bench.playhead(
            ["doctor", "--json", "--ca-dir", bench.folder + "/ca", "--only", names], environment: environment)
        try #require(done.code == 0, "\(done.errors)")
        return try JSONDecoder().decode(Report.self, from: done.output)
    }

    /// The user's programs, and those that `scripts/test-clients --all` got.
    private static var path: String {
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin") + ":"
            + Playhead.repository + "/.build/clients-runtimes/bin"
    }

    @Test(
        arguments: [
            "curl", "wget", "git", "python-urllib", "ruby", "perl-http-tiny", "cargo", "npm", "deno", "bun", "dotnet",
        ])
    func aClientThatReadsTheVariablesIsWell(name: String) async throws {
        try await withWorkbench { bench in
            let report = try await self.ask(bench, name, path: Self.path)
            guard report.missing.isEmpty else { return }
            let client = try report.client(name)
            #expect(client.proxied && client.trusted && client.fix.isEmpty, "\(client)")
            #expect(client.isolate == nil)
            #expect(client.version?.contains(".") == true)
        }
    }

    /// Chromium reads no variable for a CA and no system store: its database is what `cert install` fills.
    @Test(.enabled(if: Tool.has("chromium") && Tool.has("certutil"), "chromium or certutil is not installed"))
    func chromiumTrustsWhatItsDatabaseHolds() async throws {
        try await withWorkbench { bench in
            let before = try await self.ask(bench, "chromium").client("chromium")
            #expect(before.proxied && !before.trusted && before.fix.contains("playhead cert install"), "\(before)")
            let folder = bench.folder + "/home/.pki/nssdb"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for arguments in [
                ["-N", "--empty-password"], ["-A", "-t", "C,,", "-n", "ours", "-i", bench.folder + "/ca/ca.pem"],
            ] {
                let done = try await bench.finish(["certutil", "-d", "sql:" + folder] + arguments)
                try #require(done.code == 0, "\(done.errors)")
            }
            let after = try await self.ask(bench, "chromium").client("chromium")
            #expect(after.proxied && after.trusted && after.isolate == nil, "\(after)")
        }
    }

    @Test func clientsThatDoNotAreToldApart() async throws {
        try await withWorkbench { bench in
            let curl = try Tool.need("curl")
            for (name, script) in [
                ("wget", "exec env -u CURL_CA_BUNDLE -u SSL_CERT_FILE -u SSL_CERT_DIR \(curl) -sS \"$6\""),
                ("git", "exit 0"), ("php", "exec \(curl) -s -o /dev/null \"$2\""),
            ] {
                chmod(
                    try bench.write(
                        "bin/" + name, "#!/bin/sh\n[ $# -lt 2 ] && exit 0\n[ \"$1\" = -r ] && exit 0\n\(script)\n"),
                    0o755)
            }
            let report = try await self.ask(
                bench, "wget,git,php-streams,bun", path: bench.file("bin") + ":/usr/bin:/bin")
            let wget = try report.client("wget")
            #expect(wget.proxied)
            // A machine without namespaces has no such way out.
            #expect(wget.trusted ? wget.isolate == "trust" : wget.fix.contains("WGETRC"), "\(wget)")
            let git = try report.client("git")
            #expect(!git.proxied && !git.trusted && git.fix.contains("--isolate network"), "\(git)")
            let php = try report.client("php-streams")
            #expect(!php.trusted && php.fix.contains("did not print"), "\(php)")
        }
    }
}
