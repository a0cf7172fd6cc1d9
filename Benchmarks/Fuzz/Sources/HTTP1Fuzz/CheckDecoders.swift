import NIOCore
import PlayheadHTTP

/// Links libFuzzer's expected entry point; the run itself goes through main.swift.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    checkDecoders(UnsafeRawBufferPointer(start: data, count: size))
    return 0
}

/// Feeds the input to both decoders, whole and in pieces, and traps when the results differ.
///
/// What was accepted is also written again and read back: a message that we forward must read as we read it.
func checkDecoders(_ input: UnsafeRawBufferPointer) {
    guard let control = input.first, input.count <= 4_096 else { return }
    let octets = Array(input.dropFirst())
    let step = Int(control & 0x0F) + 1
    let limits =
        control & 0x10 == 0
        ? .standard
        : HTTP1Limits(
            startLine: 40, field: 40, headBytes: 200, fieldCount: 5, chunkExtensionBytes: 20, trailerBytes: 60,
            leadingEmptyLines: 1)
    if control & 0x80 == 0 {
        let whole = Trace.ofRequests(octets, step: octets.count, limits: limits)
        let pieces = Trace.ofRequests(octets, step: step, limits: limits)
        precondition(whole == pieces, "requests read in another way when cut")
        Trace.checkRequestsRoundTrip(octets, limits: limits)
    } else {
        let method = control & 0x40 == 0 ? "GET" : control & 0x20 == 0 ? "HEAD" : "CONNECT"
        let whole = Trace.ofResponses(octets, step: octets.count, method: method, limits: limits)
        let pieces = Trace.ofResponses(octets, step: step, method: method, limits: limits)
        precondition(whole == pieces, "responses read in another way when cut")
    }
}
