import NIOCore
import PlayheadCassette
import PlayheadHTTP
import Testing

/// How a WebSocket stands in a cassette, and what is not taken from one.
struct WebSocketNodesTests {
    static let text = """
        playhead: 1
        recorded_with: playhead 0.1.0
        exchanges:
        - id: "1"
          recorded_at: 2026-11-21T03:00:00.123Z
          request:
            method: GET
            url: https://example.com/chat
            http: HTTP/1.1
            headers:
            - [Upgrade, websocket]
          websocket:
            reason: Switching Protocols
            http: HTTP/1.1
            headers:
            - [Upgrade, websocket]
            frames:
            - from: client
              ms: 5
              opcode: text
              text: |
                {"a": 1}
              fragments: [4, 5]
            - from: server
              ms: 6
              opcode: binary
              base64: AAE=
            - from: server
              ms: 7
              opcode: close
              code: 1001
              text: going away
            ending: stopped

        """

    static var exchange: Exchange {
        Exchange(
            id: "1", recordedAt: Timestamp(milliseconds: 1_795_230_000_123),
            request: RecordedRequest(
                method: "GET", url: "https://example.com/chat", headers: HeaderList([("Upgrade", "websocket")])),
            outcome: .webSocket(
                RecordedWebSocket(
                    response: RecordedResponse(
                        status: 101, reason: "Switching Protocols", headers: HeaderList([("Upgrade", "websocket")])),
                    frames: [
                        .init(
                            .client, at: 5, .text,
                            payload: RecordedBody(.octets(ByteBuffer(string: "{\"a\": 1}\n"))), fragments: [4, 5]),
                        .init(.server, at: 6, .binary, payload: RecordedBody(.octets(ByteBuffer(bytes: [0, 1])))),
                        .init(
                            .server, at: 7, .close, payload: RecordedBody(.octets(ByteBuffer(string: "going away"))),
                            closeCode: 1001),
                    ], ending: .stopped)))
    }

    @Test func writesAndReadsOneEntryPerMessage() throws {
        let cassette = Cassette(recordedWith: "playhead 0.1.0", exchanges: [Self.exchange])
        #expect(String(buffer: CassetteWriter.encode(cassette)) == Self.text)
        #expect(try CassetteReader.parse(ByteBuffer(string: Self.text), fileName: "f") == cassette)
    }

    @Test(arguments: [
        ("opcode: binary", "opcode: octets", "'opcode' must be one of text, binary, close, ping, pong"),
        ("from: server", "from: proxy", "'from' must be one of client, server"),
        ("code: 1001", "code: 1005", "'code' must be a code of a close frame"),
        ("code: 1001", "code: 99999999999", "'code' must be a code of a close frame"),
        ("opcode: text", "opcode: pong\n      code: 1000", "'code' must be a code of a close frame"),
        ("going away", String(repeating: "long ", count: 25), "a close frame holds at most 123 octets"),
        ("fragments: [4, 5]", "fragments: [-4]", "'fragments' must be a list of lengths"),
        ("opcode: binary", "opcode: text", nil), ("AAE=", "/w==", nil),
        ("opcode: binary\n      base64: AAE=", "opcode: text\n      base64: /w==", "must be UTF-8"),
        ("ending: stopped", "ending: badly", "'ending' must be one of"),
        ("ms: 7", "ms: 7\n      colour: red", "unknown key 'colour'"),
        ("      code: 1001\n", "", "behind its code"),
        ("reason: Switching", "reason: \"a\\nb\"\n    x: Switching", "unknown key 'x'"),
    ])
    func refusesWhatCouldNotGoOverAWire(old: String, new: String, message: String?) throws {
        let text = Self.text.replacing(old, with: new)
        do {
            _ = try CassetteReader.parse(ByteBuffer(string: text), fileName: "f")
            #expect(message == nil)
        } catch {
            #expect("\(error)".contains(message ?? "no error"), "\(error)")
        }
    }
}
