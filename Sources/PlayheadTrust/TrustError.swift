/// What went wrong while preparing trust, variables or a child process.
public struct TrustError: Error, Sendable, CustomStringConvertible, Equatable {
    /// The kind of trouble; more kinds may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case cannotRead, cannotWrite, notFound, notExecutable, spawnFailed, badInput, isolationRefused, denied
        }
        private let kind: Kind
        /// A file or folder could not be read.
        public static let cannotRead = Code(kind: .cannotRead)
        /// A file or folder could not be written.
        public static let cannotWrite = Code(kind: .cannotWrite)
        /// The command does not exist (a shell's exit code 127).
        public static let notFound = Code(kind: .notFound)
        /// The command exists and cannot be run (a shell's exit code 126).
        public static let notExecutable = Code(kind: .notExecutable)
        /// The system refused to start a process.
        public static let spawnFailed = Code(kind: .spawnFailed)
        /// A value cannot be used as given.
        public static let badInput = Code(kind: .badInput)
        /// The system does not let a command be kept apart.
        public static let isolationRefused = Code(kind: .isolationRefused)
        /// The system refuses access to a file or its folder: permissions.
        public static let denied = Code(kind: .denied)
        /// The name of the kind.
        public var description: String { kind.rawValue }
    }

    /// The kind of trouble.
    public let code: Code
    /// What happened and what to do.
    public let message: String
    /// The message.
    public var description: String { message }

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Equality by kind: messages are for people.
    public static func == (left: TrustError, right: TrustError) -> Bool { left.code == right.code }
}
