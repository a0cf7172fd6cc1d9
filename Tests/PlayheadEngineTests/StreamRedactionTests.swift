import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

/// Secrets in event streams, whole and in pieces.
struct StreamRedactionTests {
    private static let key = "sk-proj-Zx8Kq2LmN4pR6tV0wY1aB3cD5eF7gH9j"

    private func redacted(
        _ body: String, type: String = "text/event-stream", _ redactor: Redactor = .standard, chunks: [Int] = []
    ) -> RecordedResponse {
        var exchange = exchange("https://a.test/", answer: body, answerHeaders: [("Content-Type", type)])
        if case .response(var response) = exchange.outcome {
            response.chunks = chunks.map { RecordedResponse.Chunk(at: 0, length: $0) }
            exchange.outcome = .response(response)
        }
        var ledger = RedactionLedger()
        return redactor.redact(exchange, ledger: &ledger).response
    }

    private func text(_ body: String, type: String = "text/event-stream", _ redactor: Redactor = .standard) -> String {
        octets(self.redacted(body, type: type, redactor).body)
    }

    private func deltas(_ pieces: [String], _ wrap: (String) -> String) -> String {
        pieces.map { "data: \(wrap($0))\n\n" }.joined() + "data: [DONE]\n\n"
    }

    private func chat(_ piece: String) -> String {
        #"{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"\#(piece)"}}]}"#
    }

    /// Cuts a text at every place, in pieces of a few letters.
    private func pieces(_ text: String, of length: Int) -> [String] {
        var rest = text[...]
        var pieces: [String] = []
        while !rest.isEmpty {
            pieces.append(String(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return pieces
    }

    @Test(arguments: [1, 2, 3, 7, 19]) func findsATokenInDeltasOfAnySize(_ length: Int) {
        let told = "The key is \(Self.key), keep it."
        let pieces = self.pieces(told, of: length)
        let clean = self.text(self.deltas(pieces, self.chat))
        let lines = clean.split(separator: "\n")
        // Every event is still there.
        #expect(lines.count == pieces.count + 1)
        let contents = lines.dropLast().map { line in
            String(
                line.split(separator: #""content":""#, maxSplits: 1, omittingEmptySubsequences: false)[1].dropLast(5))
        }
        #expect(contents.joined() == "The key is [REDACTED:sk-key#1], keep it.")
    }

    @Test func keepsInterleavedTextsApart() {
        func choice(_ index: Int, _ piece: String) -> String {
            #"{"choices":[{"index":\#(index),"delta":{"content":"\#(piece)"}}]}"#
        }
        let half = Self.key.count / 2
        let (head, tail) = (String(Self.key.prefix(half)), String(Self.key.dropFirst(half)))
        let body = [choice(0, head), choice(1, "hello "), choice(0, tail), choice(1, "world")]
            .map { "data: \($0)\n\n" }.joined()
        let clean = self.text(body)
        #expect(clean.contains(choice(0, "[REDACTED:sk-key#1]")) && clean.contains(choice(0, "")))
        #expect(clean.contains(choice(1, "hello ")) && clean.contains(choice(1, "world")))
    }

    @Test func findsASecretKeyInJSONThatIsStreamedAsText() {
        let arguments = [#"{\"password\": \"hunt"#, #"er2-and"#, #"-more\", \"city\": \"Oslo\"}"#]
        let clean = self.text(
            self.deltas(arguments) {
                #"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"\#($0)"}}"#
            })
        #expect(!clean.contains("hunt") && !clean.contains("er2") && !clean.contains("-more"))
        #expect(clean.contains(#"[REDACTED:password#1]"#) && clean.contains("Oslo"))
    }

    @Test func findsATokenInEventsOfPlainText() {
        let clean = self.text(
            "event: t\ndata: my key\n\nevent: t\ndata: sk-proj-Zx8Kq2LmN4pR\n\ndata: 6tV0wY1aB3cD5eF7gH9j\n\n")
        #expect(clean == "event: t\ndata: my key\n\nevent: t\ndata: [REDACTED:sk-key#1]\n\ndata: \n\n")
    }

    @Test func aPrivateKeyOverLinesLeavesTheEventsInPlace() {
        let clean = self.text(
            "data: -----BEGIN PRIVATE KEY-----\ndata: MIIEvQIBADANBgkqhkiG\ndata: -----END PRIVATE KEY-----\n\ndata: next\n\n"
        )
        #expect(clean.hasPrefix("data: [REDACTED:private-key#1]\ndata: \ndata: \n\n"))
        #expect(clean.hasSuffix("data: next\n\n"))
        let cut = self.text(self.deltas(["-----BEGIN RSA PRIVATE", " KEY-----\\nMIIEvQ", "IBADANBg"], self.chat))
        #expect(!cut.contains("MIIEvQ") && !cut.contains("IBADANBg"))
        #expect(cut.split(separator: "\n").count == 4)
    }

    @Test func theRestOfATokenGoesAlsoWhenItsFirstPieceLooksWhole() {
        let clean = self.text(self.deltas([Self.key, "abcdef", " end"], self.chat))
        #expect(clean.contains(self.chat("[REDACTED:sk-key#1]")) && clean.contains(self.chat("")))
        #expect(clean.contains(self.chat(" end")))
    }

    @Test func manyPiecesThatLookLikeTokensTakeNoTime() {
        let piece = "data: eyJhbGciOiJI\n\ndata: sk-\n\n"
        let start = ContinuousClock.now
        #expect(self.text(String(repeating: piece, count: 5000)).contains("data: eyJ"))
        #expect(ContinuousClock.now - start < .seconds(15))
    }

    @Test func findsWhatTheUserNamed() throws {
        let redactor = Redactor.standard.hiding(try KnownSecrets(names: ["PIN"], environment: ["PIN": "open sesame"]))
        let clean = self.text(self.deltas(["say ope", "n ses", "ame twice"], self.chat), redactor)
        #expect(clean.contains(self.chat("say {{PIN}}")) && clean.contains(self.chat("")))
        #expect(clean.contains(self.chat(" twice")))
    }

    @Test func findsTokensInJSONLines() {
        let body = self.pieces(Self.key, of: 9).map { #"{"response":"\#($0)"}"# }.joined(separator: "\n")
        #expect(
            self.text(body, type: "application/x-ndjson").split(separator: "\n").map(String.init)
                == [#"{"response":"[REDACTED:sk-key#1]"}"#] + Array(repeating: #"{"response":""}"#, count: 4))
    }

    @Test func findsKeysAndTokensThatAreWhole() {
        let clean = self.text(
            "id: 1\ndata: {\"access_token\": \"abc\\u0064ef\", \"n\": 1}\n\n: \(Self.key)\ndata: x\n\n")
        #expect(
            clean
                == "id: 1\ndata: {\"access_token\": \"[REDACTED:token#1]\", \"n\": 1}\n\n: [REDACTED:sk-key#2]\ndata: x\n\n"
        )
    }

    @Test func leavesAStreamWithoutSecretsAsItIs() {
        let body =
            "data: {\"model\":\"gpt\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\r\n\r\ndata: end\r\n\r\n"
        #expect(self.text(body) == body)
        let twice = self.text(self.deltas(self.pieces(Self.key, of: 5), self.chat))
        #expect(self.text(twice) == twice)
    }

    @Test func chunksFollowTheirEvents() {
        let pieces = self.pieces("key \(Self.key) end", of: 11)
        let events = pieces.map { "data: \(self.chat($0))\n\n" }
        let response = self.redacted(events.joined(), chunks: events.map(\.utf8.count))
        var rest = octets(response.body)[...]
        for chunk in response.chunks {
            let event = rest.prefix(chunk.length)
            #expect(event.hasPrefix("data: {") && event.hasSuffix("\n\n"))
            rest = rest.dropFirst(chunk.length)
        }
        #expect(rest.isEmpty && response.chunks.count == events.count)
    }
}
