import NIOCore
import PlayheadEngine
import PlayheadHTTP

/// The response to a request that no recording answers (RFC 9457 problem details, RFC 9209 Proxy-Status).
enum MissResponse {
    static func make(_ report: MissReport, status: Int) -> OwnResponse {
        var headers = HeaderList([
            ("Content-Type", "application/problem+json"), ("Cache-Control", "no-store"),
        ])
        headers.append(
            name: "Proxy-Status", value: "playhead; error=\"playhead_miss\"; details=\"no recording matches\"")
        headers.append(name: "Playhead-Miss", value: report.id)
        return OwnResponse(
            status: status, headers: headers, body: ByteBuffer(bytes: report.problemJSON(status: status)))
    }
}
