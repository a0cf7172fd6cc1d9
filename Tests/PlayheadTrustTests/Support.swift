import Foundation

@testable import PlayheadTrust

/// A folder of its own that goes away with the test.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/playhead-trust-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, _ name: String, mode: Int = 0o644) throws {
        let file = path + "/" + name
        let folder = String(file[..<(file.lastIndex(of: "/") ?? file.startIndex)])
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        if mode & 0o111 == 0 {
            try text.write(toFile: file, atomically: false, encoding: .utf8)
        } else {
            // Written by another process: a child that is started meanwhile would hold our descriptor for a moment, and
            // a file that anybody may write to is not executed (ETXTBSY).
            let wrote = try shell(["/bin/sh", "-c", "cat > \"$0\"", file], input: text)
            guard wrote.status == 0 else { throw TrustError(.cannotWrite, wrote.errorText) }
        }
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    }

    func text(_ name: String) throws -> String { try String(contentsOfFile: path + "/" + name, encoding: .utf8) }

    func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.posixPermissions] as? Int
    }
}

/// Certificates of nobody: any DER will do where nothing parses it.
func certificate(_ seed: UInt8) -> PEMCertificate { PEMCertificate(der: [0x30, 0x03, 0x02, 0x01, seed]) }

/// The environment of the tests themselves, for commands that are really run.
let testEnvironment = ProcessInfo.processInfo.environment

/// Runs a command for real and gives what it printed.
func shell(_ arguments: [String], _ environment: [String: String] = testEnvironment, input: String = "") throws
    -> CommandResult
{
    try SystemCommandRunner().run(arguments, environment: environment, input: Array(input.utf8))
}
