public import NIOCore

/// Reads the frames of one side of a WebSocket: octets in, events out, no I/O.
///
/// Payloads come as they arrive, so the size of a frame costs no memory; control frames come whole. `takeConsumed()`
/// gives the octets that were judged, as they were on the wire, to pass them on. It refuses what RFC 6455 forbids:
/// reserved bits and opcodes, a mask that is missing or should not be there, lengths that are not written in the
/// shortest form, control frames that are long or fragmented, frames out of order, text that is not UTF-8, and close
/// codes that must not be sent. After a close frame it reads no more.
public struct WebSocketDecoder: Sendable {
    /// What a frame, or a piece of one, says.
    public enum Event: Sendable, Equatable {
        /// A piece of a message, without its mask; both flags tell what it completes.
        case data(ByteBuffer, opcode: WebSocketOpcode, endsFrame: Bool, endsMessage: Bool)
        /// A ping with its payload.
        case ping(ByteBuffer)
        /// A pong with its payload.
        case pong(ByteBuffer)
        /// The close frame: its code, if it has one, and its reason.
        case close(code: Int?, reason: String)
    }

    private struct Frame {
        var opcode: WebSocketOpcode
        var isFinal: Bool
        var left: Int
        var mask: WebSocketMask?
    }

    /// A frame's head as it lies in the input.
    private struct Head {
        var opcode: WebSocketOpcode
        var isFinal: Bool
        var length: Int
        var mask: WebSocketMask?
        /// Its own length in octets.
        var size: Int
    }

    private let side: WebSocketSide
    private var input = ByteBuffer()
    /// The same octets as `input`, from the first one that was not taken yet.
    private var wire = ByteBuffer()
    private var frame: Frame?
    /// Text or binary, while a message is open between its frames.
    private var message: WebSocketOpcode?
    private var text = UTF8Validator()
    private var failure: WebSocketError?
    /// Whether the close frame was read.
    public private(set) var isFinished = false

    /// Creates a decoder for what one side sends.
    public init(from side: WebSocketSide) { self.side = side }

    /// Whether the octets that were judged end with a frame, so that another one could follow.
    public var isAtFrameBorder: Bool { self.frame == nil }

    /// How many octets wait for the rest of their frame.
    public var waitingOctets: Int { self.input.readableBytes }

    /// Takes over octets; what was judged and not taken before is forgotten.
    ///
    /// Nothing is kept of what follows a close frame or an error, however much it is.
    public mutating func append(_ octets: ByteBuffer) {
        guard !self.isFinished, self.failure == nil else { return }
        guard self.input.readableBytes > 0 else {
            self.input = octets
            self.wire = octets
            return
        }
        // Only a cut head or a cut control frame waits here: some hundred octets at most.
        var joined = ByteBuffer()
        joined.reserveCapacity(self.input.readableBytes + octets.readableBytes)
        joined.writeImmutableBuffer(self.input)
        joined.writeImmutableBuffer(octets)
        self.input = joined
        self.wire = joined
    }

    /// The next event, or nil when more octets are needed or the close frame was read.
    ///
    /// After an error the decoder throws the same again; what was wrong is not among the octets to take.
    public mutating func next() throws(WebSocketError) -> Event? {
        if let failure = self.failure { throw failure }
        guard !self.isFinished else { return nil }
        let start = self.input.readerIndex
        do {
            return try self.step()
        } catch {
            self.failure = error
            self.input.moveReaderIndex(to: start)
            throw error
        }
    }

    /// The octets that were judged since the last call, as they came.
    public mutating func takeConsumed() -> ByteBuffer {
        self.wire.readSlice(length: self.input.readerIndex - self.wire.readerIndex) ?? ByteBuffer()
    }

    private mutating func step() throws(WebSocketError) -> Event? {
        if self.frame == nil {
            guard let head = try self.head() else { return nil }
            if head.opcode.isControl { return try self.control(head) }
            try self.open(head)
        }
        return try self.payload()
    }

    /// The head at the front of the input; nil while it is not whole.
    private func head() throws(WebSocketError) -> Head? {
        let start = self.input.readerIndex
        guard let first = self.input.getInteger(at: start, as: UInt8.self) else { return nil }
        guard first & 0x70 == 0 else { throw .protocolError("set a reserved bit without an extension") }
        guard let opcode = WebSocketOpcode(rawValue: first & 0x0F) else {
            throw .protocolError("sent the reserved opcode \(first & 0x0F)")
        }
        let isFinal = first & 0x80 != 0
        guard let second = self.input.getInteger(at: start + 1, as: UInt8.self) else { return nil }
        guard (second & 0x80 != 0) == (self.side == .client) else {
            throw .protocolError(self.side == .client ? "sent a frame without a mask" : "masked a frame")
        }
        if opcode.isControl {
            guard isFinal else { throw .protocolError("fragmented a control frame") }
            guard second & 0x7F <= 125 else { throw .protocolError("sent a control frame of over 125 octets") }
        }
        var size = 2
        var length = Int(second & 0x7F)
        switch length {
        case 126:
            guard let value = self.input.getInteger(at: start + 2, as: UInt16.self) else { return nil }
            guard value > 125 else { throw .protocolError("wrote a length in more octets than needed") }
            (size, length) = (4, Int(value))
        case 127:
            guard let value = self.input.getInteger(at: start + 2, as: UInt64.self) else { return nil }
            guard value > UInt16.max else { throw .protocolError("wrote a length in more octets than needed") }
            guard let known = Int(exactly: value) else { throw .protocolError("sent a length of over 63 bits") }
            (size, length) = (10, known)
        default: break
        }
        guard self.side == .client else {
            return Head(opcode: opcode, isFinal: isFinal, length: length, mask: nil, size: size)
        }
        guard let key = self.input.getInteger(at: start + size, as: UInt32.self) else { return nil }
        return Head(
            opcode: opcode, isFinal: isFinal, length: length, mask: WebSocketMask(bigEndian: key), size: size + 4)
    }

    private mutating func open(_ head: Head) throws(WebSocketError) {
        if head.opcode == .continuation {
            guard self.message != nil else { throw .protocolError("continued a message that was not begun") }
        } else {
            guard self.message == nil else { throw .protocolError("began a message inside another one") }
            self.message = head.opcode
            self.text = UTF8Validator()
        }
        self.frame = Frame(opcode: head.opcode, isFinal: head.isFinal, left: head.length, mask: head.mask)
        self.input.moveReaderIndex(forwardBy: head.size)
    }

    private mutating func payload() throws(WebSocketError) -> Event? {
        guard var frame = self.frame, let opcode = self.message else { return nil }
        guard frame.left == 0 || self.input.readableBytes > 0 else { return nil }
        let count = min(frame.left, self.input.readableBytes)
        var octets = self.input.getSlice(at: self.input.readerIndex, length: count) ?? ByteBuffer()
        if frame.mask != nil { octets = frame.mask?.apply(to: octets) ?? octets }
        frame.left -= count
        let endsFrame = frame.left == 0
        let endsMessage = endsFrame && frame.isFinal
        if opcode == .text {
            guard octets.withUnsafeReadableBytes({ self.text.accept($0) }), !endsMessage || self.text.isComplete else {
                throw WebSocketError(closeCode: 1007, description: "sent text that is not UTF-8")
            }
        }
        self.input.moveReaderIndex(forwardBy: count)
        self.frame = endsFrame ? nil : frame
        if endsMessage { self.message = nil }
        return .data(octets, opcode: opcode, endsFrame: endsFrame, endsMessage: endsMessage)
    }

    private mutating func control(_ head: Head) throws(WebSocketError) -> Event? {
        guard var octets = self.input.getSlice(at: self.input.readerIndex + head.size, length: head.length) else {
            return nil
        }
        if var mask = head.mask { octets = mask.apply(to: octets) }
        let event: Event
        switch head.opcode {
        case .ping: event = .ping(octets)
        case .pong: event = .pong(octets)
        case .close, .continuation, .text, .binary:
            event = try Self.close(octets)
            self.isFinished = true
        }
        self.input.moveReaderIndex(forwardBy: head.size + head.length)
        // What came behind it is nobody's.
        if self.isFinished { self.input.moveWriterIndex(to: self.input.readerIndex) }
        return event
    }

    private static func close(_ octets: ByteBuffer) throws(WebSocketError) -> Event {
        var octets = octets
        guard octets.readableBytes > 0 else { return .close(code: nil, reason: "") }
        guard let code = octets.readInteger(as: UInt16.self) else {
            throw .protocolError("sent a close frame with half a code")
        }
        guard WebSocketClose.isValid(Int(code)) else { throw .protocolError("sent the close code \(code)") }
        guard let reason = String(validating: octets.readableBytesView, as: UTF8.self) else {
            throw WebSocketError(closeCode: 1007, description: "sent a close reason that is not UTF-8")
        }
        return .close(code: Int(code), reason: reason)
    }
}
