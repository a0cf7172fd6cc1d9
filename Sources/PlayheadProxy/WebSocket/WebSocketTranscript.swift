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
    /// The bound of the payloads in memory, in octets.
    static let memoryLimit = 64 * 1024

    /// The bound of the pieces in which payloads came, where both sides spoke in turns.
    static let pieceLimit = 200_000

    /// A payload by the places of its pieces among all octets that are kept.
    private struct Payload {
        var pieces: [Range<Int>] = []
        var length = 0
    }

    private struct Entry {
        var frame: RecordedWebSocket.Frame
        var payload: Payload
    }

    /// A message of which more is to come.
    private struct OpenMessage {
        var payload = Payload()
        var fragments: [Int] = []
        var fragment = 0
    }

    private var entries: [Entry] = []
    private var memory = ByteBuffer()
    private var spill: SpillFile?
    private var count = 0
    private var pieceCount = 0
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
            var message = self.takeMessage(of: sender)
            self.keep(octets, in: &message.payload)
            message.fragment += octets.readableBytes
            if endsFrame {
                message.fragments.append(message.fragment)
                message.fragment = 0
            }
            if message.payload.length > Self.messageLimit || message.fragments.count > Self.frameLimit {
                self.loss = "a message is over \(Self.messageLimit >> 20) MiB"
                message = OpenMessage()
            }
            if endsMessage {
                self.append(
                    RecordedWebSocket.Frame(
                        sender, at: milliseconds, opcode == .text ? .text : .binary,
                        fragments: message.fragments.count > 1 ? message.fragments : []), message.payload)
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

    /// Takes the open message out, so that it is changed in place: it may have many fragments.
    private mutating func takeMessage(of sender: RecordedWebSocket.Sender) -> OpenMessage {
        var message = OpenMessage()
        if sender == .client { swap(&message, &self.client) } else { swap(&message, &self.server) }
        return message
    }

    private mutating func append(_ frame: RecordedWebSocket.Frame, _ octets: ByteBuffer) {
        var payload = Payload()
        self.keep(octets, in: &payload)
        self.append(frame, payload)
    }

    private mutating func append(_ frame: RecordedWebSocket.Frame, _ payload: Payload) {
        guard self.loss == nil else { return }
        guard self.entries.count < Self.frameLimit else { return self.exceed() }
        self.entries.append(Entry(frame: frame, payload: payload))
    }

    private mutating func exceed() {
        self.loss = "it has over \(Self.frameLimit) frames or \(Self.totalLimit >> 20) MiB"
    }

    /// Adds octets to a payload, wherever octets are kept now.
    private mutating func keep(_ octets: ByteBuffer, in payload: inout Payload) {
        let length = octets.readableBytes
        guard self.loss == nil, length > 0 else { return }
        guard self.count + length <= Self.totalLimit, self.pieceCount < Self.pieceLimit else { return self.exceed() }
        do {
            try self.store(octets)
        } catch {
            self.loss = "its messages could not be kept: \(error)"
            return
        }
        if let last = payload.pieces.indices.last, payload.pieces[last].upperBound == self.count {
            payload.pieces[last] = payload.pieces[last].lowerBound..<self.count + length
        } else {
            payload.pieces.append(self.count..<self.count + length)
            self.pieceCount += 1
        }
        payload.length += length
        self.count += length
    }

    private mutating func store(_ octets: ByteBuffer) throws(SpillFile.Failure) {
        if let spill = self.spill { return try spill.append(octets) }
        guard self.memory.readableBytes + octets.readableBytes > Self.memoryLimit else {
            self.memory.writeImmutableBuffer(octets)
            return
        }
        let file = try SpillFile()
        try file.append(self.memory)
        try file.append(octets)
        self.spill = file
        self.memory = ByteBuffer()
    }

    /// The frames with their payloads.
    func frames() throws -> [RecordedWebSocket.Frame] {
        let octets = try self.spill?.read(limit: Self.totalLimit) ?? self.memory
        return self.entries.map { entry in
            var frame = entry.frame
            if entry.payload.length > 0 { frame.payload.content = .octets(Self.joined(entry.payload, in: octets)) }
            return frame
        }
    }

    private static func joined(_ payload: Payload, in octets: ByteBuffer) -> ByteBuffer {
        func piece(_ range: Range<Int>) -> ByteBuffer {
            octets.getSlice(at: octets.readerIndex + range.lowerBound, length: range.count) ?? ByteBuffer()
        }
        if payload.pieces.count == 1, let only = payload.pieces.first { return piece(only) }
        var whole = ByteBuffer()
        whole.reserveCapacity(payload.length)
        for range in payload.pieces { whole.writeImmutableBuffer(piece(range)) }
        return whole
    }
}
