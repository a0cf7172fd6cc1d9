#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
import Dispatch
import Synchronization

/// A command that shares our terminal and standard streams.
///
/// It stays in our process group, so that the shell's job control (Ctrl-C, Ctrl-Z, `fg`) treats both as one job.
public final class ChildProcess: Sendable {
    private struct State {
        var end: ProcessEnd?
        var timedOut = false
        var waiters: [CheckedContinuation<ProcessEnd, Never>] = []
        var forwarding: Int?
    }

    /// The process id.
    public let processID: Int32
    /// The listener of the proxy inside the child's own network; whoever takes it closes it.
    public let listener: Int32?
    private let state: Mutex<State>

    private init(_ started: (pid: pid_t, listener: Int32?)) {
        processID = started.pid
        listener = started.listener
        state = Mutex(State())
    }

    /// Starts a command with exactly this environment; `PATH` is that of the environment.
    ///
    /// An error's code says which exit code a shell would give: `notFound` 127, `notExecutable` 126.
    /// - Parameters:
    ///   - isolation: what keeps the command apart from the machine, if anything.
    ///   - forwardsSignals: whether signals sent to us are passed on until the child has ended.
    public static func start(
        _ command: [String], environment: [String: String], isolation: Isolation? = nil, forwardsSignals: Bool = true
    ) throws(TrustError) -> ChildProcess {
        guard let name = command.first else {
            throw TrustError(.badInput, "no command given; write it after `--`")
        }
        let file: String
        switch ExecutableSearch.find(name, path: environment["PATH"]) {
        case .found(let path): file = path
        case .notExecutable(let path):
            throw TrustError(.notExecutable, "cannot run \(path): it is no executable file; check its permissions")
        case .notFound: throw TrustError(.notFound, "command not found: \(name); check its spelling and PATH")
        }
        func spawn() throws(TrustError) -> (pid: pid_t, listener: Int32?) {
            guard let isolation else {
                return (try Spawn.start(file, arguments: command, environment: environment), nil)
            }
            return try IsolatedSpawn.start(
                file, arguments: command, environment: environment, isolation: isolation)
        }
        guard forwardsSignals else {
            let child = ChildProcess(try spawn())
            try child.watch()
            return child
        }
        let early = EarlySignals()
        let forwarding = try SignalForwarding.shared.begin { early.receive($0) }
        do {
            let child = ChildProcess(try spawn())
            child.state.withLock { $0.forwarding = forwarding }
            early.attach(child)
            try child.watch()
            return child
        } catch {
            SignalForwarding.shared.end(forwarding)
            throw error
        }
    }

    /// Sends a signal, unless the process has ended.
    public func send(signal: Int32) {
        // Under the lock: once the end is collected the number may belong to a stranger.
        state.withLock { state in
            if state.end == nil { kill(processID, signal) }
        }
    }

    /// Waits for the end.
    public func wait() async -> ProcessEnd {
        await withCheckedContinuation { continuation in
            let end: ProcessEnd? = state.withLock { state in
                if state.end == nil { state.waiters.append(continuation) }
                return state.end
            }
            if let end { continuation.resume(returning: end) }
        }
    }

    /// Waits for the end, and brings it about when it takes too long: SIGTERM, and SIGKILL after the grace.
    public func wait(timeout: Duration, grace: Duration = .seconds(5)) async -> ProcessEnd {
        let queue = DispatchQueue(label: "playhead.timeout")
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let killer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [self] in
            state.withLock { $0.timedOut = $0.end == nil }
            send(signal: SIGTERM)
        }
        killer.setEventHandler { [self] in send(signal: SIGKILL) }
        timer.schedule(deadline: .now() + Self.interval(timeout))
        killer.schedule(deadline: .now() + Self.interval(timeout + grace))
        timer.activate()
        killer.activate()
        let end = await wait()
        timer.cancel()
        killer.cancel()
        return end
    }

    private static func interval(_ duration: Duration) -> DispatchTimeInterval {
        let (seconds, attoseconds) = duration.components
        // A year is for ever here, and keeps the sum of nanoseconds in range.
        return .nanoseconds(Int(min(max(seconds, 0), 31_536_000)) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }

    /// Waits on a thread of its own: waitid(2) blocks for as long as the child lives, and would starve a thread pool.
    private func watch() throws(TrustError) {
        let started = startThread { [self] in
            var information = siginfo_t()
            _ = retryingInterrupts { Int(waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT)) }
            finish()
        }
        guard started else {
            kill(processID, SIGKILL)
            finish()
            throw TrustError(.spawnFailed, "cannot start a thread to wait for the command; raise `ulimit -u`")
        }
    }

    private func finish() {
        let (end, waiters, forwarding) = state.withLock { state in
            var status: Int32 = 0
            let collected = retryingInterrupts { Int(waitpid(processID, &status, 0)) }
            // Somebody else collected it (SIGCHLD ignored by our parent): the status is lost, success is not proven.
            let end: ProcessEnd = collected == Int(processID) ? ProcessEnd(waitStatus: status) : .exited(125)
            let shown = state.timedOut ? .timedOut : end
            state.end = shown
            defer {
                state.waiters = []
                state.forwarding = nil
            }
            return (shown, state.waiters, state.forwarding)
        }
        if let forwarding { SignalForwarding.shared.end(forwarding) }
        for waiter in waiters { waiter.resume(returning: end) }
    }
}

/// Keeps signals that come while the child is being started, until there is somebody to get them.
private final class EarlySignals: Sendable {
    private struct State {
        var child: ChildProcess?
        var kept: [Int32] = []
    }

    private let state = Mutex(State())

    func receive(_ signal: Int32) {
        let child = state.withLock { state in
            if state.child == nil { state.kept.append(signal) }
            return state.child
        }
        child?.send(signal: signal)
    }

    func attach(_ child: ChildProcess) {
        let kept = state.withLock { state in
            state.child = child
            defer { state.kept = [] }
            return state.kept
        }
        for signal in kept { child.send(signal: signal) }
    }
}
