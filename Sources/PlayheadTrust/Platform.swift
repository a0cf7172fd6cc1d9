#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The system's words for an error number.
func errorText(_ number: Int32) -> String {
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
}

/// Calls again while the call is interrupted by a signal (EINTR).
func retryingInterrupts(_ call: () -> Int) -> Int {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

/// Starts a detached thread; false when the system refuses.
func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    let box = Unmanaged.passRetained(ThreadBody(body))
    #if canImport(Darwin)
        var thread: pthread_t?
        let error = pthread_create(&thread, nil, { runBody($0) }, box.toOpaque())
        guard error == 0, let thread else {
            box.release()
            return false
        }
    #else
        var thread = pthread_t()
        let error = pthread_create(
            &thread, nil,
            { context in
                if let context { return runBody(context) }
                return nil
            }, box.toOpaque())
        guard error == 0 else {
            box.release()
            return false
        }
    #endif
    pthread_detach(thread)
    return true
}

/// Owns the closure from the creation of the thread until it has run.
private final class ThreadBody {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func runBody(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().body()
    return nil
}
