/// What went wrong with a cassette, its journal, its side files or its lock.
public struct CassetteError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of a cassette error; open, so that new kinds break no caller.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Base: String {
            case unreadable, malformed, tooNew, tooLarge, locked, cannotWrite, illegalName, sideFile, key, denied
        }
        private let base: Base

        /// The file is there and cannot be read: not a regular file, or the disk fails.
        public static let unreadable = Code(base: .unreadable)
        /// The file is not a cassette, or not a whole one.
        public static let malformed = Code(base: .malformed)
        /// A newer program wrote the file.
        public static let tooNew = Code(base: .tooNew)
        /// The file, or a value in it, is beyond a bound.
        public static let tooLarge = Code(base: .tooLarge)
        /// Another process has the cassette open.
        public static let locked = Code(base: .locked)
        /// The disk did not take what had to be written; the old file is as it was.
        public static let cannotWrite = Code(base: .cannotWrite)
        /// The name of a cassette or side file is not allowed.
        public static let illegalName = Code(base: .illegalName)
        /// A side file is missing or is not what the cassette says.
        public static let sideFile = Code(base: .sideFile)
        /// The key is missing, is not usable, or does not fit.
        public static let key = Code(base: .key)
        /// The system refuses access to the file or its folder: permissions.
        public static let denied = Code(base: .denied)

        /// The name of the kind.
        public var description: String { self.base.rawValue }
    }

    /// The process that holds a cassette.
    public struct Holder: Sendable, Hashable {
        /// Its process id.
        public var pid: Int
        /// The name of its host.
        public var host: String

        /// Creates a holder.
        public init(pid: Int, host: String) {
            self.pid = pid
            self.host = host
        }
    }

    /// The kind.
    public var code: Code
    /// What happened and what to do, for people.
    public var message: String
    /// The file, as the caller named it.
    public var file: String?
    /// The line, counted from 1.
    public var line: Int?
    /// For ``Code/locked``: who holds it, if it could be read.
    public var holder: Holder?

    /// Creates an error.
    public init(_ code: Code, _ message: String, file: String? = nil, line: Int? = nil, holder: Holder? = nil) {
        self.code = code
        self.message = message
        self.file = file
        self.line = line
        self.holder = holder
    }

    /// `file:line: message`, as editors and terminals make it a link.
    public var description: String {
        guard let file = self.file else { return self.message }
        guard let line = self.line else { return "\(file): \(self.message)" }
        return "\(file):\(line): \(self.message)"
    }

    /// Equal when the kinds are equal.
    public static func == (left: CassetteError, right: CassetteError) -> Bool { left.code == right.code }
}
