import NIOCore
import PlayheadCassette
import PlayheadHTTP

/// What went over a WebSocket so far: in memory up to a bound, then in a spill file without a name.
struct WebSocketTranscript: Sendable {
    /// The bound of one message that is kept, in octets.
    static let messageLimit = 16 * 1024 * 1024
    /// The bound of all payloads together, in octets.
    static let totalLimit = 64 * 1024 * 1024
    /// The bound of the number of frames.
    static let frameLimit = 50_000
    /// The bound of memory, beside messages that are not complete, in octets.
    static let memoryLimit = 64 * 1024

    private struct Entry {
        var frame: RecordedWebSocket.Frame
        var length: Int
    }

    /// A message of which more is to come.
    private struct OpenMessage {
        var octets = ByteBuffer()
        var fragments: [Int] = []
        var fragment = 0
    }

    private var entries: [Entry] = []
    private var memory = ByteBuffer()
    private var spill: SpillFile?
    private var count = 0
    private var client = OpenMessage()
    private var server = OpenMessage()
    /// Why the rest is missing; nil while all is there.
    private(set) var loss: String?

    /// Whether turning it into a recording may take long enough to belong on a thread.
    var isLarge: Bool { self.spill != nil || self.entries.count > 200 }

    /// Takes down what a side said.
    mutating func note(_ event: WebSocketDecoder.Event, from sender: RecordedWebSocket.Sender, at milliseconds: Int) {
        guard self.loss == nil else { return }
        switch event {
        case .data(let octets, let opcode, let endsFrame, let endsMessage):
            var message = sender == .client ? self.client : self.server
            message.octets.writeImmutableBuffer(octets)
            message.fragment += octets.readableBytes
            if endsFrame {
                message.fragments.append(message.fragment)
                message.fragment = 0
            }
            if message.octets.readableBytes > Self.messageLimit || message.fragments.count > Self.frameLimit {
                self.loss = "a message is over \(Self.messageLimit >> 20) MiB"
                message = OpenMessage()
            }
            if endsMessage {
                self.append(
                    RecordedWebSocket.Frame(
                        sender, at: milliseconds, opcode == .text ? .text : .binary,
                        fragments: message.fragments.count > 1 ? message.fragments : []), message.octets)
                message = OpenMessage()
            }
            if sender == .client { self.client = message } else { self.server = message }
        case .ping(let octets): self.append(RecordedWebSocket.Frame(sender, at: milliseconds, .ping), octets)
        case .pong(let octets): self.append(RecordedWebSocket.Frame(sender, at: milliseconds, .pong), octets)
        case .close(let code, let reason):
            self.append(
                RecordedWebSocket.Frame(sender, at: milliseconds, .close, closeCode: code), ByteBuffer(string: reason))
        }
    }

    private mutating func append(_ frame: RecordedWebSocket.Frame, _ payload: ByteBuffer) {
        guard self.loss == nil else { return }
        let length = payload.readableBytes
        guard self.count + length <= Self.totalLimit, self.entries.count < Self.frameLimit else {
            self.loss = "it has over \(Self.frameLimit) frames or \(Self.totalLimit >> 20) MiB"
            return
        }
        do {
            try self.keep(payload)
            self.count += length
            self.entries.append(Entry(frame: frame, length: length))
        } catch {
            self.loss = "its messages could not be kept: \(error)"
        }
    }

    private mutating func keep(_ payload: ByteBuffer) throws(SpillFile.Failure) {
        if let spill = self.spill { return try spill.append(payload) }
        guard self.memory.readableBytes + payload.readableBytes > Self.memoryLimit else {
            self.memory.writeImmutableBuffer(payload)
            return
        }
        let file = try SpillFile()
        try file.append(self.memory)
        try file.append(payload)
        self.spill = file
        self.memory = ByteBuffer()
    }

    /// The frames with their payloads.
    func frames() throws -> [RecordedWebSocket.Frame] {
        var octets = try self.spill?.read(limit: Self.totalLimit) ?? self.memory
        return self.entries.map { entry in
            var frame = entry.frame
            if let payload = octets.readSlice(length: entry.length), entry.length > 0 {
                frame.payload.content = .octets(payload)
            }
            return frame
        }
    }
}
