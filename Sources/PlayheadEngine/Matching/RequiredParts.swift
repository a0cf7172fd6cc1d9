/// The required matchers as a set of flags, so that the hot path tests bits.
struct RequiredParts: OptionSet, Sendable {
    let rawValue: UInt16

    static let method = RequiredParts(rawValue: 1)
    static let uri = RequiredParts(rawValue: 2)
    static let scheme = RequiredParts(rawValue: 4)
    static let host = RequiredParts(rawValue: 8)
    static let port = RequiredParts(rawValue: 16)
    static let path = RequiredParts(rawValue: 32)
    static let query = RequiredParts(rawValue: 64)
    static let headers = RequiredParts(rawValue: 128)
    static let body = RequiredParts(rawValue: 256)
    static let rawBody = RequiredParts(rawValue: 512)
    static let custom = RequiredParts(rawValue: 1024)

    /// Every part whose value lies in the method and the URL.
    static let cheap: RequiredParts = [.method, .uri, .scheme, .host, .port, .path, .query]

    init(rawValue: UInt16) { self.rawValue = rawValue }

    init(_ matchers: [Matcher]) {
        var parts: RequiredParts = []
        for matcher in matchers { parts.insert(RequiredParts.part(of: matcher)) }
        self = parts
    }

    static func part(of matcher: Matcher) -> RequiredParts {
        switch matcher {
        case .method: .method
        case .uri: .uri
        case .scheme: .scheme
        case .host: .host
        case .port: .port
        case .path: .path
        case .query: .query
        case .headers: .headers
        case .body: .body
        case .rawBody: .rawBody
        case .custom: .custom
        }
    }

    /// Whether an answer depends on the body.
    var needBody: Bool { self.contains(.body) || self.contains(.rawBody) }
}
