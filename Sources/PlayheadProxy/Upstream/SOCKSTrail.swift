import NIOCore

/// How instances of Playhead tell each other over SOCKS5 where a connection came through.
///
/// SOCKS carries no fields, but a client may offer methods of its own (RFC 1928 section 3 keeps 0x80 to 0xFE for that).
/// Other proxies pass over the offer; one that takes it is sent the trail, and then chooses among the other methods.
/// So origins are told nothing, and a circle is noticed before anything is sent through it.
enum SOCKSTrail {
    /// The method, and the code of the reply to a connection that is back where it was.
    static let code: UInt8 = 0xE7
    private static let version: UInt8 = 1
    /// A trail that is longer is not told.
    private static let limit = 1024

    /// The message with a value of `Via`; nil if it is too long.
    static func message(_ via: String) -> [UInt8]? {
        let text = Array(via.utf8)
        guard text.count <= Self.limit, let length = UInt16(exactly: text.count) else { return nil }
        return [Self.version, UInt8(length >> 8), UInt8(length & 0xFF)] + text
    }

    enum Reading: Equatable {
        /// More octets are needed.
        case wait
        case via(String)
        case malformed
    }

    static func read(_ input: inout ByteBuffer) -> Reading {
        let start = input.readerIndex
        guard let version = input.getInteger(at: start, as: UInt8.self) else { return .wait }
        guard version == Self.version else { return .malformed }
        guard let length = input.getInteger(at: start + 1, as: UInt16.self).map(Int.init) else { return .wait }
        guard length <= Self.limit else { return .malformed }
        guard let text = input.getString(at: start + 3, length: length) else { return .wait }
        input.moveReaderIndex(forwardBy: 3 + length)
        return .via(text)
    }
}
