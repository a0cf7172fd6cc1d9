#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A reason to end with an exit code of the contract in `docs/cli.md`, and the words for it.
struct CommandFailure: Error, CustomStringConvertible {
    /// The exit codes of the contract.
    enum Code: Int32, Sendable {
        case failure = 1
        case miss = 3
        case unused = 4
        case secretFound = 5
        case clientDistrust = 6
        case usage = 64
        case badCassette = 65
        case inputMissing = 66
        case portUnavailable = 69
        case cannotWrite = 73
        case noPermission = 77
        case badConfiguration = 78
        case timeout = 124
        case ownFailure = 125
        case commandNotExecutable = 126
        case commandNotFound = 127

        /// The code of a failed call of the system: ``noPermission`` where access was refused, else `kind`.
        ///
        /// - Parameter number: what the call left in `errno`.
        static func system(_ kind: Self, _ number: Int32 = errno) -> Self {
            number == EACCES || number == EPERM ? .noPermission : kind
        }
    }

    var code: Code
    var message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    var description: String { self.message }
}
