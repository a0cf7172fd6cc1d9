public import NIOCore

/// Writes frames as a server does, without a mask.
public enum WebSocketEncoder {
    /// Appends one frame.
    public static func write(
        _ opcode: WebSocketOpcode, _ payload: ByteBuffer, isFinal: Bool = true, into buffer: inout ByteBuffer
    ) {
        let count = payload.readableBytes
        buffer.writeInteger(opcode.rawValue | (isFinal ? 0x80 : 0))
        switch count {
        case 0...125: buffer.writeInteger(UInt8(count))
        case 126...Int(UInt16.max):
            buffer.writeInteger(126 as UInt8)
            buffer.writeInteger(UInt16(count))
        default:
            buffer.writeInteger(127 as UInt8)
            buffer.writeInteger(UInt64(count))
        }
        buffer.writeImmutableBuffer(payload)
    }

    /// Appends a close frame; a reason that does not fit is cut between two characters.
    public static func writeClose(code: Int?, reason: String, into buffer: inout ByteBuffer) {
        var payload = ByteBuffer()
        if let code {
            payload.writeInteger(UInt16(clamping: code))
            payload.writeString(WebSocketClose.fitted(reason))
        }
        self.write(.close, payload, into: &buffer)
    }
}

/// Codes and reasons of close frames (RFC 6455 section 7.4).
public enum WebSocketClose {
    /// The octets that a reason may have.
    public static let reasonLimit = 123

    /// Whether a code may be sent: those of the RFC, those registered since, and those left to applications.
    public static func isValid(_ code: Int) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// A reason that fits, cut between two characters and marked as cut.
    public static func fitted(_ reason: String) -> String {
        guard reason.utf8.count > Self.reasonLimit else { return reason }
        var result = ""
        var count = 0
        for character in reason {
            count += character.utf8.count
            // Room for the mark, which has three octets.
            guard count <= Self.reasonLimit - 3 else { break }
            result.append(character)
        }
        return result + "…"
    }
}
