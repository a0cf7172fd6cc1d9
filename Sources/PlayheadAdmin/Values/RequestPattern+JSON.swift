import PlayheadContent
import PlayheadEngine
import PlayheadHTTP
import PlayheadProxy

extension RequestPattern {
    /// The members that say which requests a rule is for.
    static let keys: Set<String> = ["session", "method", "host", "path"]

    /// - Throws: `AdminError` 422 that names what is wrong.
    init(_ fields: JSONFields) throws(AdminError) {
        let method = try fields.string("method")
        if let method, !FieldSyntax.isToken(method) {
            throw AdminError(422, "\(fields.path("method")) is no method.")
        }
        var host: HostPattern?
        if let text = try fields.string("host") {
            do { host = try HostPattern(text) } catch { throw AdminError(422, "\(fields.path("host")): \(error)") }
        }
        let path = try fields.string("path")
        if let path, !path.hasPrefix("/") {
            throw AdminError(422, "\(fields.path("path")) must begin with a slash, such as /users/{id}.")
        }
        self.init(session: try fields.string("session"), method: method, host: host, path: path)
    }

    func write(to writer: inout JSONWriter) {
        writer.member("session", self.session)
        writer.member("method", self.method)
        writer.member("host", self.host?.description)
        writer.member("path", self.path)
    }
}
