import Foundation
import Testing

/// Places where the program may not do everything: folders of others, a root without `/proc`.
@Suite(
    "Places", .timeLimit(.minutes(5)),
    .enabled(if: getuid() == 0 && Tool.has("setpriv") && Tool.has("unshare"), "needs root, setpriv and unshare"))
struct PlaceTests {
    /// As a user who may read nothing but what all may.
    private func asNobody(_ bench: Workbench, _ arguments: [String]) async throws -> Workbench.Finished {
        let user = ["setpriv", "--reuid", "65532", "--regid", "65532", "--clear-groups"]
        return try await bench.finish(
            user + [bench.binary] + arguments, environment: ["HOME": "/nonexistent", "TMPDIR": "/tmp"])
    }

    @Test func whatTheSystemRefusesIs77() async throws {
        try await withWorkbench { bench in
            for name in ["closed/ca.pem", "closed/report.json", "closed/default.yaml", "closed/playhead.yaml"] {
                chmod(try bench.write(name, "version: 1\n"), 0o600)
            }
            let (closed, open) = (bench.file("closed"), bench.file("open"))
            let ca = bench.file("ca")
            for (folder, mode) in [(open, 0o777), (ca, 0o777), (closed, 0o700)] as [(String, mode_t)] {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                chmod(folder, mode)
            }
            chmod(bench.folder, 0o755)
            for arguments in [
                ["cassette", "list", "--cassettes", closed], ["cassette", "scan", "--cassettes", closed],
                ["cassette", "show", "default", "--cassettes", closed],
                ["match", closed + "/default.yaml", "GET", "http://a.test/"],
                ["cert", "show", "--ca-dir", closed], ["cert", "path", "--ca-dir", closed + "/below"],
                ["cert", "export", "--ca-dir", ca, "--output", closed + "/exported.pem"],
                ["report", closed + "/report.json"], ["config", "validate", closed + "/playhead.yaml"],
                ["run", "--ca-dir", ca, "--cassettes", closed, "--", "true"],
                ["run", "--ca-dir", ca, "--cassettes", open, "--report", closed + "/r.json", "--", "true"],
                ["run", "--ca-dir", closed, "--cassettes", open, "--upstream-ca", closed + "/ca.pem", "--", "true"],
                ["serve", "--ca-dir", closed + "/below", "--listen", "127.0.0.1:0", "--admin", "off"],
                [
                    "serve", "--ca-dir", ca, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--cassettes", open,
                    "--ready-file", closed + "/ready",
                ],
                ["report", "--url", "http://127.0.0.1:1", "--ca-dir", closed],
            ] {
                let done = try await self.asNobody(bench, arguments)
                #expect(done.code == 77, "\(arguments): \(done.code) \(done.errors)")
                #expect(done.errors.contains("ermission denied"), "\(arguments): \(done.errors)")
            }
        }
    }

    @Test func withoutProcTheArgumentsAreUnderstood() async throws {
        try await withWorkbench { bench in
            let script =
                "mount --make-rprivate /; while umount -l /proc 2>/dev/null; do :; done; test ! -e /proc/self || exit 99; "
                + "exec \"$@\""
            let inside = ["unshare", "-m", "sh", "-c", script, "sh", bench.binary]
            let ca = ["--ca-dir", bench.folder + "/ca"]
            let version = try await bench.finish(inside + ["version"])
            #expect(version.code == 0 && version.text.hasPrefix("playhead "), "\(version.text)\(version.errors)")
            let path = try await bench.finish(inside + ["cert", "path"] + ca)
            #expect(path.text == bench.folder + "/ca/ca.pem\n", "\(path.text)\(path.errors)")
            let run = try await bench.finish(
                inside + ["run", "--cassettes", bench.cassettes] + ca
                    + ["--", "curl", "-s", "http://playhead.internal/ca.pem"])
            #expect(run.code == 0 && run.text.contains("BEGIN CERTIFICATE"), "\(run.code) \(run.errors)")
        }
    }
}
