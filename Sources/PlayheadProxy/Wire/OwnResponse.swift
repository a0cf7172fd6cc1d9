import NIOCore
import PlayheadHTTP

/// A response that the proxy makes itself.
struct OwnResponse {
    var head: ResponseHead
    var body: ByteBuffer

    /// An error in one sentence; `Proxy-Status` tells machines the same (RFC 9209).
    static func error(status: Int, reason: String, proxyStatus: String? = nil) -> OwnResponse {
        var headers = HeaderList([
            ("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store"),
        ])
        headers.append(name: "Proxy-Status", value: "playhead" + (proxyStatus.map { "; \($0)" } ?? ""))
        return OwnResponse(status: status, headers: headers, body: ByteBuffer(string: "playhead: \(reason)\n"))
    }

    /// The public CA certificate.
    static func pem(_ text: String) -> OwnResponse {
        OwnResponse(
            status: 200,
            headers: HeaderList([("Content-Type", "application/x-pem-file"), ("Cache-Control", "no-store")]),
            body: ByteBuffer(string: text))
    }

    init(head: ResponseHead, body: ByteBuffer) {
        self.head = head
        self.body = body
    }

    init(status: Int, headers: HeaderList, body: ByteBuffer) {
        var headers = headers
        headers.append(name: "Content-Length", value: "\(body.readableBytes)")
        self.head = ResponseHead(status: status, reason: Self.reason(status), headers: headers)
        self.body = body
    }

    /// The registered reason phrases of the statuses we answer with (RFC 9110 section 15).
    static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 407: "Proxy Authentication Required"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 418: "I'm a teapot"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 508: "Loop Detected"
        // A mock may have any status; RFC 9112 section 4 lets the phrase be empty.
        default: status < 400 ? "" : "Error"
        }
    }
}
