/// A WebSocket: the response that opened it, what went over it, and how it ended (RFC 6455).
public struct RecordedWebSocket: Sendable, Equatable {
    /// The 101 response; it has no body.
    public var response: RecordedResponse
    /// Messages and control frames of both sides, in the order in which they passed the recorder.
    public var frames: [Frame]
    /// How it ended.
    public var ending: Ending

    /// Creates a WebSocket.
    public init(response: RecordedResponse, frames: [Frame] = [], ending: Ending = .closed) {
        self.response = response
        self.frames = frames
        self.ending = ending
    }

    /// Who sent a frame; the raw value is the text in the cassette.
    public enum Sender: String, Sendable, CaseIterable {
        /// The program that was recorded.
        case client
        /// The origin.
        case server
    }

    /// What a frame is; the raw value is the text in the cassette.
    public enum Opcode: String, Sendable, CaseIterable {
        /// A message of UTF-8.
        case text
        /// A message of octets.
        case binary
        /// The end, with a code and a reason.
        case close
        /// A question whether the other side is there.
        case ping
        /// The answer to a ping.
        case pong

        /// Whether it is a message rather than a control frame.
        public var isMessage: Bool { self == .text || self == .binary }
    }

    /// How the connection ended; the raw value is the text in the cassette.
    public enum Ending: String, Sendable, CaseIterable {
        /// With close frames.
        case closed
        /// The client went away without a close frame.
        case clientLeft = "client_left"
        /// The origin ended the connection without a close frame.
        case serverClosed = "server_closed"
        /// The origin reset the connection.
        case serverReset = "server_reset"
        /// Nothing came for too long.
        case timeout
        /// One side broke the protocol.
        case malformed = "protocol"
        /// The recorder was stopped while it was open.
        case stopped
        /// It held more than a recording may; the rest is missing.
        case truncated
    }

    /// A whole message, however many frames it came in, or one control frame.
    public struct Frame: Sendable, Equatable {
        /// Who sent it.
        public var sender: Sender
        /// When its last octet came, in milliseconds from the start of the request.
        public var at: Int
        /// What it is.
        public var opcode: Opcode
        /// The payload; of a close frame the reason.
        public var payload: RecordedBody
        /// The lengths of the frames of a message that came in more than one.
        public var fragments: [Int]
        /// The code of a close frame; nil if it has none.
        public var closeCode: Int?

        /// Creates a frame.
        public init(
            _ sender: Sender, at: Int, _ opcode: Opcode, payload: RecordedBody = RecordedBody(), fragments: [Int] = [],
            closeCode: Int? = nil
        ) {
            self.sender = sender
            self.at = at
            self.opcode = opcode
            self.payload = payload
            self.fragments = fragments
            self.closeCode = closeCode
        }
    }
}
