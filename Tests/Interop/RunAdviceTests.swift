import Foundation
import Testing

/// What `run` says of clients that do not trust it or do not use it, and whose variables it sets.
@Suite("Run advice", .timeLimit(.minutes(5)))
struct RunAdviceTests {
    static let url = "https://api.example.test"

    private func plain(_ bench: Workbench) -> [String] {
        ["--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes, "--mode", "none"]
    }

    @Test func aClientThatDistrustsUsIsNamedWithItsOwnVariable() async throws {
        try await withWorkbench { bench in
            let curl = [
                "sh", "-c", "env -u CURL_CA_BUNDLE -u SSL_CERT_FILE -u SSL_CERT_DIR curl -s \(Self.url)/ || true",
            ]
            let told = try await bench.run(self.plain(bench), curl)
            #expect(told.code == 0, "\(told.errors)")
            #expect(told.errors.contains("1 failed TLS"))
            #expect(told.errors.contains("curl/"), "\(told.errors)")
            #expect(told.errors.contains("refused our certificate for api.example.test (unknown ca)"), "\(told.errors)")
            #expect(told.errors.contains("CURL_CA_BUNDLE"))
            let judged = try await bench.run(self.plain(bench) + ["--fail-on", "trust"], curl)
            #expect(judged.code == 6, "\(judged.errors)")
        }
    }

    @Test func aCommandThatNeverUsedTheProxyIsTold() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let past = ["curl", "-sk", "--noproxy", "*", "https://127.0.0.1:\(origin.port("https"))/json"]
            let told = try await bench.run(self.plain(bench), past)
            #expect(told.code == 0, "\(told.errors)")
            #expect(told.errors.contains("warning: the command sent nothing through the proxy"), "\(told.errors)")
            #expect(told.errors.contains("127.0.0.1 is this machine"), "\(told.errors)")
            #expect(told.errors.contains("--proxy-localhost") && told.errors.contains("--noproxy"), "\(told.errors)")
            #expect(try await bench.run(self.plain(bench) + ["--fail-on", "leak"], past).code == 6)
            let used = try await bench.run(
                self.plain(bench) + ["--fail-on", "leak"], ["curl", "-s", "http://playhead.internal/ca.pem"])
            #expect(used.code == 0 && !used.errors.contains("sent nothing"), "\(used.errors)")
        }
    }

    @Test func envForSetsTheVariablesOfTheNamedClientsAlone() async throws {
        try await withWorkbench { bench in
            let inherited = ["ALL_PROXY": "socks5://1.2.3.4"]
            let done = try await bench.run(
                self.plain(bench) + ["--env-for", "curl"], ["env"], environment: inherited)
            let names = Set(done.text.split(separator: "\n").map { String($0.prefix { $0 != "=" }) })
            #expect(names.isSuperset(of: ["https_proxy", "CURL_CA_BUNDLE", "PLAYHEAD_ACTIVE"]))
            #expect(names.isDisjoint(with: ["NODE_EXTRA_CA_CERTS", "JAVA_TOOL_OPTIONS", "ALL_PROXY"]), "\(names)")
            let java = try await bench.playhead(
                ["env", "--ca-dir", bench.folder + "/ca", "--env-for", "java", "--format", "json"])
            #expect(java.text.contains("JAVA_TOOL_OPTIONS") && !java.text.contains("https_proxy"), "\(java.text)")
            let wrong = try await bench.run(self.plain(bench) + ["--env-for", "cobol"], ["true"])
            #expect(wrong.code == 64)
            #expect(wrong.errors.contains("curl, wget, git"), "\(wrong.errors)")
        }
    }

    /// A terminal of its own, an interactive shell in it, and the keys a person presses.
    @Test(.enabled(if: ClientPython.path != nil && Tool.has("bash"), "no python3 or no bash"))
    func theShellsJobControlTreatsBothAsOneJob() async throws {
        try await withWorkbench { bench in
            let python = try #require(ClientPython.path)
            let done = try await bench.finish(
                [python, Playhead.resource("Clients/terminal.py"), bench.binary, "--ca-dir", bench.folder + "/ca"])
            #expect(done.code == 0, "\(done.text)\n\(done.errors)")
            #expect(done.text.hasSuffix("stopped, continued, interrupted: 130\n"), "\(done.text)")
        }
    }
}
