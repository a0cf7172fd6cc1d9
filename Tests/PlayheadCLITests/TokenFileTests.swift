import Foundation
import PlayheadAdmin
import Testing

@testable import PlayheadCLI

@Suite struct TokenFileTests {
    private static func setup(
        _ scratch: Scratch, _ environment: [String: String] = [:], _ flags: [SettingKey: [String]] = [:]
    ) throws -> SessionSetup {
        var host = HostEnvironment.current()
        host.environment = environment
        host.workingFolder = scratch.path
        var flags = flags
        flags[.caDirectory] = [scratch.path + "/ca"]
        return SessionSetup(settings: Settings(flags: flags, environment: environment, file: nil), host: host)
    }

    @Test func aNewTokenLiesInTheCAsFolderForItsOwnerAlone() throws {
        let scratch = try Scratch()
        let file = try TokenFile.load(try Self.setup(scratch))
        let path = try #require(try file.publish(port: 8123))
        #expect(path == scratch.path + "/ca/admin-8123.token")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == file.token.text + "\n")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let setup = try Self.setup(scratch)
        #expect(try AdminPlace.token(setup, port: 8123) == file.token.text)
        #expect(throws: CommandFailure.self) { try AdminPlace.token(setup, port: 8124) }
        TokenFile.removeOwn(path)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func aNamedFileIsKeptAndUsedAgain() throws {
        let scratch = try Scratch()
        let setup = try Self.setup(scratch, [:], [.adminTokenFile: ["secret"]])
        let first = try TokenFile.load(setup)
        let path = try #require(try first.publish(port: 1))
        #expect(path == scratch.path + "/secret")
        TokenFile.removeOwn(path)
        let again = try TokenFile.load(setup)
        #expect(again.token.text == first.token.text)
        #expect(try again.publish(port: 2) == path)
    }

    @Test func theVariableComesFirstAndIsNotWritten() throws {
        let scratch = try Scratch()
        let setup = try Self.setup(scratch, ["PLAYHEAD_ADMIN_TOKEN": "0123456789abcdef"])
        let file = try TokenFile.load(setup)
        #expect(file.token.text == "0123456789abcdef")
        #expect(try file.publish(port: 1) == nil)
        #expect(throws: CommandFailure.self) {
            try TokenFile.load(try Self.setup(scratch, ["PLAYHEAD_ADMIN_TOKEN": "short"]))
        }
    }

    @Test func aFileThatOthersCanReadIsRefused() throws {
        let scratch = try Scratch()
        let path = scratch.path + "/open"
        try "0123456789abcdef".write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        do {
            _ = try TokenFile.read(path)
            Issue.record("it is read")
        } catch let failure as CommandFailure {
            #expect(failure.code == .noPermission)
            #expect(failure.message.contains("chmod 600"))
        }
    }
}
