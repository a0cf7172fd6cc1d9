import NIOCore
import PlayheadCassette
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

@Suite struct WebSocketTranscriptTests {
    private static func data(_ text: String, ends: Bool, endsMessage: Bool) -> WebSocketDecoder.Event {
        .data(ByteBuffer(string: text), opcode: .text, endsFrame: ends, endsMessage: endsMessage)
    }

    /// Two big messages in pieces by turns, a ping between them, and one that never ends.
    @Test(arguments: [1, 1000, 100_000]) func tellsThePiecesOfBothSidesApart(size: Int) throws {
        var transcript = WebSocketTranscript()
        let (a, b) = (String(repeating: "a", count: size), String(repeating: "b", count: size))
        transcript.note(Self.data(a, ends: false, endsMessage: false), from: .client, at: 1)
        transcript.note(Self.data(b, ends: true, endsMessage: false), from: .server, at: 2)
        transcript.note(Self.data(a, ends: false, endsMessage: false), from: .client, at: 3)
        transcript.note(.ping(ByteBuffer(string: "p")), from: .client, at: 4)
        transcript.note(Self.data("", ends: true, endsMessage: true), from: .client, at: 5)
        transcript.note(Self.data(b, ends: true, endsMessage: true), from: .server, at: 6)
        transcript.note(Self.data(a, ends: true, endsMessage: false), from: .client, at: 7)
        transcript.note(.close(code: 1000, reason: "bye"), from: .server, at: 8)
        #expect(transcript.loss == nil)
        #expect(transcript.isLarge == (size == 100_000))
        let frames = try transcript.frames()
        #expect(frames.map(\.at) == [4, 5, 6, 8])
        #expect(frames.map(\.opcode) == [.ping, .text, .text, .close])
        #expect(frames.map(\.payload.content) == ["p", a + a, b + b, "bye"].map { .octets(ByteBuffer(string: $0)) })
        #expect(frames[1].fragments == [])
        #expect(frames[2].fragments == [size, size])
    }

    @Test func stopsAtAMessageThatIsTooLarge() throws {
        var transcript = WebSocketTranscript()
        transcript.note(Self.data("kept", ends: true, endsMessage: true), from: .client, at: 1)
        let piece = ByteBuffer(repeating: 0x61, count: 1 << 20)
        for _ in 0..<17 {
            transcript.note(
                .data(piece, opcode: .binary, endsFrame: false, endsMessage: false), from: .server, at: 2)
        }
        transcript.note(Self.data("not kept", ends: true, endsMessage: true), from: .client, at: 3)
        #expect(transcript.loss == "a message is over 16 MiB")
        #expect(try transcript.frames().count == 1)
    }

    @Test func stopsAtTooManyMessages() throws {
        var transcript = WebSocketTranscript()
        for _ in 0...WebSocketTranscript.frameLimit { transcript.note(.ping(ByteBuffer()), from: .client, at: 1) }
        #expect(transcript.loss?.hasPrefix("it has over 50000 frames") == true)
        #expect(try transcript.frames().count == WebSocketTranscript.frameLimit)
    }

    /// Copying the list of fragments at each of them took a second.
    @Test func takesManyEmptyFragmentsInLinearTime() throws {
        var transcript = WebSocketTranscript()
        let start = ContinuousClock.now
        for _ in 0..<WebSocketTranscript.frameLimit - 1 {
            transcript.note(Self.data("", ends: true, endsMessage: false), from: .client, at: 1)
        }
        transcript.note(Self.data("x", ends: true, endsMessage: true), from: .client, at: 1)
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(try transcript.frames().first?.fragments.count == WebSocketTranscript.frameLimit)
    }

    @Test func boundsPiecesThatComeByTurns() throws {
        var transcript = WebSocketTranscript()
        for _ in 0...WebSocketTranscript.pieceLimit / 2 {
            transcript.note(Self.data("a", ends: false, endsMessage: false), from: .client, at: 1)
            transcript.note(Self.data("b", ends: false, endsMessage: false), from: .server, at: 1)
        }
        #expect(transcript.loss != nil)
        #expect(try transcript.frames().isEmpty)
    }
}
