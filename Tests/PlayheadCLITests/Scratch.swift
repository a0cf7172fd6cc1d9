import Foundation
import PlayheadCassette

@testable import PlayheadCLI

/// A folder of one test, removed when the test lets go of it.
final class Scratch {
    let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "playhead-cli-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The system's own folder may be a link, and messages show the real path.
        self.path = folder.resolvingSymlinksInPath().path
    }

    deinit { try? FileManager.default.removeItem(atPath: self.path) }

    func folder(_ name: String) throws -> String {
        let path = self.path + "/" + name
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
        let path = self.path + "/" + name
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    /// The machine as a program started in a folder of ours sees it.
    func host(_ environment: [String: String] = [:], in folder: String? = nil) -> HostEnvironment {
        HostEnvironment(
            environment: environment, workingFolder: folder ?? self.path, userAtHost: { "user@host" },
            now: { Timestamp(milliseconds: 0) })
    }
}

/// The failure that an action ends with, as the command line would show it.
func failure(of action: () throws -> Void) -> CommandFailure? {
    do {
        try action()
        return nil
    } catch {
        return CommandBoundary.failure(for: error)
    }
}
