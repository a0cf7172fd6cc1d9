import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Why the proxy could not start; the message says what to do.
public struct ProxyError: Error, Sendable, CustomStringConvertible {
    /// What kind of trouble it is; errors are equal by code.
    public struct Code: Hashable, Sendable {
        private enum Value { case addressInUse, addressNotPermitted, addressUnusable }
        private let value: Value

        /// Another program listens there.
        public static let addressInUse = Code(value: .addressInUse)
        /// The port needs more rights.
        public static let addressNotPermitted = Code(value: .addressNotPermitted)
        /// The address does not exist here.
        public static let addressUnusable = Code(value: .addressUnusable)
    }

    /// What kind of trouble it is.
    public var code: Code
    /// What happened and what to do.
    public var message: String

    /// The message.
    public var description: String { self.message }

    package static func cannotListen(
        _ address: ListenAddress, option: String = "--listen", cause: any Error
    ) -> ProxyError {
        switch (cause as? IOError)?.errnoCode {
        case EADDRINUSE?:
            return ProxyError(
                code: .addressInUse,
                message: "cannot listen on \(address): the port is in use. Stop the program that holds it, or choose "
                    + "another with \(option) \(address.host):0 (0 takes a free port).")
        case EACCES?, EPERM?:
            return ProxyError(
                code: .addressNotPermitted,
                message: "cannot listen on \(address): permission denied. Ports under 1024 need more rights; choose "
                    + "another with \(option).")
        default:
            let reason =
                switch cause {
                case let error as IOError: String(cString: strerror(error.errnoCode))
                case is SocketAddressError.UnknownHost: "the name does not resolve"
                default: "\(cause)"
                }
            return ProxyError(
                code: .addressUnusable,
                message: "cannot listen on \(address): \(reason). Check the address given with \(option).")
        }
    }
}
