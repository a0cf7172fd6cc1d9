import PlayheadCassette
import PlayheadHTTP

/// Method and URL of a recording, cut once when the index is built.
struct RecordedTarget: Sendable {
    let method: String
    let origin: Origin
    let pathAndQuery: String
    /// Whether path or query hold a placeholder.
    let hasPlaceholder: Bool
    /// Whether the request asks for another protocol, as WebSocket's does.
    let isUpgrade: Bool

    init(_ request: RecordedRequest) {
        var origins: Set<Origin> = []
        self.init(request, sharing: &origins)
    }

    /// - Parameter origins: those met so far; targets of one origin share its texts, which keeps them in the
    ///   processor's cache when a hundred thousand targets are looked at in any order.
    init(_ request: RecordedRequest, sharing origins: inout Set<Origin>) {
        self.method = request.method
        self.isUpgrade = request.headers.contains("upgrade")
        // A URL that cannot be read matches nothing but is still there to be named in a miss.
        let parts = try? URLParts(request.url)
        self.origin = origins.insert(parts?.origin ?? Origin(scheme: "", host: "", port: 0)).memberAfterInsert
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
