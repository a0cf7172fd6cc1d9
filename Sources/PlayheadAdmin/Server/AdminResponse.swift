import NIOCore
import PlayheadEngine
import PlayheadHTTP

/// What the admin API answers.
struct AdminResponse: Sendable {
    var status: Int
    var headers: HeaderList
    var body: ByteBuffer
    /// What the response goes on with, in place of a body with an end.
    var events: EventFeed?

    init(status: Int = 200, type: String, _ body: ByteBuffer) {
        self.status = status
        // No store, no sniffing, no frames, and no script even if a browser shows it as a page.
        self.headers = HeaderList([
            ("Content-Type", type), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
            ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox"),
            ("Referrer-Policy", "no-referrer"),
        ])
        self.body = body
    }

    /// A JSON object that `write` fills.
    static func json(status: Int = 200, _ write: (inout JSONWriter) -> Void) -> AdminResponse {
        var writer = JSONWriter()
        writer.object(write)
        return AdminResponse(status: status, type: "application/json", ByteBuffer(bytes: writer.octets))
    }

    static func text(_ text: String, type: String = "text/plain; charset=utf-8") -> AdminResponse {
        AdminResponse(type: type, ByteBuffer(string: text))
    }

    /// Problem details (RFC 9457).
    static func problem(_ status: Int, _ detail: String) -> AdminResponse {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("type", "about:blank")
            writer.member("title", Self.reason(status))
            writer.member("status", status)
            writer.member("detail", detail)
        }
        var response = AdminResponse(
            status: status, type: "application/problem+json", ByteBuffer(bytes: writer.octets))
        if status == 401 { response.headers.append(name: "WWW-Authenticate", value: "Bearer realm=\"playhead\"") }
        return response
    }

    static var noContent: AdminResponse {
        var response = AdminResponse(status: 204, type: "", ByteBuffer())
        response.headers.remove("content-type")
        return response
    }

    /// The registered reason phrases of the statuses we answer with (RFC 9110 section 15).
    static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 204: "No Content"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        default: "Error"
        }
    }
}
