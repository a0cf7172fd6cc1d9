/// Why a body could not be decoded, encoded or read as its media type.
public struct ContentError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of a content error; open, so that new kinds break no caller.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Base: String { case malformed, truncated, trailing, tooLarge, tooDeep, cannotEncode }
        private let base: Base

        /// The octets are not what the coding or media type says.
        public static let malformed = Code(base: .malformed)
        /// The octets end too early.
        public static let truncated = Code(base: .truncated)
        /// There are octets after the end of the coded stream.
        public static let trailing = Code(base: .trailing)
        /// The result is beyond the limit, or grows like a decompression bomb.
        public static let tooLarge = Code(base: .tooLarge)
        /// Values are nested too deeply.
        public static let tooDeep = Code(base: .tooDeep)
        /// The coding library refused to encode.
        public static let cannotEncode = Code(base: .cannotEncode)

        /// The name of the kind.
        public var description: String { self.base.rawValue }
    }

    /// The kind.
    public var code: Code
    /// What happened, for people.
    public var message: String
    /// The offset in the input where it happened, in octets, if known.
    public var offset: Int?

    /// Creates an error.
    public init(_ code: Code, _ message: String, offset: Int? = nil) {
        self.code = code
        self.message = message
        self.offset = offset
    }

    /// The message, with the offset if known.
    public var description: String {
        guard let offset = self.offset else { return self.message }
        return "\(self.message) (at octet \(offset))"
    }

    /// Equal when the kinds are equal.
    public static func == (left: ContentError, right: ContentError) -> Bool { left.code == right.code }
}
