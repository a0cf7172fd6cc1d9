import Foundation
import Testing

@testable import PlayheadTrust

struct AndroidEmulatorsTests {
    private let folder: TemporaryFolder
    private let adb: String
    private let certificate: LocalCertificate

    init() throws {
        folder = try TemporaryFolder()
        try folder.addTool("adb")
        adb = folder.path + "/bin/adb"
        let pem = PlayheadTrustTests.certificate(1).pem
        try folder.write(pem, "ca.pem")
        certificate = try LocalCertificate(
            path: folder.path + "/ca.pem", pem: pem, name: "n", fingerprint: String(repeating: "01", count: 32),
            oldSubjectHash: "c8750f0d")
    }

    private func runner(holding: PEMCertificate? = nil) -> ScriptedRunner {
        ScriptedRunner { arguments in
            if arguments.last == "devices" {
                let list = "List of devices attached\nemulator-5554\tdevice\nemulator-5556\toffline\nR58M\tdevice\n\n"
                return CommandResult(status: 0, output: Array(list.utf8))
            }
            return CommandResult(status: 0, output: Array((holding?.pem ?? "").utf8))
        }
    }

    @Test func pushesTheFileAndCoversTheFolder() throws {
        let runner = runner()
        let host = folder.host(runner: runner)
        #expect(try AndroidEmulators().state(of: certificate, on: host) == .missing)
        let plan = try AndroidEmulators().installation(of: certificate, on: host)
        let place = "/data/local/tmp/playhead-0101010101010101.pem"
        #expect(
            plan.map(\.arguments) == [
                [adb, "-s", "emulator-5554", "root"], [adb, "-s", "emulator-5554", "wait-for-device"],
                [adb, "-s", "emulator-5554", "push", certificate.path, place],
                [
                    adb, "-s", "emulator-5554", "shell",
                    AndroidEmulators.installing("playhead-0101010101010101", hash: "c8750f0d"),
                ],
            ])
        #expect(plan.allSatisfy { !$0.needsRoot })
        #expect(
            runner.commands[1] == [
                adb, "-s", "emulator-5554", "shell", "cat /system/etc/security/cacerts/c8750f0d.* 2>/dev/null",
            ])
    }

    @Test func removesItsOwnFileAndLeavesForeignOnes() throws {
        let foreign = folder.host(runner: runner(holding: PlayheadTrustTests.certificate(2)))
        #expect(try AndroidEmulators().removal(of: certificate, on: foreign).isEmpty)
        let host = folder.host(runner: runner(holding: certificate.certificate))
        #expect(try AndroidEmulators().state(of: certificate, on: host) == .installed)
        #expect(try AndroidEmulators().installation(of: certificate, on: host).isEmpty)
        let last = try #require(try AndroidEmulators().removal(of: certificate, on: host).last)
        #expect(last.arguments.last == AndroidEmulators.removing("playhead-0101010101010101", hash: "c8750f0d"))
    }

    /// The device's shell is not here, but this one reads the same language.
    @Test func theScriptsAreSoundAndTouchOneFileOnly() throws {
        for script in [
            AndroidEmulators.installing("playhead-01", hash: "c8750f0d"),
            AndroidEmulators.removing("playhead-01", hash: "c8750f0d"),
        ] { #expect(try shell(["sh", "-n", "-c", script]).status == 0) }
        let cacerts = "system/etc/security/cacerts/"
        try folder.write("foreign", cacerts + "c8750f0d.0")
        try folder.write("ours", cacerts + "c8750f0d.1")
        try folder.write("ours", "data/local/tmp/playhead-01.pem")
        let here = AndroidEmulators.removing("playhead-01", hash: "c8750f0d")
            .replacing("/system/", with: folder.path + "/system/").replacing("/data/", with: folder.path + "/data/")
        #expect(try shell(["sh", "-c", here]).status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/" + cacerts) == ["c8750f0d.0"])
    }

    @Test func findsAdbInTheFolderOfTheSDK() throws {
        try FileManager.default.removeItem(atPath: adb)
        guard case .notPresent = try AndroidEmulators().state(of: certificate, on: folder.host(runner: runner())) else {
            Issue.record("present without adb")
            return
        }
        try folder.write("#!/bin/sh\n", "sdk/platform-tools/adb", mode: 0o755)
        let host = folder.host(variables: ["ANDROID_HOME": folder.path + "/sdk"], runner: runner())
        #expect(try AndroidEmulators().state(of: certificate, on: host) == .missing)
    }
}
