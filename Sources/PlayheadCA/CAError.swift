/// What went wrong with the certificate authority or with minting, as one sentence that says what to do.
public struct CAError: Error, Sendable, CustomStringConvertible {
    /// The kind of a CA error.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case keyReadableByOthers, notFound, invalid, expired, mismatch, cannotWrite, illegalName, denied
        }

        private let kind: Kind

        /// Group or others may read the key file.
        public static let keyReadableByOthers = Code(kind: .keyReadableByOthers)
        /// A file is missing or cannot be opened.
        public static let notFound = Code(kind: .notFound)
        /// A file holds something that cannot serve as a CA, or a certificate cannot be made.
        public static let invalid = Code(kind: .invalid)
        /// The CA certificate is no longer valid.
        public static let expired = Code(kind: .expired)
        /// The key does not belong to the certificate.
        public static let mismatch = Code(kind: .mismatch)
        /// The folder or a file in it cannot be written.
        public static let cannotWrite = Code(kind: .cannotWrite)
        /// The name is not one for which a certificate may be made.
        public static let illegalName = Code(kind: .illegalName)

        /// The system refuses access to a file or its folder: permissions.
        public static let denied = Code(kind: .denied)

        /// The name of the code.
        public var description: String { kind.rawValue }
    }

    /// The kind of the error.
    public var code: Code

    /// One sentence: what happened and what to do.
    public var message: String

    /// Creates an error.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
