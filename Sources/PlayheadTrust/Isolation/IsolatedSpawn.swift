#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
import CIsolation

/// Starts a program in namespaces of its own.
enum IsolatedSpawn {
    /// - Returns: the process, and the listener inside its network if it has one of its own.
    static func start(
        _ file: String, arguments: [String], environment: [String: String], isolation: Isolation
    ) throws(TrustError) -> (pid: pid_t, listener: Int32?) {
        guard TrustHost.System.current == .linux else {
            throw TrustError(
                .isolationRefused,
                "--isolate needs Linux; here, let the machine trust the CA (playhead cert install) and use --isolate env"
            )
        }
        let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let binds = isolation.binds.flatMap { [$0.source, $0.target] }
        guard !(arguments + variables + binds).contains(where: { $0.utf8.contains(0) }) else {
            throw TrustError(.badInput, "an argument or variable of \(file) holds a NUL character; remove it")
        }
        let texts = [arguments, ["sh", file] + arguments.dropFirst(), variables, binds].map(CStrings.init)
        defer { for text in texts { text.free() } }
        let ids = CStrings(["\(geteuid()) \(geteuid()) 1", "\(getegid()) \(getegid()) 1", file])
        defer { ids.free() }
        var plan = playhead_isolation()
        plan.privileged = geteuid() == 0 ? 1 : 0
        plan.uid_map = UnsafePointer(ids.pointers[0])
        plan.gid_map = UnsafePointer(ids.pointers[1])
        plan.file = UnsafePointer(ids.pointers[2])
        plan.port = Int32(truncatingIfNeeded: isolation.proxyPort ?? 0)
        plan.arguments = UnsafePointer(texts[0].pointers)
        plan.shell_arguments = UnsafePointer(texts[1].pointers)
        plan.environment = UnsafePointer(texts[2].pointers)
        plan.binds = UnsafePointer(texts[3].pointers)
        let result = playhead_spawn_isolated(&plan)
        guard result.failed_step == PLAYHEAD_STEP_NONE else {
            throw failure(
                result, file: file, isolation: isolation, advice: .current(isSuperuser: plan.privileged == 1))
        }
        return (result.pid, result.listener >= 0 ? result.listener : nil)
    }

    /// The words for a step that failed.
    static func failure(
        _ result: playhead_isolated, file: String, isolation: Isolation, advice: NamespaceAdvice
    ) -> TrustError {
        let reason = errorText(result.error)
        let level = isolation.proxyPort == nil ? "trust" : "network"
        switch result.failed_step {
        case PLAYHEAD_STEP_EXEC:
            return TrustError(
                .notExecutable,
                "cannot run \(file): \(reason); check its permissions and the interpreter in its first line")
        case PLAYHEAD_STEP_START:
            return TrustError(.spawnFailed, "cannot start \(file): \(reason)")
        case PLAYHEAD_STEP_LISTENER:
            return TrustError(
                .isolationRefused, "--isolate \(level) cannot listen in the command's own network: \(reason)")
        case PLAYHEAD_STEP_MOUNT where result.error != EPERM && result.error != EACCES && result.bind >= 0:
            let bind = isolation.binds.indices.contains(Int(result.bind)) ? isolation.binds[Int(result.bind)] : nil
            let what = bind.map { "cannot put \($0.source) over \($0.target)" } ?? "cannot cover the system's store"
            return TrustError(.isolationRefused, "--isolate \(level) \(what): \(reason)")
        default:
            return TrustError(
                .isolationRefused,
                "--isolate \(level) needs namespaces, which this system does not let us have: \(reason). "
                    + "\(advice.sentence). Without: playhead cert install, and --isolate env")
        }
    }
}

/// Texts as a C array that ends with NULL; whoever makes it frees it.
private struct CStrings {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
        pointers = .allocate(capacity: texts.count + 1)
        count = texts.count
        for (index, text) in texts.enumerated() { (pointers + index).initialize(to: strdup(text)) }
        (pointers + count).initialize(to: nil)
    }

    func free() {
        for index in 0..<count { releaseText(pointers[index]) }
        pointers.deallocate()
    }
}

private func releaseText(_ text: UnsafeMutablePointer<CChar>?) { free(text) }
