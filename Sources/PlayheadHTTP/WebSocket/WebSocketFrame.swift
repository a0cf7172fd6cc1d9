/// What a frame is (RFC 6455 section 11.8); others are refused.
public enum WebSocketOpcode: UInt8, Sendable {
    /// More of the message that is open.
    case continuation = 0
    /// The start of a message of UTF-8.
    case text = 1
    /// The start of a message of octets.
    case binary = 2
    /// The end of the connection.
    case close = 8
    /// A question whether the other side is there.
    case ping = 9
    /// The answer to a ping.
    case pong = 10

    /// Whether it is a control frame: whole, of at most 125 octets, allowed between the frames of a message.
    public var isControl: Bool { self.rawValue >= 8 }
}

/// Which side of a WebSocket sends; only a client masks (RFC 6455 section 5.1).
public enum WebSocketSide: Sendable {
    /// The side that asked for the upgrade.
    case client
    /// The side that answered 101.
    case server
}

/// Why a WebSocket has to be failed, with the code that says so in a close frame.
public struct WebSocketError: Error, Sendable, Equatable, CustomStringConvertible {
    /// 1002 for a broken protocol, 1007 for text that is not UTF-8, 1009 for what is too large.
    public var closeCode: Int
    /// What is wrong, in a sentence without its subject.
    public var description: String

    static func protocolError(_ description: String) -> WebSocketError {
        WebSocketError(closeCode: 1002, description: description)
    }
}
