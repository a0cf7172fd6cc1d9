import Foundation
import Testing

/// One scenario's own temporary folder, environment and origin.
final class Workbench: Sendable {
    /// What a finished program left behind.
    struct Finished {
        let code: Int32
        let output: Data
        let errors: String

        var text: String { String(decoding: self.output, as: UTF8.self) }
        var summary: Summary? { Summary(self.errors) }
    }

    let folder: String
    let binary: String
    let environment: [String: String]

    init() throws {
        self.binary = try Playhead.binary()
        // The real path, as /tmp is a link on some systems and programs print what they resolved.
        let base = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
        self.folder = base + "/playhead-interop-" + UUID().uuidString.prefix(8).lowercased()
        for part in ["", "/home", "/tmp", "/work"] {
            try FileManager.default.createDirectory(atPath: self.folder + part, withIntermediateDirectories: true)
        }
        var environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": self.folder + "/home",
            "XDG_DATA_HOME": self.folder + "/home/data", "TMPDIR": self.folder + "/tmp", "LANG": "C.UTF-8",
            // A crashing Swift program may hang in its backtracer for minutes.
            "SWIFT_BACKTRACE": "enable=no", "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
        ]
        for name in ["LD_LIBRARY_PATH", "JAVA_HOME"] { environment[name] = ProcessInfo.processInfo.environment[name] }
        self.environment = environment
    }

    deinit {
        if ProcessInfo.processInfo.environment["PLAYHEAD_KEEP"] == nil {
            try? FileManager.default.removeItem(atPath: self.folder)
        }
    }

    /// The folder in which programs run.
    var work: String { self.folder + "/work" }
    var cassettes: String { self.work + "/cassettes" }

    func file(_ name: String) -> String { self.work + "/" + name }

    /// Writes a file into the work folder and returns its path.
    @discardableResult
    func write(_ name: String, _ content: Data) throws -> String {
        let path = self.file(name)
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try content.write(to: URL(fileURLWithPath: path))
        return path
    }

    @discardableResult
    func write(_ name: String, _ text: String) throws -> String { try self.write(name, Data(text.utf8)) }

    func origin(git: String? = nil) async throws -> Origin {
        try await Origin(in: self.folder, environment: self.environment, git: git)
    }

    /// Starts a program; its streams go to files of their own.
    func start(_ command: [String], environment extra: [String: String] = [:], input: String = "/dev/null") throws
        -> ChildProcess
    {
        let name = self.folder + "/" + UUID().uuidString.prefix(8)
        let program = command[0].hasPrefix("/") ? command[0] : try Tool.need(command[0])
        return try ChildProcess(
            [program] + command.dropFirst(), environment: self.environment.merging(extra) { $1 }, folder: self.work,
            input: input, output: name + ".out", errors: name + ".err")
    }

    /// Runs a program to its end.
    func finish(
        _ command: [String], environment: [String: String] = [:], input: String = "/dev/null",
        within limit: Duration = .seconds(120)
    ) async throws -> Finished {
        let child = try self.start(command, environment: environment, input: input)
        let code = try await child.exit(within: limit)
        return Finished(code: code, output: child.output, errors: child.errors)
    }

    /// Runs `playhead ARGUMENTS…` to its end.
    func playhead(
        _ arguments: [String], environment: [String: String] = [:], input: String = "/dev/null",
        within limit: Duration = .seconds(120)
    ) async throws -> Finished {
        try await self.finish([self.binary] + arguments, environment: environment, input: input, within: limit)
    }

    /// The options that lead the test's names to the origin and trust its CA.
    func options(for origin: Origin, https: String = "https") throws -> [String] {
        [
            "--ca-dir", self.folder + "/ca", "--cassettes", self.cassettes, "--upstream-ca",
            try Certificates.file("ca.pem"), "--map", "api.example.test:443=127.0.0.1:\(origin.port(https))", "--map",
            "git.example.test:443=127.0.0.1:\(origin.port(https))", "--map",
            "api.example.test:80=127.0.0.1:\(origin.port("http"))",
        ]
    }

    /// Runs `playhead run OPTIONS -- COMMAND`.
    func run(
        _ options: [String], _ command: [String], environment: [String: String] = [:], input: String = "/dev/null",
        within limit: Duration = .seconds(120)
    ) async throws -> Finished {
        try await self.playhead(
            ["run"] + options + ["--"] + command, environment: environment, input: input, within: limit)
    }

    /// Every file below the cassettes folder, as bytes by path.
    func storedFiles() -> [String: Data] {
        var files: [String: Data] = [:]
        let names = FileManager.default.enumerator(atPath: self.cassettes)?.compactMap { $0 as? String } ?? []
        for name in names {
            if let data = FileManager.default.contents(atPath: self.cassettes + "/" + name) { files[name] = data }
        }
        return files
    }

    func cassetteText(_ name: String = "default.yaml") throws -> String {
        guard let data = FileManager.default.contents(atPath: self.cassettes + "/" + name),
            let text = String(data: data, encoding: .utf8)
        else {
            throw HarnessError("there is no readable cassette \(name); the folder holds \(self.storedFiles().keys)")
        }
        return text
    }
}

/// Gives a test its own workbench, and at most a few at a time.
func withWorkbench(_ body: (Workbench) async throws -> Void) async throws {
    await Slots.shared.take()
    do {
        let bench = try Workbench()
        try await body(bench)
    } catch {
        await Slots.shared.giveBack()
        throw error
    }
    await Slots.shared.giveBack()
}
