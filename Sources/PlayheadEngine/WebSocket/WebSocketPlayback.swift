public import NIOCore
public import PlayheadCassette

/// A recorded WebSocket being played: what the server says next, and whether the client says what it said then.
///
/// A value without a clock: times are given in nanoseconds since it was opened.
public struct WebSocketPlayback: Sendable {
    /// What is to be done now.
    public enum Step: Sendable, Equatable {
        /// Send the frame at this place of the recording.
        case send(Int)
        /// Ask again at this time.
        case wait(until: Int64)
        /// Nothing until the client has said more.
        case listen
        /// Everything was sent and, where it matters, heard.
        case done
    }

    /// The frames of the recording.
    public let frames: [RecordedWebSocket.Frame]
    private let rule: WebSocketRule
    private let speed: PlaybackSpeed
    private let openedAt: Int
    private let ignored: IgnoredPlaces
    /// What the server sent but pongs, which answer pings of their time; places in `frames`.
    private let sent: [Int]
    /// How many messages of the client came before each of `sent`.
    private let gates: [Int]
    /// The client's messages; places in `frames`.
    private let messages: [Int]
    /// Where the client's close frame is.
    private let clientClose: Int?
    private var next = 0
    private var lastSent: (place: Int, time: Int64)?
    /// When each message of the client came, as far as they were recorded.
    private(set) var arrivals: [Int64] = []
    private var isClosed = false

    /// Creates a playback at its beginning.
    ///
    /// - Parameter openedAt: when the recorded WebSocket was open, on the clock of its frames.
    public init(
        _ socket: RecordedWebSocket, rule: WebSocketRule, rules: MatchRules, speed: PlaybackSpeed, openedAt: Int
    ) {
        self.frames = socket.frames
        self.rule = rule
        self.speed = speed
        self.openedAt = openedAt
        self.ignored = IgnoredPlaces(rules)
        self.sent = socket.frames.indices.filter {
            socket.frames[$0].sender == .server && socket.frames[$0].opcode != .pong
        }
        self.messages = socket.frames.indices.filter {
            socket.frames[$0].sender == .client && socket.frames[$0].opcode.isMessage
        }
        var heard = 0
        var gates: [Int] = []
        for place in self.sent {
            while heard < self.messages.count, self.messages[heard] < place { heard += 1 }
            gates.append(heard)
        }
        self.gates = gates
        self.clientClose = socket.frames.firstIndex { $0.sender == .client && $0.opcode == .close }
    }

    /// Whether all was said that had to be; what follows the client's close frame does not count.
    public var isPlayed: Bool {
        let isSaid = self.sent.dropFirst(self.next).allSatisfy { place in self.clientClose.map { place > $0 } ?? false }
        return isSaid && (self.rule == .lenient || self.arrivals.count >= self.messages.count)
    }

    /// What to do at a time.
    public mutating func step(at now: Int64) -> Step {
        guard self.next < self.sent.count else {
            return self.rule == .lenient || self.arrivals.count >= self.messages.count ? .done : .listen
        }
        let place = self.sent[self.next]
        if let clientClose = self.clientClose, place > clientClose, !self.isClosed { return .listen }
        let due: Int64
        if self.rule == .lenient, !self.speed.isInstant {
            due = self.wait(from: self.openedAt, to: place)
        } else {
            let needed = self.gates[self.next]
            guard self.arrivals.count >= needed else { return .listen }
            due = self.due(place, after: needed)
        }
        guard due <= now else { return .wait(until: due) }
        self.next += 1
        self.lastSent = (place, now)
        return .send(place)
    }

    /// The client has sent a message.
    ///
    /// - Returns: in what it differs from the recorded one; empty if it may be so.
    public mutating func receive(
        _ opcode: RecordedWebSocket.Opcode, _ payload: ByteBuffer, at now: Int64
    ) -> [Difference] {
        let number = self.arrivals.count
        guard self.rule == .strict else {
            // No more of them are waited for.
            if number < self.messages.count { self.arrivals.append(now) }
            return []
        }
        guard number < self.messages.count else {
            let shown = WebSocketPlayback.summary(opcode, payload)
            return [Difference(.message("\(number + 1)"), recorded: nil, requested: shown)]
        }
        let recorded = self.frames[self.messages[number]]
        let found = WebSocketPlayback.differences(recorded, opcode, payload, number: number + 1, ignoring: self.ignored)
        if found.isEmpty { self.arrivals.append(now) }
        return found
    }

    /// The client has sent its close frame.
    public mutating func close() { self.isClosed = true }

    /// A frame keeps its distance to the server's frame before it and to the client's message that it had to wait for.
    private func due(_ place: Int, after needed: Int) -> Int64 {
        guard !self.speed.isInstant else { return 0 }
        var due = self.wait(from: self.openedAt, to: place)
        if let lastSent = self.lastSent {
            due = lastSent.time + self.wait(from: self.frames[lastSent.place].at, to: place)
        }
        if needed > 0 {
            let message = self.frames[self.messages[needed - 1]]
            due = max(due, self.arrivals[needed - 1] + self.wait(from: message.at, to: place))
        }
        return due
    }

    private func wait(from milliseconds: Int, to place: Int) -> Int64 {
        let (distance, overflow) = self.frames[place].at.subtractingReportingOverflow(milliseconds)
        return overflow ? 0 : self.speed.nanoseconds(after: distance)
    }

    private static func differences(
        _ recorded: RecordedWebSocket.Frame, _ opcode: RecordedWebSocket.Opcode, _ payload: ByteBuffer, number: Int,
        ignoring ignored: IgnoredPlaces
    ) -> [Difference] {
        var old = ByteBuffer()
        if case .octets(let octets) = recorded.payload.content { old = octets }
        if recorded.opcode == opcode {
            let found = BodyValue(payload, contentType: nil).differences(
                from: BodyValue(old, contentType: nil), ignoring: ignored)
            guard !found.isEmpty else { return [] }
            let places = found.compactMap { difference -> Difference? in
                guard case .json(let path) = difference.part else { return nil }
                return Difference(
                    .message("\(number) \(path)"), recorded: difference.recorded, requested: difference.requested)
            }
            if !places.isEmpty { return places }
        }
        return [
            Difference(
                .message("\(number)"), recorded: self.summary(recorded.opcode, old),
                requested: self.summary(opcode, payload))
        ]
    }

    /// A message in a few words.
    private static func summary(_ opcode: RecordedWebSocket.Opcode, _ payload: ByteBuffer) -> String {
        if opcode == .text { return displayText(payload.readableBytesView.prefix(4096)) }
        let digest = SHA256Digest.text(of: payload).prefix(12)
        return "\(payload.readableBytes) octets with SHA-256 \(digest)…"
    }
}
