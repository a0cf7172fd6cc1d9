import Foundation

/// Programs of this machine that the tests use.
enum Tool {
    /// The absolute path of a program on `PATH`.
    static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// The absolute path, or an error that names the program.
    static func need(_ name: String) throws -> String {
        guard let path = Self.find(name) else { throw HarnessError("`\(name)` is not installed on this machine") }
        return path
    }

    static func has(_ name: String) -> Bool { Self.find(name) != nil }

    /// What a short command prints, or nil when it fails.
    static func output(of command: [String]) -> String? {
        let base = FileManager.default.temporaryDirectory.path + "/playhead-probe-" + UUID().uuidString
        defer { for end in [".out", ".err"] { try? FileManager.default.removeItem(atPath: base + end) } }
        guard let program = Self.find(command[0]) ?? (command[0].hasPrefix("/") ? command[0] : nil),
            let child = try? ChildProcess(
                [program] + command.dropFirst(), environment: ProcessInfo.processInfo.environment, folder: "/",
                output: base + ".out", errors: base + ".err")
        else { return nil }
        let ended = DispatchSemaphore(value: 0)
        let identifier = id_t(child.identifier)
        Thread.detachNewThread {
            var information = siginfo_t()
            // Its status stays for `pollExit`, or for the end of `child` when it takes too long.
            while waitid(P_PID, identifier, &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            ended.signal()
        }
        guard ended.wait(timeout: .now() + 30) == .success, child.pollExit() == 0 else { return nil }
        return String(decoding: child.output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// The Python that runs client scripts; `PLAYHEAD_CLIENTS_PYTHON`, then `.build/clients-venv`, then `python3`.
enum ClientPython {
    static let path: String? = {
        let candidates = [
            ProcessInfo.processInfo.environment["PLAYHEAD_CLIENTS_PYTHON"],
            Playhead.repository + "/.build/clients-venv/bin/python", Tool.find("python3"),
        ]
        let first = candidates.compactMap { $0 }.first { access($0, X_OK) == 0 }
        // The real interpreter behind a version manager's wrapper, which would need its own home folder.
        return first.flatMap { Tool.output(of: [$0, "-c", "import sys; print(sys.executable)"]) }
    }()

    /// Whether a module can be imported, so that a missing client is a skipped test with a reason.
    static func has(_ module: String) -> Bool {
        guard let path else { return false }
        return Tool.output(of: [path, "-c", "import \(module)"]) != nil
    }
}
