import NIOCore
import NIOEmbedded
import NIOWebSocket
import PlayheadHTTP
import PlayheadTestSupport
import Testing

/// Frames are read the same however they are cut, and what RFC 6455 forbids is refused before it is passed on.
struct WebSocketDecoderTests {
    typealias Event = WebSocketDecoder.Event

    /// Octets of one frame; a client's have a mask.
    static func frame(
        _ first: UInt8, _ payload: [UInt8], side: WebSocketSide = .client, length: [UInt8]? = nil
    ) -> [UInt8] {
        let key: [UInt8] = side == .client ? [0x37, 0xFA, 0x21, 0x3D] : []
        var head =
            length
            ?? (payload.count < 126
                ? [UInt8(payload.count)] : [126, UInt8(payload.count >> 8), UInt8(payload.count & 255)])
        if side == .client { head[0] |= 0x80 }
        let masked = payload.enumerated().map { key.isEmpty ? $0.element : $0.element ^ key[$0.offset % 4] }
        return [first] + head + key + masked
    }

    /// All events, with the pieces of each frame joined, and the octets that were judged.
    static func read(_ octets: [UInt8], side: WebSocketSide, pieces: Int) throws -> (events: [Event], wire: [UInt8]) {
        var decoder = WebSocketDecoder(from: side)
        var events: [Event] = []
        var wire: [UInt8] = []
        var open = ByteBuffer()
        for start in stride(from: 0, to: octets.count, by: pieces) {
            decoder.append(ByteBuffer(bytes: octets[start..<min(start + pieces, octets.count)]))
            while let event = try decoder.next() {
                guard case .data(let piece, let opcode, let endsFrame, let endsMessage) = event else {
                    events.append(event)
                    continue
                }
                open.writeImmutableBuffer(piece)
                guard endsFrame else { continue }
                events.append(.data(open, opcode: opcode, endsFrame: true, endsMessage: endsMessage))
                open = ByteBuffer()
            }
            wire += Array(decoder.takeConsumed().readableBytesView)
        }
        return (events, wire)
    }

    /// The error of a stream, and the octets that were judged before it.
    static func error(_ octets: [UInt8], side: WebSocketSide, pieces: Int) -> (error: WebSocketError?, wire: [UInt8]) {
        var decoder = WebSocketDecoder(from: side)
        var wire: [UInt8] = []
        for start in stride(from: 0, to: octets.count, by: pieces) {
            decoder.append(ByteBuffer(bytes: octets[start..<min(start + pieces, octets.count)]))
            do {
                while try decoder.next() != nil {}
                wire += Array(decoder.takeConsumed().readableBytesView)
            } catch {
                return (error, wire + Array(decoder.takeConsumed().readableBytesView))
            }
        }
        return (nil, wire)
    }

    static let long = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    @Test(arguments: [WebSocketSide.client, .server], [1, 2, 3, 7, 1000, 1_000_000])
    func readsFramesHoweverTheyAreCut(side: WebSocketSide, pieces: Int) throws {
        func frame(_ first: UInt8, _ text: String) -> [UInt8] { Self.frame(first, Array(text.utf8), side: side) }
        let big = Array(Self.long[..<300])
        let octets =
            frame(0x81, "Hello") + frame(0x01, "Grüß") + frame(0x89, "are you there") + frame(0x00, "")
            + frame(0x80, " Gott")
            + Self.frame(0x82, big, side: side) + frame(0x8A, "") + frame(0x82, "") + frame(0x88, "\u{3}éBye")
        // 0x03 0xC3 is 963, no code: make it 1000.
        var wire = octets
        let reason = Self.frame(0x88, [0x03, 0xE8] + Array("Bye é".utf8), side: side)
        wire = Array(wire.dropLast(frame(0x88, "\u{3}éBye").count)) + reason
        let result = try Self.read(wire, side: side, pieces: pieces)
        #expect(result.wire == wire)
        func data(_ text: String, _ opcode: PlayheadHTTP.WebSocketOpcode, ends: Bool = true) -> Event {
            .data(ByteBuffer(string: text), opcode: opcode, endsFrame: true, endsMessage: ends)
        }
        #expect(
            result.events == [
                data("Hello", .text), data("Grüß", .text, ends: false), .ping(ByteBuffer(string: "are you there")),
                data("", .text, ends: false), data(" Gott", .text),
                .data(ByteBuffer(bytes: big), opcode: .binary, endsFrame: true, endsMessage: true), .pong(ByteBuffer()),
                data("", .binary), .close(code: 1000, reason: "Bye é"),
            ])
    }

    @Test func readsTextWhoseCharactersAreCutByFrames() throws {
        let text = Array("a€b😀".utf8)
        var octets: [UInt8] = []
        for (index, octet) in text.enumerated() {
            octets += Self.frame(index == 0 ? 0x01 : index == text.count - 1 ? 0x80 : 0x00, [octet])
        }
        #expect(try Self.read(octets, side: .client, pieces: 5).events.count == text.count)
    }

    @Test func holdsNoMoreThanAHeadOfABigFrame() throws {
        var decoder = WebSocketDecoder(from: .server)
        decoder.append(ByteBuffer(bytes: [0x82, 127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]))
        #expect(try decoder.next() == nil)
        #expect(decoder.takeConsumed().readableBytes == 10)
        #expect(!decoder.isAtFrameBorder)
        decoder.append(ByteBuffer(repeating: 7, count: 1 << 20))
        guard case .data(let piece, .binary, false, false) = try decoder.next() else {
            Issue.record("no piece")
            return
        }
        #expect(piece.readableBytes == 1 << 20)
    }

    @Test func readsNothingAfterTheCloseFrame() throws {
        var decoder = WebSocketDecoder(from: .server)
        decoder.append(ByteBuffer(bytes: [0x88, 0, 0xFF, 0xFF, 0xFF]))
        #expect(try decoder.next() == .close(code: nil, reason: ""))
        #expect(decoder.isFinished)
        #expect(try decoder.next() == nil)
        #expect(decoder.takeConsumed().readableBytes == 2)
        for _ in 0..<10 {
            decoder.append(ByteBuffer(repeating: 0, count: 1 << 20))
            #expect(try decoder.next() == nil)
            #expect(decoder.takeConsumed().readableBytes == 0)
            #expect(decoder.waitingOctets == 0)
        }
    }

    @Test func keepsNothingAfterAnError() {
        var decoder = WebSocketDecoder(from: .server)
        decoder.append(ByteBuffer(bytes: [0xC1, 0]))
        #expect(throws: WebSocketError.self) { try decoder.next() }
        decoder.append(ByteBuffer(repeating: 0, count: 1 << 20))
        #expect(decoder.waitingOctets <= 2)
        #expect(decoder.takeConsumed().readableBytes == 0)
    }

    static let forbidden: [(name: String, octets: [UInt8], side: WebSocketSide, code: Int)] = [
        ("no mask", frame(0x81, [65], side: .server), .client, 1002),
        ("a mask", frame(0x81, [65], side: .client), .server, 1002),
        ("rsv1", frame(0xC1, [65]), .client, 1002), ("rsv2", frame(0xA1, [65]), .client, 1002),
        ("rsv3", frame(0x91, [65]), .client, 1002),
        ("opcode 3", frame(0x83, []), .client, 1002), ("opcode 7", frame(0x87, []), .client, 1002),
        ("opcode 11", frame(0x8B, []), .client, 1002), ("opcode 15", frame(0x8F, []), .server, 1002),
        ("fragmented ping", frame(0x09, [1]), .client, 1002),
        ("fragmented close", frame(0x08, [3, 0xE8]), .client, 1002),
        ("long ping", frame(0x89, [UInt8](repeating: 0, count: 126)), .client, 1002),
        ("continuation first", frame(0x80, [65]), .client, 1002),
        ("text in text", frame(0x01, [65]) + frame(0x81, [65]), .client, 1002),
        ("binary in text", frame(0x01, [65]) + frame(0x02, [65]), .client, 1002),
        ("16 bits for 5", frame(0x82, [1, 2, 3, 4, 5], length: [126, 0, 5]), .client, 1002),
        ("64 bits for 5", frame(0x82, [1, 2, 3, 4, 5], length: [127, 0, 0, 0, 0, 0, 0, 0, 5]), .client, 1002),
        ("64 bits for 65535", [0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], .server, 1002),
        ("top bit", [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], .server, 1002),
        ("half a code", frame(0x88, [3]), .client, 1002), ("code 0", frame(0x88, [0, 0]), .client, 1002),
        ("code 999", frame(0x88, [0x03, 0xE7]), .client, 1002),
        ("code 1004", frame(0x88, [0x03, 0xEC]), .client, 1002),
        ("code 1005", frame(0x88, [0x03, 0xED]), .server, 1002),
        ("code 1006", frame(0x88, [0x03, 0xEE]), .client, 1002),
        ("code 1015", frame(0x88, [0x03, 0xF7]), .client, 1002),
        ("code 2999", frame(0x88, [0x0B, 0xB7]), .client, 1002),
        ("code 5000", frame(0x88, [0x13, 0x88]), .client, 1002),
        ("code 65535", frame(0x88, [0xFF, 0xFF]), .client, 1002),
        ("reason", frame(0x88, [0x03, 0xE8, 0xFF]), .client, 1007),
        ("lone continuation octet", frame(0x81, [0x80]), .client, 1007),
        ("overlong", frame(0x81, [0xC0, 0x80]), .client, 1007),
        ("overlong 3", frame(0x81, [0xE0, 0x80, 0x80]), .client, 1007),
        ("surrogate", frame(0x81, [0xED, 0xA0, 0x80]), .client, 1007),
        ("over 10FFFF", frame(0x81, [0xF4, 0x90, 0x80, 0x80], side: .server), .server, 1007),
        ("cut character", frame(0x81, [0xE2, 0x82]), .client, 1007),
        ("cut character over frames", frame(0x01, [0xE2, 0x82]) + frame(0x80, []), .client, 1007),
    ]

    @Test(arguments: forbidden.indices, [1, 3, 100_000])
    func refusesWhatIsForbidden(index: Int, pieces: Int) {
        let (name, octets, side, code) = Self.forbidden[index]
        let good = Self.frame(0x82, [1, 2, 3], side: side)
        let (error, wire) = Self.error(
            good + octets, side: side, pieces: pieces)
        #expect(error?.closeCode == code, "\(name): \(error?.description ?? "taken")")
        // What came before it went on its way, and nothing of the frame whose head is wrong.
        #expect(wire.starts(with: good) && wire.count < good.count + octets.count, "\(name)")
    }

    @Test func throwsTheSameAgain() {
        var decoder = WebSocketDecoder(from: .server)
        decoder.append(ByteBuffer(bytes: [0x83, 0]))
        #expect(throws: WebSocketError.self) { try decoder.next() }
        decoder.append(ByteBuffer(bytes: [0x81, 0]))
        #expect(throws: WebSocketError.self) { try decoder.next() }
    }

    /// NIO's decoder, which holds whole frames, must see the same frames in random streams.
    @Test(arguments: 0..<40 as Range<UInt64>) func agreesWithNIO(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        let side: WebSocketSide = Bool.random(using: &generator) ? .client : .server
        var octets: [UInt8] = []
        var isOpen = false
        for _ in 0..<20 {
            let isFinal = Bool.random(using: &generator)
            let isControl = Int.random(in: 0..<4, using: &generator) == 0
            let count =
                isControl
                ? Int.random(in: 0...125, using: &generator)
                : [0, 1, 125, 126, 127, 4000].randomElement(using: &generator) ?? 0
            let payload = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if isControl {
                octets += Self.frame(Bool.random(using: &generator) ? 0x89 : 0x8A, payload, side: side)
            } else {
                octets += Self.frame((isFinal ? 0x80 : 0) | (isOpen ? 0 : 2), payload, side: side)
                isOpen = !isFinal
            }
        }
        let channel = EmbeddedChannel(handler: ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: 1 << 20)))
        try channel.writeInbound(ByteBuffer(bytes: octets))
        var theirs: [[UInt8]] = []
        while let frame = try channel.readInbound(as: WebSocketFrame.self) {
            theirs.append(
                [frame.opcode == .ping ? 9 : frame.opcode == .pong ? 10 : 2]
                    + Array(frame.unmaskedData.readableBytesView))
        }
        let ours = try Self.read(octets, side: side, pieces: Int.random(in: 1...5000, using: &generator)).events.map {
            event -> [UInt8] in
            switch event {
            case .data(let payload, _, _, _): [2] + Array(payload.readableBytesView)
            case .ping(let payload): [9] + Array(payload.readableBytesView)
            case .pong(let payload): [10] + Array(payload.readableBytesView)
            case .close: [8]
            }
        }
        #expect(ours == theirs)
        _ = try? channel.finish()
    }
}
