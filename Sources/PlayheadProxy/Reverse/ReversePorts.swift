import Synchronization

/// The reverse ports that are open: known only once they are bound, and so after the first connection may have come.
final class ReversePorts: Sendable {
    private let ports = Mutex<[ReversePort]>([])

    /// In the order in which they were opened.
    var all: [ReversePort] { self.ports.withLock { $0 } }

    func add(_ port: ReversePort) { self.ports.withLock { $0.append(port) } }
}
