import Foundation
import Testing

/// What the sidecar's tests need of the machine.
private enum Machine {
    static let makesRoots =
        getuid() == 0 && Tool.output(of: ["unshare", "-m", "true"]) != nil && Tool.has("setpriv")
}

/// `serve` as the image runs it: user 65532, a root that is read-only, all settings by variable.
@Suite("sidecar", .timeLimit(.minutes(5)), .enabled(if: Machine.makesRoots, "needs root and mount namespaces"))
struct SidecarTests {
    struct Ready: Decodable {
        let listen: [String]
        let admin: String
        let tokenFile: String

        enum CodingKeys: String, CodingKey {
            case listen, admin
            case tokenFile = "admin_token_file"
        }
    }

    /// One start of the sidecar; the volumes outlive it.
    struct Sidecar {
        let process: ChildProcess
        let ready: Ready
        let volumes: String

        init(_ bench: Workbench, _ origin: Origin, mode: String) async throws {
            let volumes = bench.folder + "/volumes"
            for name in ["cassettes", "ca", "run"] {
                try FileManager.default.createDirectory(
                    atPath: volumes + "/" + name, withIntermediateDirectories: true)
            }
            let readyFile = volumes + "/run/ready.json"
            try? FileManager.default.removeItem(atPath: readyFile)
            let script = """
                set -e
                mount --make-rprivate /
                chown -R 65532:0 "$1"
                mount --bind "$1" "$1"
                mount -o remount,bind,ro /
                if touch /written-by-the-test 2>/dev/null; then echo 'the root is writable' >&2; exit 99; fi
                exec setpriv --reuid 65532 --regid 0 --clear-groups --no-new-privs --bounding-set -all "$2" serve
                """
            let map = ["443": "https", "80": "http"].map { port, kind in
                "api.example.test:\(port)=127.0.0.1:\(origin.port(kind))"
            }
            self.process = try bench.start(
                ["unshare", "-m", "sh", "-c", script, "sh", volumes, bench.binary],
                environment: [
                    "HOME": volumes + "/run", "XDG_DATA_HOME": "", "TMPDIR": volumes + "/run",
                    "PLAYHEAD_CASSETTES": volumes + "/cassettes", "PLAYHEAD_SHARE_CA": volumes + "/ca",
                    "PLAYHEAD_LISTEN": "127.0.0.1:0", "PLAYHEAD_ADMIN": "127.0.0.1:0",
                    "PLAYHEAD_READY_FILE": readyFile, "PLAYHEAD_MODE": mode, "PLAYHEAD_MAP": map.joined(separator: ","),
                    "PLAYHEAD_UPSTREAM_CA": try Certificates.file("ca.pem"),
                ])
            self.volumes = volumes
            let process = self.process
            let text = try await eventually("the sidecar is ready") {
                if let code = process.pollExit() { throw HarnessError("serve ended with \(code): \(process.errors)") }
                return FileManager.default.contents(atPath: readyFile)
            }
            self.ready = try JSONDecoder().decode(Ready.self, from: text)
        }

        /// A job that knows nothing but the shared folder.
        func job(_ bench: Workbench, _ command: String) async throws -> Workbench.Finished {
            try await bench.finish(["sh", "-c", ". '\(self.volumes)/ca/env.sh' && \(command)"])
        }

        func report(_ bench: Workbench, _ options: [String] = []) async throws -> Workbench.Finished {
            try await bench.playhead(
                ["report", "--url", self.ready.admin, "--admin-token-file", self.ready.tokenFile] + options)
        }
    }

    @Test func recordsIsJudgedAndSavesAtSIGTERM() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let first = try await Sidecar(bench, origin, mode: "once")
            let live = try await first.job(
                bench,
                "curl -s --fail --cacert '\(first.volumes)/ca/ca.pem' https://api.example.test/json && "
                    + "curl -s --fail https://api.example.test/json?n=2")
            #expect(live.code == 0, "\(live.errors)\(first.process.errors)")
            let clean = try await first.report(bench, ["--fail-on", "miss"])
            #expect(clean.code == 0, "\(clean.errors)")
            #expect(clean.text.contains("2 recorded"))
            first.process.signal(SIGTERM)
            #expect(try await first.process.exit(within: .seconds(30)) == 0)
            let cassette = first.volumes + "/cassettes/default.yaml"
            let owner = try FileManager.default.attributesOfItem(atPath: cassette)[.ownerAccountID] as? Int
            #expect(owner == 65532)
            origin.stop()

            let second = try await Sidecar(bench, origin, mode: "none")
            let replay = try await second.job(
                bench, "curl -s --fail https://api.example.test/json && curl -s https://api.example.test/other")
            #expect(replay.code == 0)
            let missed = try await second.report(bench, ["--fail-on", "miss,unused"])
            #expect(missed.code == 3, "\(missed.errors)")
            #expect(missed.text.contains("GET https://api.example.test/other"))
            #expect(try await second.report(bench, ["--fail-on", "unused"]).code == 4)
            #expect(try await second.report(bench, ["--fail-on", "none"]).code == 0)
            for (format, mark) in [
                ("junit", "<testsuite"), ("html", "<html"), ("json", "\"version\":1"), ("github", "::error "),
            ] {
                let shown = try await second.report(bench, ["--format", format])
                #expect(shown.code == 3 && shown.text.contains(mark), "\(format): \(shown.text.prefix(200))")
            }
            let stranger = try await bench.playhead(
                ["report", "--url", second.ready.admin], environment: ["PLAYHEAD_ADMIN_TOKEN": "0123456789abcdef"])
            #expect(stranger.code == 77)
            second.process.signal(SIGTERM)
            #expect(try await second.process.exit(within: .seconds(30)) == 3)
        }
    }

    /// What a client held when the container was killed is there at the next start.
    @Test func losesNothingAtSIGKILL() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let first = try await Sidecar(bench, origin, mode: "once")
            let live = try await first.job(bench, "curl -s --fail https://api.example.test/json")
            #expect(live.code == 0, "\(live.errors)")
            first.process.kill()
            origin.stop()
            let second = try await Sidecar(bench, origin, mode: "none")
            let replay = try await second.job(bench, "curl -s --fail https://api.example.test/json")
            #expect(replay.code == 0 && replay.output == live.output, "\(second.process.errors)")
            #expect(try await second.report(bench, ["--fail-on", "miss,unused"]).code == 0)
            second.process.signal(SIGTERM)
            #expect(try await second.process.exit(within: .seconds(30)) == 0)
        }
    }
}
