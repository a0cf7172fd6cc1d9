#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
import Dispatch
import Synchronization

/// The writing end of the pipe that the handler tells; -1 when nobody listens.
///
/// A handler may touch nothing but lock-free atomics and `write`.
private let handlerPipe = Atomic<Int32>(-1)

/// Passes signals that somebody sends to us on to child processes.
///
/// The child shares our process group. What the terminal sends (Ctrl-C, Ctrl-\, a new window size) reaches it without us and
/// must not come twice; so only signals that a process sent are passed on.
final class SignalForwarding: Sendable {
    /// The signals that are passed on.
    static let signals: [Int32] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGUSR1, SIGUSR2]

    /// The one for this process, since handlers belong to the process.
    static let shared = SignalForwarding()

    private struct State {
        var targets: [Int: @Sendable (Int32) -> Void] = [:]
        var nextKey = 0
        var former: [Int32: sigaction] = [:]
        var source: (any DispatchSourceRead)?
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "playhead.signals")

    /// Calls the target with every signal from now on; returns the key to end it.
    func begin(_ target: @escaping @Sendable (Int32) -> Void) throws(TrustError) -> Int {
        let key: Int? = state.withLock { state in
            if state.targets.isEmpty && !install(&state) { return nil }
            state.nextKey += 1
            state.targets[state.nextKey] = target
            return state.nextKey
        }
        guard let key else { throw TrustError(.spawnFailed, "cannot watch signals: \(errorText(errno))") }
        return key
    }

    /// Ends the forwarding to one target; the last one puts the former handlers back.
    func end(_ key: Int) {
        state.withLock { state in
            guard state.targets.removeValue(forKey: key) != nil, state.targets.isEmpty else { return }
            for (number, former) in state.former {
                var former = former
                sigaction(number, &former, nil)
            }
            state.former = [:]
            let writing = handlerPipe.exchange(-1, ordering: .sequentiallyConsistent)
            close(writing)
            state.source?.cancel()
            state.source = nil
        }
    }

    private func install(_ state: inout State) -> Bool {
        guard let (reading, writing) = try? Spawn.pipe() else { return false }
        for end in [reading, writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        let source = DispatchSource.makeReadSource(fileDescriptor: reading, queue: queue)
        source.setEventHandler { [weak self] in self?.deliver(from: reading) }
        source.setCancelHandler { close(reading) }
        state.source = source
        source.activate()
        handlerPipe.store(writing, ordering: .sequentiallyConsistent)

        var action = sigaction()
        sigemptyset(&action.sa_mask)
        action.sa_flags = Int32(SA_SIGINFO) | Int32(SA_RESTART)
        setHandler(&action) { number, information, _ in
            guard let information, wasSentByProcess(information.pointee) else { return }
            let saved = errno
            var octet = UInt8(truncatingIfNeeded: number)
            let pipe = handlerPipe.load(ordering: .sequentiallyConsistent)
            if pipe >= 0 { _ = write(pipe, &octet, 1) }
            errno = saved
        }
        for number in Self.signals {
            var former = sigaction()
            sigaction(number, nil, &former)
            // Ignored on purpose (nohup, a shell's background job): stays so, for us and for the child.
            if isIgnored(former) { continue }
            sigaction(number, &action, nil)
            state.former[number] = former
        }
        return true
    }

    private func deliver(from reading: Int32) {
        var numbers = [UInt8](repeating: 0, count: 64)
        let count = read(reading, &numbers, numbers.count)
        guard count > 0 else { return }
        let targets = state.withLock { Array($0.targets.values) }
        for number in numbers[..<count] {
            for target in targets { target(Int32(number)) }
        }
    }
}

private typealias Handler = @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void

private func setHandler(_ action: inout sigaction, _ handler: @escaping Handler) {
    #if canImport(Darwin)
        action.__sigaction_u.__sa_sigaction = handler
    #else
        action.__sigaction_handler.sa_sigaction = handler
    #endif
}

/// Whether the disposition is SIG_IGN, which is the address 1 on every system that we know.
private func isIgnored(_ action: sigaction) -> Bool {
    #if canImport(Darwin)
        let address = unsafeBitCast(action.__sigaction_u.__sa_handler, to: UInt.self)
    #else
        let address = unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
    #endif
    return address == 1
}

/// Whether kill(2) or sigqueue(3) made the signal, not the terminal driver.
private func wasSentByProcess(_ information: siginfo_t) -> Bool {
    #if canImport(Darwin)
        return information.si_pid != 0
    #else
        return information.si_code <= 0
    #endif
}
