/// What the engine refuses: a rule, a pattern or a URL that it cannot read.
public struct EngineError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of refusal; more may come.
    public struct Code: Sendable, Hashable {
        private enum Value { case matcher, hostPattern, url, jsonPath, redactionRule, secretName, filter, report }
        private let value: Value

        private init(_ value: Value) { self.value = value }

        /// A matcher list names something unknown.
        public static let unknownMatcher = Code(.matcher)
        /// A host pattern cannot be read.
        public static let badHostPattern = Code(.hostPattern)
        /// A URL is not an absolute `http` or `https` URL.
        public static let badURL = Code(.url)
        /// A JSONPath uses what is not supported.
        public static let badJSONPath = Code(.jsonPath)
        /// A redaction rule is unknown.
        public static let unknownRedactionRule = Code(.redactionRule)
        /// A text is no name of an environment variable.
        public static let badSecretName = Code(.secretName)
        /// A filter cannot be read.
        public static let badFilter = Code(.filter)
        /// A report cannot be read.
        public static let badReport = Code(.report)
    }

    /// The kind of refusal.
    public let code: Code
    /// What happened and what to do.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { self.message }

    /// Errors are equal when their codes are.
    public static func == (left: EngineError, right: EngineError) -> Bool { left.code == right.code }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.code) }
}
