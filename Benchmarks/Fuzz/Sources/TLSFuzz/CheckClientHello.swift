import NIOCore
import NIOEmbedded
import PlayheadTLS

/// Links libFuzzer's expected entry point; the run itself goes through main.swift.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    checkClientHello(UnsafeRawBufferPointer(start: data, count: size))
    return 0
}

private struct NoCertificate: Error {}

/// The names that a server was asked for.
private final class Names {
    nonisolated(unsafe) static var asked: [String] = []
}

private let context = try? TLSServerContext(alpn: ["h2", "http/1.1"]) { name in
    Names.asked.append(name)
    throw NoCertificate()
}

/// Feeds the input to a TLS server, whole and in pieces; the first octet says how long these are.
///
/// Nothing traps, and the name that a client asks for does not depend on how its first message was cut.
func checkClientHello(_ input: UnsafeRawBufferPointer) {
    guard let control = input.first, input.count <= 4_096, let context else { return }
    let octets = Array(input.dropFirst())
    let whole = names(octets, step: max(octets.count, 1), context)
    precondition(names(octets, step: Int(control) + 1, context) == whole, "the name depends on the cut")
}

private func names(_ octets: [UInt8], step: Int, _ context: TLSServerContext) -> [String] {
    Names.asked = []
    let channel = EmbeddedChannel(handler: TLSHandler(accepting: context, fallbackName: "fallback.test"))
    guard let address = try? SocketAddress(ipAddress: "127.0.0.1", port: 1) else { return [] }
    channel.connect(to: address, promise: nil)
    for start in stride(from: 0, to: octets.count, by: step) {
        _ = try? channel.writeInbound(ByteBuffer(bytes: octets[start..<min(octets.count, start + step)]))
        guard channel.isActive else { break }
    }
    _ = try? channel.finish(acceptAlreadyClosed: true)
    channel.embeddedEventLoop.run()
    return Names.asked
}
