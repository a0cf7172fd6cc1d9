import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP

/// Links libFuzzer's expected entry point; the run itself goes through main.swift.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    checkRedaction(UnsafeRawBufferPointer(start: data, count: size))
    return 0
}

/// The kinds of body that are read in ways of their own.
private let mediaTypes = [
    "application/json", "text/event-stream", "application/x-ndjson", "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=b", "text/plain", "application/xml", "application/octet-stream",
]

/// Redacts the input as the body of a response, and as a request's; the first octet picks the media type.
///
/// Nothing is found in what was redacted, and it is a request that can be compared with its recording.
func checkRedaction(_ input: UnsafeRawBufferPointer) {
    guard let control = input.first, input.count <= 4_096 else { return }
    let body = RecordedBody(.octets(ByteBuffer(bytes: input.dropFirst())))
    let fields = HeaderList([("Content-Type", mediaTypes[Int(control) % mediaTypes.count])])
    var request = RecordedRequest(method: "POST", url: "https://a.test/?q=1", headers: fields)
    request.body = body
    let exchange = Exchange(
        id: "1", recordedAt: Timestamp(milliseconds: 1), request: request,
        outcome: .response(RecordedResponse(status: 200, headers: fields, body: body)))
    var ledger = RedactionLedger()
    let redacted = Redactor.standard.redact(exchange, ledger: &ledger)
    let findings = Redactor.standard.findings(in: redacted)
    precondition(findings.isEmpty, "a secret is left: \(findings)")
}
