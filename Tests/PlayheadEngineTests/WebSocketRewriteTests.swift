import NIOCore
import PlayheadCassette
import PlayheadHTTP
import Testing

@testable import PlayheadEngine

/// Messages of a WebSocket go through the same filters and the same redaction as bodies.
struct WebSocketRewriteTests {
    static let token = "ghp_" + String(repeating: "a1B2", count: 9)

    static func socket(_ frames: [RecordedWebSocket.Frame]) -> Exchange {
        var result = exchange("https://example.com/chat", headers: [("Upgrade", "websocket")])
        result.outcome = .webSocket(
            RecordedWebSocket(
                response: RecordedResponse(
                    status: 101, headers: HeaderList([("Set-Cookie", "id=cookie-secret-0815; Path=/")])),
                frames: frames))
        return result
    }

    static func text(
        _ sender: RecordedWebSocket.Sender, _ text: String, fragments: [Int] = []
    ) -> RecordedWebSocket.Frame {
        .init(sender, at: 1, .text, payload: RecordedBody(.octets(ByteBuffer(string: text))), fragments: fragments)
    }

    private func frames(_ exchange: Exchange) -> [RecordedWebSocket.Frame] {
        guard case .webSocket(let socket) = exchange.outcome else { return [] }
        return socket.frames
    }

    @Test func takesSecretsOutOfMessagesOfBothSides() {
        let before = Self.socket([
            Self.text(.client, #"{"password": "hunter2-hunter2", "user": "ann"}"#),
            Self.text(.server, "use \(Self.token)"),
        ])
        #expect(
            Redactor.standard.findings(in: before).map(\.place).sorted() == [
                "client frame 1 $.password", "response header Set-Cookie", "server frame 2 line 1",
            ])
        var ledger = RedactionLedger()
        let after = Redactor.standard.redact(before, ledger: &ledger)
        #expect(!after.everything.contains("hunter2"))
        #expect(!after.everything.contains(Self.token))
        #expect(!after.everything.contains("cookie-secret"))
        #expect(octets(frames(after)[0].payload).hasSuffix(#", "user": "ann"}"#))
        #expect(Redactor.standard.findings(in: after).isEmpty)
        #expect(RedactionLedger(continuing: [after]).next == ledger.next)
    }

    @Test func findsASecretAcrossFragmentsAndMovesTheirBorders() {
        let text = "token \(Self.token) end"
        var ledger = RedactionLedger()
        let after = Redactor.standard.redact(
            Self.socket([Self.text(.server, text, fragments: [10, 20, text.utf8.count - 30])]), ledger: &ledger)
        let frame = frames(after)[0]
        #expect(!octets(frame.payload).contains("ghp_"))
        #expect(frame.fragments.reduce(0, +) == frame.payload.count)
        #expect(frame.fragments.count == 3)
    }

    @Test func keepsAControlFrameWithinItsBoundAfterRedaction() {
        let reason = String(repeating: "é", count: 41) + Self.token
        #expect(reason.utf8.count <= 123)
        let close = RecordedWebSocket.Frame(
            .server, at: 1, .close,
            payload: RecordedBody(.octets(ByteBuffer(string: String(repeating: "é", count: 41) + Self.token))),
            closeCode: 1008)
        var ledger = RedactionLedger()
        let after = frames(Redactor.standard.redact(Self.socket([close]), ledger: &ledger))[0]
        #expect(!octets(after.payload).contains("ghp_"))
        #expect(after.payload.count <= 123)
    }

    @Test func filtersMessagesBySide() throws {
        var filters = FilterChain()
        filters.requestBody = try BodyFilter([.init("at", .replace("0"))])
        filters.responseBody = try BodyFilter([.init("id", .remove)])
        filters.text = [.init("ann", .replace("bob"))]
        let message = #"{"at": "12:30", "id": 7, "name": "ann"}"#
        let after = frames(filters.filtered(Self.socket([Self.text(.client, message), Self.text(.server, message)])))
        #expect(octets(after[0].payload) == #"{"at": "0", "id": 7, "name": "bob"}"#)
        #expect(octets(after[1].payload) == #"{"at": "12:30", "name": "bob"}"#)
    }

    @Test func hidesAndRestoresNamedSecrets() throws {
        let secrets = try KnownSecrets(names: ["KEY"], environment: ["KEY": "s3cr3t-value"])
        let redactor = Redactor.standard.hiding(secrets)
        let before = Self.socket([
            Self.text(.client, "hello s3cr3t-value"), Self.text(.server, "you said s3cr3t-value"),
        ])
        var ledger = RedactionLedger()
        let stored = redactor.redact(before, ledger: &ledger)
        #expect(frames(stored).map { octets($0.payload) } == ["hello {{KEY}}", "you said {{KEY}}"])
        #expect(frames(secrets.restored(stored)) == frames(before))
    }

    @Test func comparesTwoRecordingsFrameByFrame() {
        let first = Self.socket([Self.text(.client, "a"), Self.text(.server, #"{"x": 1}"#)])
        let second = Self.socket([Self.text(.client, "a"), Self.text(.server, #"{"x": 2}"#)])
        #expect(ExchangeDifference.between(first, first).isEmpty)
        #expect(
            ExchangeDifference.between(first, second).map(\.sentence) == ["frame 2 body $.x: \"1\" -> \"2\""])
    }
}
