import PlayheadCassette
import PlayheadHTTP

/// Method and URL of a recording, cut once when the index is built.
///
/// Small, since targets are looked at in any order: one of these costs a step to main memory in a big cassette.
struct RecordedTarget: Sendable {
    let method: String
    let pathAndQuery: String
    private let place: SharedOrigin
    /// Whether path or query hold a placeholder.
    let hasPlaceholder: Bool
    /// Whether the request asks for another protocol, as WebSocket's does.
    let isUpgrade: Bool

    /// Scheme, host and port.
    var origin: Origin { self.place.origin }

    /// One origin for all targets that have it.
    final class SharedOrigin: Sendable {
        let origin: Origin

        init(_ origin: Origin) { self.origin = origin }
    }

    init(_ request: RecordedRequest) {
        var origins: [Origin: SharedOrigin] = [:]
        self.init(request, sharing: &origins)
    }

    /// - Parameter origins: those met so far.
    init(_ request: RecordedRequest, sharing origins: inout [Origin: SharedOrigin]) {
        self.method = request.method
        self.isUpgrade = request.headers.contains("upgrade")
        // A URL that cannot be read matches nothing but is still there to be named in a miss.
        let parts = try? URLParts(request.url)
        let origin = parts?.origin ?? Origin(scheme: "", host: "", port: 0)
        if let place = origins[origin] {
            self.place = place
        } else {
            self.place = SharedOrigin(origin)
            origins[origin] = self.place
        }
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
