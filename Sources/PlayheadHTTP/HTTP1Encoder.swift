public import NIOCore

/// Writes HTTP/1 messages; pure functions into a buffer.
///
/// What goes out is always canonical: CR LF line ends, single spaces, three-digit statuses. Nothing that a head
/// holds can break out of its line.
public enum HTTP1Encoder {
    /// Writes a request head with its empty line; a version above 1.1 goes out as HTTP/1.1.
    public static func write(_ head: RequestHead, into buffer: inout ByteBuffer) {
        Self.write(head.method.isEmpty ? "-" : head.method, into: &buffer, replacement: UInt8(ascii: "-")) {
            !Octets.isToken($0)
        }
        buffer.writeInteger(Octets.space)
        Self.write(head.target.isEmpty ? "/" : head.target, into: &buffer, replacement: UInt8(ascii: "?")) {
            $0 < 0x21 || $0 == 0x7F
        }
        buffer.writeStaticString(head.version == .http1_0 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n")
        head.headers.write(into: &buffer)
        buffer.writeStaticString("\r\n")
    }

    /// Writes a response head with its empty line; a version above 1.1 goes out as HTTP/1.1.
    ///
    /// A status outside of 100 to 999 goes out as 500; controls in the reason go out as spaces.
    public static func write(_ head: ResponseHead, into buffer: inout ByteBuffer) {
        buffer.writeStaticString(head.version == .http1_0 ? "HTTP/1.0 " : "HTTP/1.1 ")
        let status = (100...999).contains(head.status) ? head.status : 500
        buffer.writeInteger(UInt8(truncatingIfNeeded: 0x30 + status / 100))
        buffer.writeInteger(UInt8(truncatingIfNeeded: 0x30 + status / 10 % 10))
        buffer.writeInteger(UInt8(truncatingIfNeeded: 0x30 + status % 10))
        buffer.writeInteger(Octets.space)
        Self.write(head.reason, into: &buffer, replacement: Octets.space) { Octets.isForbiddenInValue($0) }
        buffer.writeStaticString("\r\n")
        head.headers.write(into: &buffer)
        buffer.writeStaticString("\r\n")
    }

    /// Writes a whole chunk; an empty one writes nothing, since it would end the body.
    public static func writeChunk(_ body: ByteBuffer, into buffer: inout ByteBuffer) {
        guard body.readableBytes > 0 else { return }
        buffer.reserveCapacity(minimumWritableBytes: body.readableBytes + 20)
        Self.writeChunkHeader(length: body.readableBytes, into: &buffer)
        buffer.writeImmutableBuffer(body)
        Self.writeChunkEnd(into: &buffer)
    }

    /// Writes the size line of a chunk whose octets the caller sends without copying; a length below 1 writes nothing.
    ///
    /// For an empty piece send nothing at all, neither header nor end.
    public static func writeChunkHeader(length: Int, into buffer: inout ByteBuffer) {
        guard length > 0 else { return }
        var shift = (Int.bitWidth - length.leadingZeroBitCount - 1) / 4 * 4
        while shift >= 0 {
            let digit = UInt8(truncatingIfNeeded: (length >> shift) & 0x0F)
            buffer.writeInteger(digit < 10 ? 0x30 + digit : 0x57 + digit)
            shift -= 4
        }
        buffer.writeStaticString("\r\n")
    }

    /// Writes the line end after the octets of a chunk.
    public static func writeChunkEnd(into buffer: inout ByteBuffer) { buffer.writeStaticString("\r\n") }

    /// Writes the last chunk and the trailers: the end of a chunked body.
    public static func writeLastChunk(trailers: HeaderList = HeaderList(), into buffer: inout ByteBuffer) {
        buffer.writeStaticString("0\r\n")
        trailers.write(into: &buffer)
        buffer.writeStaticString("\r\n")
    }

    @inline(__always)
    private static func write(
        _ text: String, into buffer: inout ByteBuffer, replacement: UInt8, where isForbidden: (UInt8) -> Bool
    ) {
        var text = text
        if text.withUTF8({ octets in octets.contains(where: isForbidden) }) {
            buffer.writeBytes(text.utf8.map { isForbidden($0) ? replacement : $0 })
        } else {
            buffer.writeString(text)
        }
    }
}
