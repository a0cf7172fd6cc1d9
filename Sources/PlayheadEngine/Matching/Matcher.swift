public import PlayheadCassette

/// One thing that must be equal for a recording to answer a request (recording.md section 4).
public enum Matcher: Sendable, Hashable, CustomStringConvertible {
    /// Same method.
    case method
    /// Same absolute URL text: scheme, host, port, path, and query in order.
    case uri
    /// Same scheme.
    case scheme
    /// Same host, letter case and a trailing dot aside.
    case host
    /// Same port, the scheme's default filled in.
    case port
    /// Same path, whether or not octets are percent-encoded.
    case path
    /// Same values for each name; names in any order, values of one name in order, blank values kept.
    case query
    /// The named fields are equal; without names, all end-to-end fields but the volatile ones.
    case headers([String]?)
    /// Same body, decoded and by type.
    case body
    /// Same octets as sent.
    case rawBody
    /// What a closure says that is registered under this name.
    case custom(String)

    /// The name in lists: `method`, `raw_body`, `headers(accept)`.
    public var description: String {
        switch self {
        case .method: "method"
        case .uri: "uri"
        case .scheme: "scheme"
        case .host: "host"
        case .port: "port"
        case .path: "path"
        case .query: "query"
        case .headers(nil): "headers"
        case .headers(let names?): "headers(\(names.joined(separator: " ")))"
        case .body: "body"
        case .rawBody: "raw_body"
        case .custom(let name): name
        }
    }

    /// The names that `parse` knows without registration.
    public static let names = [
        "method", "uri", "scheme", "host", "port", "path", "query", "headers", "body", "raw_body",
    ]
}

/// A matcher of the user: a closure under a name.
public struct CustomMatcher: Sendable {
    /// The name it is registered under; none of ``Matcher/names``.
    public let name: String
    /// Says whether the recording may answer the request.
    public let isMatch: @Sendable (IncomingRequest, RecordedRequest) -> Bool

    /// Creates a matcher; whatever a list would read as a default matcher or a set is refused, since those cannot be
    /// replaced, and so is a name that no list can hold.
    ///
    /// - Throws: ``EngineError`` when the name is taken, empty, or has a comma or a space around it.
    public init(
        name: String, isMatch: @escaping @Sendable (IncomingRequest, RecordedRequest) -> Bool
    ) throws {
        guard !name.isEmpty, !name.contains(","), name.first != " ", name.last != " " else {
            throw EngineError(
                .unknownMatcher,
                "the matcher name \"\(name)\" cannot stand in a list of matchers; choose one without commas and outer spaces"
            )
        }
        guard (try? MatchRules.parse(list: name)) == nil else {
            throw EngineError(
                .unknownMatcher, "the matcher name \"\(name)\" is taken by a default matcher; choose another name")
        }
        self.name = name
        self.isMatch = isMatch
    }
}
