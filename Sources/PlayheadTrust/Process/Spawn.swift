#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

import Synchronization

/// `posix_spawn` with Swift values.
enum Spawn {
    /// Held while a pipe is made and while a process starts, so that no child inherits a pipe before it is marked.
    private static let lock = Mutex(())

    /// A pipe whose ends no child inherits.
    static func pipe() throws(TrustError) -> (reading: Int32, writing: Int32) {
        let ends: [Int32]? = lock.withLock { _ in
            var ends: [Int32] = [-1, -1]
            guard systemPipe(&ends) == 0 else { return nil }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return ends
        }
        guard let ends else { throw TrustError(.spawnFailed, "cannot open a pipe: \(errorText(errno))") }
        return (ends[0], ends[1])
    }

    private static func systemPipe(_ ends: inout [Int32]) -> Int32 {
        #if canImport(Darwin)
            Darwin.pipe(&ends)
        #elseif canImport(Musl)
            Musl.pipe(&ends)
        #else
            Glibc.pipe(&ends)
        #endif
    }

    /// Starts a program and gives its process id.
    ///
    /// Ignored signals survive an exec, so those that we ignore for ourselves are put back to their default.
    /// - Parameters:
    ///   - descriptors: what becomes the child's 0, 1 and 2; nil keeps ours.
    static func start(
        _ file: String, arguments: [String], environment: [String: String],
        descriptors: (input: Int32, output: Int32, error: Int32)? = nil
    ) throws(TrustError) -> pid_t {
        guard !(arguments + environment.flatMap { [$0.key, $0.value] }).contains(where: { $0.utf8.contains(0) }) else {
            throw TrustError(.badInput, "an argument or variable of \(file) holds a NUL character; remove it")
        }
        var result = call(file, arguments, environment, descriptors)
        // A file just written may still be open in a process that was being started at that moment; that passes.
        var attempts = 0
        while result.error == ETXTBSY && attempts < 50 {
            usleep(2000)
            attempts += 1
            result = call(file, arguments, environment, descriptors)
        }
        if result.error == ENOEXEC {
            // A script without a `#!` line: run by the shell, as execvp(3) does.
            result = call("/bin/sh", ["sh", file] + arguments.dropFirst(), environment, descriptors)
        }
        switch result.error {
        case 0: return result.pid
        case ENOENT, EACCES, ENOTDIR, ELOOP:
            throw TrustError(
                .notExecutable,
                "cannot run \(file): \(errorText(result.error)); check its permissions and the interpreter in its first line"
            )
        default: throw TrustError(.spawnFailed, "cannot start \(file): \(errorText(result.error))")
        }
    }

    private static func call(
        _ file: String, _ arguments: [String], _ environment: [String: String],
        _ descriptors: (input: Int32, output: Int32, error: Int32)?
    ) -> (pid: pid_t, error: Int32) {
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
        if let descriptors {
            posix_spawn_file_actions_adddup2(&actions, descriptors.input, 0)
            posix_spawn_file_actions_adddup2(&actions, descriptors.output, 1)
            posix_spawn_file_actions_adddup2(&actions, descriptors.error, 2)
        }
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGPIPE)
        sigaddset(&defaults, SIGXFSZ)
        var mask = sigset_t()
        sigemptyset(&mask)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))

        let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        var argumentPointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var variablePointers: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
        defer {
            for pointer in argumentPointers + variablePointers { free(pointer) }
        }
        var pid: pid_t = 0
        let error = lock.withLock { _ in
            posix_spawn(&pid, file, &actions, &attributes, &argumentPointers, &variablePointers)
        }
        return (pid, error)
    }
}

/// How a process ended, from the status of `waitpid`.
public enum ProcessEnd: Sendable, Equatable {
    /// It exited with a code.
    case exited(Int32)
    /// A signal killed it.
    case signalled(Int32)
    /// It ran longer than allowed and was stopped by us.
    case timedOut

    /// The exit code that a shell would give: 128+N for signal N, 124 for a timeout.
    public var exitCode: Int32 {
        switch self {
        case .exited(let code): code
        case .signalled(let signal): 128 + signal
        case .timedOut: 124
        }
    }

    init(waitStatus status: Int32) {
        let signal = status & 0x7F
        self = signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }
}
