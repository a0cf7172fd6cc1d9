import PlayheadCassette

/// Method and URL of a recording, cut once when the index is built.
struct RecordedTarget: Sendable {
    let method: String
    let origin: Origin
    let pathAndQuery: String
    /// Whether path or query hold a placeholder.
    let hasPlaceholder: Bool

    init(_ request: RecordedRequest) {
        self.method = request.method
        // A URL that cannot be read matches nothing but is still there to be named in a miss.
        let parts = try? URLParts(request.url)
        self.origin = parts?.origin ?? Origin(scheme: "", host: "", port: 0)
        self.pathAndQuery = parts?.pathAndQuery ?? request.url
        self.hasPlaceholder = Placeholder.occurs(in: self.pathAndQuery)
    }

    /// Path and query apart; both raw.
    static func split(_ target: String) -> (path: Octets, query: Octets) {
        let octets = Octets(target.utf8)
        guard let mark = octets.firstIndex(of: UInt8(ascii: "?")) else { return (octets, []) }
        return (Octets(octets[..<mark]), Octets(octets[(mark + 1)...]))
    }
}
