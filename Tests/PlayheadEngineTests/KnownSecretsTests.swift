import Foundation
import NIOCore
import PlayheadCassette
import PlayheadContent
import PlayheadHTTP
import Testing

@testable import PlayheadEngine

struct KnownSecretsTests {
    private static let value = #"pa ss/"w0rd"é+x"#

    private func secrets(_ value: String? = KnownSecretsTests.value) throws -> KnownSecrets {
        try KnownSecrets(names: ["API_KEY"], environment: value.map { ["API_KEY": $0] } ?? [:])
    }

    private var dressed: [String: String] {
        let value = KnownSecretsTests.value
        let percent = value.addingPercentEncoding(
            withAllowedCharacters: CharacterSet(
                charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"))
        return [
            "{{API_KEY}}": value, "{{API_KEY:percent}}": percent ?? "",
            "{{API_KEY:form}}": (percent ?? "").replacing("%20", with: "+"),
            "{{API_KEY:json}}": value.replacing("\"", with: "\\\""),
            "{{API_KEY:base64}}": Data(value.utf8).base64EncodedString(),
        ]
    }

    private func sample() -> Exchange {
        var recorded = exchange(
            "https://a.test/v/\(dressed["{{API_KEY:percent}}"] ?? "")?q=\(dressed["{{API_KEY:form}}"] ?? "")",
            method: "POST",
            headers: [("X-Mine", "key \(KnownSecretsTests.value)"), ("X-Coded", dressed["{{API_KEY:base64}}"] ?? "")],
            body: #"{"k":"\#(dressed["{{API_KEY:json}}"] ?? "")","n":1}"#,
            answer: "data: \(KnownSecretsTests.value)\n\ndata: end\n\n",
            answerHeaders: [("X-Echo", KnownSecretsTests.value)])
        var response = recorded.response
        response.chunks = [.init(at: 1, length: 12), .init(at: 2, length: octets(response.body).utf8.count - 12)]
        recorded.outcome = .response(response)
        return recorded
    }

    @Test func hidesAValueInEveryDressAndPutsItBack() throws {
        let secrets = try self.secrets()
        var ledger = RedactionLedger()
        let stored = Redactor.standard.hiding(secrets).redact(sample(), ledger: &ledger)
        for (mark, text) in dressed {
            #expect(!stored.everything.contains(text), "\(text)")
            #expect(stored.everything.contains(mark), "\(mark) in \(stored.everything)")
        }
        #expect(!stored.everything.contains("[REDACTED:"))
        #expect(octets(stored.request.body) == #"{"k":"{{API_KEY:json}}","n":1}"#)
        #expect(stored.response.chunks.map(\.length).reduce(0, +) == stored.response.body.count)
        let back = secrets.restored(stored)
        #expect(back.request == sample().request)
        #expect(back.response.body == sample().response.body)
        #expect(back.response.headers == sample().response.headers)
        #expect(back.response.chunks.map(\.length).reduce(0, +) == back.response.body.count)
    }

    @Test(arguments: [
        ("pa%20ss%2f%22w0rd%22%c3%a9%2bx", "percent"), ("pa%20ss/%22w0rd%22%C3%A9%2Bx", "percent"),
        ("%70a%20ss/\"w0rd\"é+x", "percent"), ("pa+ss%2F%22w0rd%22é%2Bx", "form"), ("pa+ss/\"w0rd\"é+x", "form"),
        (#"pa ss\/\"w0rd\"\u00e9+x"#, "json"), (#"pa ss/\u0022w0rd\u0022\u00E9\u002bx"#, "json"),
    ])
    func hidesAValueWhicheverOfItsCharactersAreEscaped(spelled: String, dress: String) throws {
        let secrets = try self.secrets()
        let text = "before \(spelled) % \\ after, \(spelled)"
        #expect(secrets.name(in: Array(text.utf8)) == "API_KEY")
        let clean = TextEdit.apply(secrets.edits(in: Array(text.utf8)), to: Array(text.utf8))
        let mark = "{{API_KEY:\(dress)}}"
        #expect(String(decoding: clean, as: UTF8.self) == "before \(mark) % \\ after, \(mark)")
    }

    @Test func anEscapeThatIsCutOffIsNoSecret() throws {
        let secrets = try KnownSecrets(names: ["A"], environment: ["A": "a/😀b"])
        #expect(!secrets.edits(in: Array(#"a\/\ud83d\ude00b"#.utf8)).isEmpty)
        for text in ["a%2", "a%", "a\\", #"a\/\ud83d"#, #"a\/\ud83d\u"#, #"a\/\ud83dxxxxxxb"#, "a%2F%F0%9F%98%80"] {
            #expect(secrets.edits(in: Array(text.utf8)).isEmpty, "\(text)")
        }
    }

    @Test func anotherValueAtReplayMatchesAndComesBack() throws {
        var ledger = RedactionLedger()
        let stored = Redactor.standard.hiding(try secrets("first-key-1")).redact(
            exchange("https://a.test/?k=first-key-1", answer: #"{"echo":"first-key-1"}"#), ledger: &ledger)
        #expect(stored.request.url == "https://a.test/?k={{API_KEY}}")
        var playback = Playback(exchanges: [try secrets("second key").restored(stored)], rules: .standard)
        #expect(playback.position(try request("https://a.test/?k=first-key-1")) == nil)
        #expect(playback.position(try request("https://a.test/?k=second%20key")) == 0)
        #expect(octets(playback.exchanges[0].response.body) == #"{"echo":"second key"}"#)
    }

    @Test func withoutTheVariableAnyValueMatches() throws {
        let unset = try secrets(nil)
        #expect(unset.unset == ["API_KEY"])
        let stored = exchange("https://a.test/?k={{API_KEY}}&n=1", answer: "{{API_KEY}} {{OTHER}}")
        var playback = Playback(exchanges: [unset.restored(stored)], rules: .standard)
        #expect(playback.position(try request("https://a.test/?k=anything&n=2")) == nil)
        #expect(playback.position(try request("https://a.test/?k=anything&n=1")) == 0)
        #expect(octets(playback.exchanges[0].response.body) == "{{API_KEY}} {{OTHER}}")
    }

    @Test func theValueStandsInForTheRuleThatWouldFindIt() throws {
        var ledger = RedactionLedger()
        let stored = Redactor.standard.hiding(try secrets("sk-proj-0123456789abcdefghij")).redact(
            exchange(
                "https://a.test/?token=sk-proj-0123456789abcdefghij",
                headers: [
                    ("Authorization", "Bearer sk-proj-0123456789abcdefghij"),
                    ("Cookie", "a=sk-proj-0123456789abcdefghij"),
                ],
                answer: #"{"password":"sk-proj-0123456789abcdefghij","text":"k=sk-proj-0123456789abcdefghij;"}"#),
            ledger: &ledger)
        #expect(stored.request.url == "https://a.test/?token={{API_KEY}}")
        #expect(stored.request.headers.first("authorization") == "Bearer {{API_KEY}}")
        #expect(stored.request.headers.first("cookie") == "a={{API_KEY}}")
        #expect(octets(stored.response.body) == #"{"password":"{{API_KEY}}","text":"k={{API_KEY}};"}"#)
    }

    @Test func aValueInsideBase64IsRedacted() throws {
        let packed = Data("user:plain-secret-9:x".utf8).base64EncodedString()
        var ledger = RedactionLedger()
        let stored = Redactor.standard.hiding(try secrets("plain-secret-9")).redact(
            exchange("https://a.test/", answer: #"{"b":"\#(packed)"}"#), ledger: &ledger)
        #expect(octets(stored.response.body) == ##"{"b":"[REDACTED:API_KEY#1]"}"##)
    }

    @Test func aBodyKeptCodedForItsDigestIsDecoded() throws {
        var recorded = exchange(
            "https://a.test/", answerHeaders: [("Content-Encoding", "gzip"), ("Digest", "sha-256=x")])
        var response = recorded.response
        response.body = RecordedBody(
            .octets(try ContentEncoder.encode(ByteBuffer(string: "v=plain-secret-9"), codings: [.gzip])))
        recorded.outcome = .response(response)
        var ledger = RedactionLedger()
        let stored = Redactor.standard.hiding(try secrets("plain-secret-9")).redact(recorded, ledger: &ledger).response
        #expect(octets(stored.body) == "v={{API_KEY}}")
        #expect(stored.body.coding == ["gzip"])
    }

    @Test func missTextsAndLogsDoNotNameTheValue() throws {
        let secrets = try self.secrets("plain-secret-9")
        let redactor = Redactor.standard.hiding(secrets)
        var playback = Playback(
            exchanges: [exchange("https://a.test/plain-secret-9/x?v=plain-secret-9")], rules: .standard,
            redactor: redactor)
        let report = try #require(playback.miss(try request("https://a.test/plain-secret-9/y?v=1plain-secret-9")))
        #expect(!report.text().contains("plain-secret-9"))
        #expect(report.text().contains("{{API_KEY}}"))
        #expect(!redactor.logURL("https://a.test/plain-secret-9").contains("plain-secret-9"))
        #expect(!redactor.maskText("x plain-secret-9").contains("plain-secret-9"))
        #expect(!"\(redactor.redact(try request("https://a.test/plain-secret-9")).url)".contains("plain-secret-9"))
    }

    @Test func refusesNamesThatAreNone() throws {
        for bad in ["", "A-B", "1A", "A B", "{{A}}"] {
            #expect(throws: EngineError.self) { try KnownSecrets(names: [bad], environment: [:]) }
        }
        let short = try secrets("abc")
        #expect(short.tooShort == ["API_KEY"])
        var ledger = RedactionLedger()
        let recorded = exchange("https://a.test/abc")
        #expect(Redactor.standard.hiding(short).redact(recorded, ledger: &ledger) == recorded)
    }
}
