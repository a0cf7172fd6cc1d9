import Foundation
import PlayheadTrust

/// Runs a program to its end; its errors come after its output.
func run(_ name: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
            continuation.resume(
                with: Result {
                    let result = try SystemCommandRunner().run(
                        ["timeout", "60", name] + arguments, environment: ProcessInfo.processInfo.environment,
                        input: [])
                    return (result.status, result.text + result.errorText)
                })
        }
    }
}

/// A folder of a test's own, removed with the object.
final class Folder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("playhead-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, to name: String) throws -> String {
        let file = path + "/" + name
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    func mode(of name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }
}

/// The real time, which the outside programs verify against.
let realTime: Int64 = Int64(Date().timeIntervalSince1970)
