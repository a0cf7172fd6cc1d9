import NIOCore
import PlayheadEngine
import PlayheadHTTP

/// The response to a request that no recording answers (RFC 9457 problem details, RFC 9209 Proxy-Status).
enum MissResponse {
    /// A call of gRPC ends in fields alone: status 12, `UNIMPLEMENTED`, and the reason in words.
    static func gRPC(_ report: MissReport) -> OwnResponse {
        let headers = HeaderList([
            ("content-type", "application/grpc"), ("grpc-status", "12"),
            (
                "grpc-message",
                GRPC.message("playhead: \(report.cause), and \(report.modeNote). \(report.recordCommand)")
            ),
            ("playhead-miss", report.id),
        ])
        return OwnResponse(head: ResponseHead(status: 200, reason: "OK", headers: headers), body: ByteBuffer())
    }

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
