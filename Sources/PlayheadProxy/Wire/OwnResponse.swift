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
        case 400: "Bad Request"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 407: "Proxy Authentication Required"
        case 408: "Request Timeout"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 421: "Misdirected Request"
        case 431: "Request Header Fields Too Large"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 508: "Loop Detected"
        default: "Error"
        }
    }
}
