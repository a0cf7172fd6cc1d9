import Foundation
import PlayheadTrust
import Testing

struct IOSSimulatorsTests {
    private static let first = "5A0C1B2D-0000-4000-8000-0123456789AB"
    private static let second = "6B0C1B2D-0000-4000-8000-0123456789AB"
    private let folder: TemporaryFolder
    private let xcrun: String
    private let sqlite: String
    private let certificate: LocalCertificate
    private let literal = "X'3003020101'"

    init() throws {
        folder = try TemporaryFolder()
        try folder.addTool("xcrun")
        try folder.addTool("sqlite3")
        xcrun = folder.path + "/bin/xcrun"
        sqlite = folder.path + "/bin/sqlite3"
        certificate = try folder.localCertificate()
    }

    private func database(_ identifier: String) -> String {
        "home/Library/Developer/CoreSimulator/Devices/\(identifier)/data/private/var/protected/trustd/private/"
            + "TrustStore.sqlite3"
    }

    private func runner(holding: Bool, booted: [String] = [first, second]) -> ScriptedRunner {
        ScriptedRunner { arguments in
            guard arguments.contains("simctl") else {
                return CommandResult(status: 0, output: Array((holding ? "1\n" : "0\n").utf8))
            }
            let lines = booted.map { "    iPhone 15 (2nd) (\($0)) (Booted) \n" }.joined()
            return CommandResult(status: 0, output: Array("== Devices ==\n-- iOS 17.2 --\n\(lines)".utf8))
        }
    }

    private func host(_ runner: ScriptedRunner) -> TrustHost {
        folder.host(system: .macOS, isSuperuser: false, runner: runner)
    }

    @Test func addsTheRootToEachByItsIdentifier() throws {
        try folder.write("", database(Self.second))
        let runner = runner(holding: false)
        #expect(try IOSSimulators().state(of: certificate, on: host(runner)) == .missing)
        #expect(
            lines(try IOSSimulators().installation(of: certificate, on: host(runner)), isSuperuser: false) == [
                "\(xcrun) simctl keychain \(Self.first) add-root-cert \(certificate.path)",
                "\(xcrun) simctl keychain \(Self.second) add-root-cert \(certificate.path)",
            ])
        #expect(runner.commands[0] == [xcrun, "simctl", "list", "devices", "booted"])
        #expect(
            runner.commands.contains([
                sqlite, "-readonly", folder.path + "/" + database(Self.second),
                "SELECT count(*) FROM tsettings WHERE data = \(literal)",
            ]))
    }

    @Test func takesOutItsOwnRowAlone() throws {
        try folder.write("", database(Self.first))
        let host = host(runner(holding: true, booted: [Self.first]))
        #expect(try IOSSimulators().state(of: certificate, on: host) == .installed)
        #expect(try IOSSimulators().installation(of: certificate, on: host).isEmpty)
        #expect(
            try IOSSimulators().removal(of: certificate, on: host).map(\.arguments) == [
                [
                    sqlite, folder.path + "/" + database(Self.first),
                    "DELETE FROM tsettings WHERE data = \(literal)",
                ]
            ])
    }

    @Test func withoutABootedOneThereIsNothingToDo() throws {
        let host = host(runner(holding: false, booted: []))
        guard case .notPresent(let reason) = try IOSSimulators().state(of: certificate, on: host) else {
            Issue.record("present")
            return
        }
        #expect(reason.contains("boot"))
        #expect(try IOSSimulators().removal(of: certificate, on: host).isEmpty)
        guard case .notPresent = try IOSSimulators().state(of: certificate, on: folder.host()) else {
            Issue.record("present on Linux")
            return
        }
    }
}
