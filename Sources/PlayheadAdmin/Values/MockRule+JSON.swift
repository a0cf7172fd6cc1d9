import NIOCore
import PlayheadCassette
import PlayheadContent
import PlayheadEngine
import PlayheadHTTP
import PlayheadProxy

extension MockRule {
    private static let keys = RequestPattern.keys.union([
        "status", "headers", "text", "json", "base64", "delay_ms", "times",
    ])
    private static let bodyKeys = ["text", "json", "base64"]
    /// What frames a message is added when it is sent.
    private static let framing: Set<String> = [
        "content-length", "transfer-encoding", "connection", "keep-alive", "proxy-connection", "upgrade", "trailer",
        "te",
    ]

    /// - Throws: `AdminError` 422 that names what is wrong.
    init(_ value: JSONValue, in place: String) throws(AdminError) {
        let fields = try JSONFields(value, in: place, known: Self.keys)
        let status = try fields.integer("status", in: 200...999) ?? 200
        var headers = try Self.headers(fields)
        let (body, type) = try Self.body(fields)
        if [204, 205, 304].contains(status), Self.bodyKeys.contains(where: { fields[$0] != nil }) {
            throw AdminError(422, "\(place): a response of status \(status) has no body.")
        }
        if let type, !headers.contains("content-type") { headers.append(name: "Content-Type", value: type) }
        self.init(
            pattern: try RequestPattern(fields), status: status, headers: headers, body: body,
            delay: try fields.integer("delay_ms", in: 0...86_400_000) ?? 0,
            times: try fields.integer("times", in: 1...Int(Int32.max)))
    }

    private static func headers(_ fields: JSONFields) throws(AdminError) -> HeaderList {
        var headers = HeaderList()
        guard let value = fields["headers"] else { return headers }
        guard case .object(let members) = value else {
            throw AdminError(422, "\(fields.path("headers")) must be an object of strings.")
        }
        for member in members {
            let place = "\(fields.path("headers")).\(member.key)"
            guard FieldSyntax.isToken(member.key) else { throw AdminError(422, "\(place) is no field name.") }
            guard !Self.framing.contains(member.key.lowercased()) else {
                throw AdminError(422, "\(place) is made by the proxy; leave it out.")
            }
            guard case .string(let text) = member.value, FieldSyntax.isFieldValue(text) else {
                throw AdminError(422, "\(place) must be a string without control characters.")
            }
            headers.append(name: member.key, value: text)
        }
        return headers
    }

    /// The body and the type that it has unless the headers say another.
    private static func body(_ fields: JSONFields) throws(AdminError) -> (ByteBuffer, String?) {
        guard Self.bodyKeys.filter({ fields[$0] != nil }).count < 2 else {
            throw AdminError(422, "\(fields.path("text")), json and base64 are three ways to give one body; use one.")
        }
        if let text = try fields.string("text") { return (ByteBuffer(string: text), "text/plain; charset=utf-8") }
        if let json = fields["json"] { return (ByteBuffer(string: json.text), "application/json") }
        guard let text = try fields.string("base64") else { return (ByteBuffer(), nil) }
        guard let octets = Base64.decode(text) else {
            throw AdminError(422, "\(fields.path("base64")) is no base64.")
        }
        return (ByteBuffer(bytes: octets), nil)
    }

    func write(to writer: inout JSONWriter) {
        self.pattern.write(to: &writer)
        writer.member("status", self.status)
        writer.member("octets", self.body.readableBytes)
        if self.delay > 0 { writer.member("delay_ms", self.delay) }
        writer.member("times", self.times)
    }
}
