import PlayheadCassette
import PlayheadHTTP

/// Which session a request asks for: the proxy user's name, else the field `Playhead-Cassette`.
enum SessionName {
    /// The request field that names a cassette; never relayed.
    static let field = "Playhead-Cassette"

    /// The name in a request head; nil if it asks for none.
    ///
    /// - Throws: `CassetteError` when the text is no cassette name.
    static func read(_ headers: HeaderList) throws -> CassetteName? {
        if let user = ProxyCredentials.read(headers)?.user, !user.isEmpty { return try CassetteName.validated(user) }
        if let name = headers.first(Self.field) { return try CassetteName.validated(name) }
        return nil
    }
}
