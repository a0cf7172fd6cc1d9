/// How far `run` keeps its command apart from the machine.
public enum IsolationLevel: String, Sendable, CaseIterable {
    /// Variables only; a program may ignore them.
    case env
    /// The system's trust stores hold our CA too, for the command alone.
    case trust
    /// As `trust`, and the only network is the proxy.
    case network
}

/// What a command sees in place of the machine's own (Linux namespaces).
public struct Isolation: Sendable, Equatable {
    /// A file or folder that covers another one.
    public struct Bind: Sendable, Equatable {
        /// What is seen.
        public let source: String
        /// Where it is seen.
        public let target: String

        /// Creates a bind.
        public init(_ source: String, over target: String) {
            self.source = source
            self.target = target
        }
    }

    /// What covers what, in this order.
    public var binds: [Bind]
    /// The port of 127.0.0.1 where the proxy is, in a network of the command's own; nil keeps the machine's network.
    public var proxyPort: Int?

    /// Creates an isolation.
    public init(binds: [Bind], proxyPort: Int? = nil) {
        self.binds = binds
        self.proxyPort = proxyPort
    }
}
