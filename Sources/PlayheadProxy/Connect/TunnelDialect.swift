import NIOCore
import PlayheadHTTP

/// In which protocol a client asked for a tunnel, and so how it is answered.
enum TunnelDialect {
    /// CONNECT.
    case http
    /// SOCKS5 (RFC 1928 section 6).
    case socks

    /// Writes that the tunnel stands.
    func writeAccepted(into buffer: inout ByteBuffer) {
        switch self {
        case .http: buffer.writeStaticString("HTTP/1.1 200 Connection established\r\n\r\n")
        case .socks: buffer.writeBytes(SOCKSConversation.reply(0))
        }
    }
}
