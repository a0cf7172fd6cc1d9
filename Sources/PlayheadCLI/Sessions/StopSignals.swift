import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Waits for SIGTERM, SIGINT or SIGHUP; a later one ends the process at once.
///
/// The handlers are installed explicitly since the default actions do not hold for process 1 in a container.
final class StopSignals {
    private let sources: [any DispatchSourceSignal]
    private let arrivals: AsyncStream<Int32>

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        self.arrivals = stream
        self.sources = [SIGTERM, SIGINT, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield(number) }
            source.resume()
            return source
        }
    }

    /// Returns when a signal came.
    func first() async {
        var iterator = self.arrivals.makeAsyncIterator()
        _ = await iterator.next()
    }

    /// From now on a signal ends the process with the code of its default action.
    func exitOnNext() {
        for (source, number) in zip(self.sources, [SIGTERM, SIGINT, SIGHUP]) {
            source.setEventHandler { _exit(128 + number) }
        }
    }
}
