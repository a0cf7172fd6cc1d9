import Foundation

/// Where the program under test and this test's own files are.
enum Playhead {
    /// The repository: this file is `Tests/Interop/Harness/Playhead.swift`.
    static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    /// A file below `Tests/Interop`.
    static func resource(_ path: String) -> String { Self.repository + "/Tests/Interop/" + path }

    /// The built program: `PLAYHEAD_BINARY`, else the one beside this test bundle.
    static func binary() throws -> String {
        if let named = ProcessInfo.processInfo.environment["PLAYHEAD_BINARY"] {
            guard access(named, X_OK) == 0 else {
                throw HarnessError("PLAYHEAD_BINARY names \(named), which is not an executable file")
            }
            return named
        }
        let here = [Bundle.main.executablePath, CommandLine.arguments.first].compactMap { $0 }
        let bundles = Bundle.allBundles.map(\.bundlePath)
        for start in here + bundles {
            let folder = URL(fileURLWithPath: start).deletingLastPathComponent()
            let candidate = folder.appendingPathComponent("playhead").path
            if access(candidate, X_OK) == 0 { return candidate }
        }
        throw HarnessError(
            "The `playhead` program is not built. Run `swift build --product playhead` first, or set PLAYHEAD_BINARY.")
    }
}

/// The last line `playhead run` says: `playhead: 12 replayed, 3 recorded, 0 missed, 1 tunnelled -> FILE`.
struct Summary: Equatable, CustomStringConvertible {
    var replayed = 0
    var recorded = 0
    var missed = 0

    init?(_ errors: String) {
        let line = errors.split(separator: "\n").first { $0.hasPrefix("playhead: ") && $0.contains(" replayed") }
        guard let line else { return nil }
        func count(_ word: String) -> Int {
            guard let match = line.range(of: "[0-9]+ " + word, options: .regularExpression) else { return 0 }
            return Int(line[match].prefix { $0.isNumber }) ?? 0
        }
        self.replayed = count("replayed")
        self.recorded = count("recorded")
        self.missed = count("missed")
    }

    var description: String { "\(self.replayed) replayed, \(self.recorded) recorded, \(self.missed) missed" }
}
