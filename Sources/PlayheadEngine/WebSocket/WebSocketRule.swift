/// How closely a client must follow the recording of a WebSocket.
public enum WebSocketRule: String, Sendable, CaseIterable {
    /// Each message of the client must be the recorded one, in order.
    case strict
    /// The client may say what it wants; the server's messages come in order, or at their times.
    case lenient
}
