import Foundation
import Synchronization

/// A program that a test started: its streams go to files, and it never outlives its owner.
///
/// `posix_spawn` and `waitpid` by hand, since a test needs the signal that ended a program, a process group that can be ended
/// as one, and a start that does not depend on a run loop.
final class ChildProcess: Sendable {
    let identifier: pid_t
    private let outputFile: String
    private let errorFile: String
    private let status = Mutex<Int32?>(nil)

    init(
        _ command: [String], environment: [String: String], folder: String, input: String = "/dev/null", output: String,
        errors: String
    ) throws {
        self.outputFile = output
        self.errorFile = errors
        self.identifier = try Self.spawn(
            command, environment: environment, folder: folder, input: input, output: output, errors: errors)
    }

    deinit { self.kill() }

    /// What it wrote to standard output so far.
    var output: Data { FileManager.default.contents(atPath: self.outputFile) ?? Data() }

    /// What it wrote to standard error so far.
    var errors: String {
        String(decoding: FileManager.default.contents(atPath: self.errorFile) ?? Data(), as: UTF8.self)
    }

    /// The exit code in the shell's way (128 + n for signal n); nil while it runs.
    func pollExit() -> Int32? {
        self.status.withLock { status in
            if let status { return status }
            var raw: Int32 = 0
            guard waitpid(self.identifier, &raw, WNOHANG) == self.identifier else { return nil }
            let signal = raw & 0x7f
            status = signal == 0 ? (raw >> 8) & 0xff : 128 + signal
            return status
        }
    }

    /// Waits for its end; past the limit it is killed and the test fails.
    func exit(within limit: Duration = .seconds(90)) async throws -> Int32 {
        do {
            return try await eventually("process \(self.identifier) ends", within: limit) { self.pollExit() }
        } catch {
            self.kill()
            throw HarnessError("\(error); stderr so far:\n\(self.errors.suffix(2000))")
        }
    }

    func signal(_ number: Int32) {
        self.status.withLock { status in
            if status == nil { _ = Foundation.kill(self.identifier, number) }
        }
    }

    /// Ends it and its process group at once, and takes its status.
    func kill() {
        self.status.withLock { status in
            guard status == nil else { return }
            _ = Foundation.kill(-self.identifier, SIGKILL)
            _ = Foundation.kill(self.identifier, SIGKILL)
            var raw: Int32 = 0
            waitpid(self.identifier, &raw, 0)
            status = 128 + SIGKILL
        }
    }

    private static func spawn(
        _ command: [String], environment: [String: String], folder: String, input: String, output: String,
        errors: String
    ) throws -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes,
            Int16(truncatingIfNeeded: Int32(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)))

        // The spawn action that changes the folder is an extension which Glibc's module hides; `exec` keeps the process id.
        let whole = ["/bin/sh", "-c", #"cd "$1" && shift && exec "$@""#, "sh", folder] + command
        let arguments = whole.map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in arguments + variables { free(pointer) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, whole[0], &actions, &attributes, arguments, variables)
        guard code == 0 else {
            throw HarnessError("cannot start \(command[0]): \(String(cString: strerror(code)))")
        }
        return identifier
    }
}
