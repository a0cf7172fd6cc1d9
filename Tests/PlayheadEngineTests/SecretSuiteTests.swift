import Foundation
import NIOCore
import PlayheadCassette
import PlayheadContent
import PlayheadEngine
import PlayheadHTTP
import Testing

/// Secrets in every place where a program may put one; none may be in what is stored or said about a miss.
struct SecretSuiteTests {
    static let github = "ghp_0123456789abcdefghij0123456789abcdef"
    static let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"
    static let word = "correct-horse-battery"

    static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    static func base64(gzip text: String) throws -> String {
        let packed = try ContentEncoder.encode(ByteBuffer(string: text), codings: [.gzip])
        return Data(packed.readableBytesView).base64EncodedString()
    }

    static func percent(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }

    /// One hiding place: an exchange, and the texts that must not be left in it.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var exchange: Exchange
        var secrets: [String]
    }

    static func cases() throws -> [Case] {
        let json = [("Content-Type", "application/json")]
        let form = [("Content-Type", "application/x-www-form-urlencoded")]
        let deep = #"{"a":[{"b":{"c":[{"refreshToken":"\#(word)"}]}}]}"#
        let inner = #"{"user":"ann","password":"\#(word)"}"#
        let packed = try base64(gzip: inner)
        let coded = try ContentEncoder.encode(ByteBuffer(string: deep), codings: [.gzip])
        var exact = exchange(
            "https://a.test/", answerHeaders: json + [("Content-Encoding", "gzip"), ("Digest", "sha-256=abc")])
        var response = exact.response
        response.body = RecordedBody(.octets(coded))
        exact.outcome = .response(response)
        var trailing = exchange("https://a.test/")
        response = trailing.response
        response.trailers = HeaderList([
            ("X-Auth-Token", word), ("X-Note", "uses \(github)"), ("X-Blob", base64(inner)),
        ])
        trailing.outcome = .response(response)
        trailing.request.trailers = HeaderList([("X-Api-Key", word)])
        var failed = exchange("https://a.test/")
        failed.outcome = .failure(
            RecordedFailure(
                kind: .tls,
                message: "https://ann:\(word)@a.test/?access_token=\(word) failed; Authorization: Basic "
                    + base64("ann:\(word)")))
        return [
            Case(
                testDescription: "headers",
                exchange: exchange(
                    "https://a.test/",
                    headers: [
                        ("Authorization", "Bearer \(word)"), ("X-Api-Key", word), ("Cookie", "s=\(word)"),
                        ("X-Amz-Security-Token", word), ("X-Trace", base64(#"{"token":"\#(word)"}"#)),
                        ("X-Forwarded-Auth-Info", "Basic \(base64("ann:\(word)"))"),
                    ],
                    answerHeaders: [("Set-Cookie", "s=\(word); Path=/"), ("X-Echo", "Basic \(base64("a:\(word)"))")]),
                secrets: [word, base64("ann:\(word)"), base64("a:\(word)"), base64(#"{"token":"\#(word)"}"#)]),
            Case(
                testDescription: "JSON at depth",
                exchange: exchange("https://a.test/", answer: deep, answerHeaders: json), secrets: [word]),
            Case(
                testDescription: "form, also in base64",
                exchange: exchange(
                    "https://a.test/", method: "POST", headers: form,
                    body: "client_secret=\(word)&state=\(percent(base64(inner)))&note=\(percent(github))"),
                secrets: [word, percent(base64(inner)), percent(github)]),
            Case(
                testDescription: "gzip and base64 inside JSON",
                exchange: exchange(
                    "https://a.test/", method: "POST", headers: json, body: #"{"blob":"\#(packed)","n":1}"#,
                    answer: #"{"outer":"{\"blob\":\"\#(packed)\"}"}"#, answerHeaders: json),
                secrets: [packed]),
            Case(
                testDescription: "base64 of base64, in base64url, in lines",
                exchange: exchange(
                    "https://a.test/?cursor=\(base64(inner).replacing("=", with: ""))",
                    answer:
                        #"{"a":"\#(base64(base64(inner)))","b":"\#(Data((inner + "???>>>").utf8).base64EncodedString().replacing("/", with: "_").replacing("+", with: "-"))","c":"data:text/plain;base64,\#(base64(github))","d":"\#(Data((inner + String(repeating: " ", count: 90)).utf8).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed]).replacing("\n", with: "\\n"))"}"#,
                    answerHeaders: json),
                secrets: [
                    base64(inner).replacing("=", with: ""), base64(base64(inner)), base64(github), "eyJ1c2VyIjoi",
                ]),
            Case(
                testDescription: "user info of a URL",
                exchange: exchange(
                    "https://ann:\(word)@a.test/", answer: #"{"clone":"https://x:\#(word)@git.test/r.git"}"#,
                    answerHeaders: json + [("Location", "https://ann:\(word)@b.test/")]), secrets: [word]),
            Case(
                testDescription: "an AWS secret beside its identifier",
                exchange: exchange(
                    "https://a.test/",
                    answer: "AKIAIOSFODNN7EXAMPLE,wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n",
                    answerHeaders: [("Content-Type", "text/csv")]),
                secrets: ["AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI"]),
            Case(
                testDescription: "an AWS secret beside its identifier in JSON",
                exchange: exchange(
                    "https://a.test/",
                    answer: #"{"id":"AKIAIOSFODNN7EXAMPLE","value":"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}"#,
                    answerHeaders: json), secrets: ["AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI"]),
            Case(
                testDescription: "Azure signatures and connection strings",
                exchange: exchange(
                    "https://a.test/",
                    answer:
                        #"{"a":"SharedAccessSignature sr=x&sig=\#(word)%3D&se=1","b":"BlobEndpoint=https://b.test;SharedAccessSignature=sv=1&sig=\#(word)","c":"Endpoint=sb://x;SharedAccessKeyName=n;SharedAccessKey=Zm9vYmFyZm9vYmFyZm9vYmFy=;E=1"}"#,
                    answerHeaders: json), secrets: [word, "Zm9vYmFyZm9v"]),
            Case(testDescription: "a body kept coded for its digest", exchange: exact, secrets: [word]),
            Case(
                testDescription: "a key of JSON that is a token",
                exchange: exchange(
                    "https://a.test/", answer: #"{"keys":{"\#(github)":true,"n":"\#(jwt)"}}"#, answerHeaders: json),
                secrets: [github, jwt]),
            Case(testDescription: "trailers", exchange: trailing, secrets: [word, github, base64(inner)]),
            Case(
                testDescription: "failure messages", exchange: failed, secrets: [word, base64("ann:\(word)")]),
        ]
    }

    @Test(arguments: try cases())
    func nothingSecretIsStored(_ hidden: Case) {
        var ledger = RedactionLedger()
        let clean = Redactor.standard.redact(hidden.exchange, ledger: &ledger)
        var text = clean.everything + fields(clean.request.trailers)
        text += fields(clean.response.trailers) + octets(clean.response.body)
        for secret in hidden.secrets {
            #expect(everything(hidden.exchange).contains(secret), "the case must hold \(secret)")
            #expect(!text.contains(secret), "\(secret) is in \(text)")
        }
        #expect(text.contains("[REDACTED:"))
        var again = RedactionLedger(continuing: [clean])
        #expect(Redactor.standard.redact(clean, ledger: &again) == clean)
        #expect(Redactor.standard.findings(in: clean).isEmpty, "a scan finds nothing in what we wrote")
        let found = Redactor.standard.findings(in: hidden.exchange)
        #expect(!found.isEmpty && found.allSatisfy { !$0.rule.isEmpty })
        for secret in hidden.secrets { #expect(!"\(found)".contains(secret)) }
    }

    @Test(arguments: try cases())
    func nothingSecretIsSaidAboutAMiss(_ hidden: Case) throws {
        // Neither side is redacted here: the texts must not depend on the cassette being clean.
        var other = hidden.exchange
        other.request.url = "https://a.test/other"
        other.request.body = RecordedBody(.octets(ByteBuffer(string: #"{"blob":1}"#)))
        var playback = Playback(
            exchanges: [other, hidden.exchange], rules: try MatchRules.parse(list: "method,path,query,headers,body"))
        var body = IncomingBody.none
        if case .octets(let octets) = hidden.exchange.request.body.content { body = .octets(octets) }
        var headers = hidden.exchange.request.headers
        headers.append(name: "X-More", value: "1")
        let report = try #require(
            playback.miss(
                try IncomingRequest(
                    method: hidden.exchange.request.method, url: hidden.exchange.request.url, headers: headers,
                    body: body)))
        let text = report.text() + String(decoding: report.problemJSON(), as: UTF8.self)
        for secret in hidden.secrets { #expect(!text.contains(secret), "\(secret) is in \(text)") }
    }

    @Test func aTokenSplitAcrossChunksIsGone() {
        let answer = "data: {\"t\":\"x\"}\n\ndata: {\"delta\":\"\(SecretSuiteTests.github)\"}\n\ndata: [DONE]\n\n"
        for border in 1..<(answer.utf8.count - 1) {
            var recorded = exchange(
                "https://a.test/", answer: answer, answerHeaders: [("Content-Type", "text/event-stream")])
            var response = recorded.response
            response.chunks = [.init(at: 1, length: border), .init(at: 2, length: answer.utf8.count - border)]
            recorded.outcome = .response(response)
            var ledger = RedactionLedger()
            let clean = Redactor.standard.redact(recorded, ledger: &ledger).response
            #expect(!octets(clean.body).contains("0123456789abc"))
            #expect(clean.chunks.map(\.length).reduce(0, +) == clean.body.count)
        }
    }

    @Test func harmlessBase64StaysAsItIs() throws {
        let picture = Data((0..<300).map { UInt8(($0 * 7) & 255) }).base64EncodedString()
        let kept = [
            #"{"png":"\#(picture)"}"#, #"{"text":"\#(SecretSuiteTests.base64("just a sentence, nothing more"))"}"#,
            #"{"sha1":"da39a3ee5e6b4b0d3255bfef95601890afd80709","id":"AKIA"}"#,
            #"{"packed":"\#(try SecretSuiteTests.base64(gzip: "nothing to see here, move along"))"}"#,
            #"{"says":"Basic understanding of the SharedAccessSignature is needed"}"#,
        ]
        for text in kept {
            var ledger = RedactionLedger()
            let recorded = exchange(
                "https://a.test/", answer: text, answerHeaders: [("Content-Type", "application/json")])
            #expect(Redactor.standard.redact(recorded, ledger: &ledger) == recorded)
        }
    }

    @Test func aHidingPlaceWithoutEndIsLeftAlone() throws {
        var text = #"{"password":"x"}"#
        for _ in 0..<12 { text = try SecretSuiteTests.base64(gzip: text) }
        var ledger = RedactionLedger()
        let recorded = exchange("https://a.test/", answer: text)
        #expect(Redactor.standard.redact(recorded, ledger: &ledger) == recorded)
    }

    private func everything(_ exchange: Exchange) -> String {
        var exchange = exchange
        if !exchange.response.headers.values("content-encoding").isEmpty,
            case .octets(let coded) = exchange.response.body.content,
            let plain = try? ContentDecoder.decode(coded, codings: [.gzip])
        {
            var response = exchange.response
            response.body = RecordedBody(.octets(plain))
            exchange.outcome = .response(response)
        }
        return exchange.everything + fields(exchange.request.trailers) + fields(exchange.response.trailers)
    }
}
