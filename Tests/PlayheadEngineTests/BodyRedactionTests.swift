import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

struct BodyRedactionTests {
    private func clean(_ body: String, _ type: String? = "application/json") -> String {
        var ledger = RedactionLedger()
        let headers = type.map { [("Content-Type", $0)] } ?? []
        let recorded = exchange("https://a.test/", answer: body, answerHeaders: headers)
        return octets(Redactor.standard.redact(recorded, ledger: &ledger).response.body)
    }

    @Test func redactsJSONKeysAtAnyDepthAndKeepsAllOtherOctets() {
        #expect(
            clean(
                "{ \"a\" : [ {\"Password\":\"x\", \"n\": 1.50} ],\n \"client-secret\":\"\", \"apiKey\" : 12, \"id\":\"\\u0041\"}"
            )
                == "{ \"a\" : [ {\"Password\":\"[REDACTED:password#1]\", \"n\": 1.50} ],\n"
                + " \"client-secret\":\"\", \"apiKey\" : \"[REDACTED:api-key#2]\", \"id\":\"\\u0041\"}")
    }

    @Test func redactsAllStringsUnderASecretKey() {
        #expect(
            clean(#"{"credentials":{"user":"joe","keys":["a","b"],"ttl":3600,"ok":true}}"#)
                == #"{"credentials":{"user":"[REDACTED:credential#1]","keys":["[REDACTED:credential#2]","[REDACTED:credential#3]"],"ttl":3600,"ok":true}}"#
        )
    }

    @Test func knowsKeysByTheirEndings() {
        let text = clean(
            #"{"db_password":"x1","webhookSecret":"x2","aws_secret_access_key":"x3","next_page_token":"keep","max_tokens":5}"#
        )
        #expect(!text.contains("x1") && !text.contains("x2") && !text.contains("x3"))
        #expect(text.contains("keep") && text.contains("\"max_tokens\":5"))
    }

    @Test func readsJSONInsideStrings() {
        let text = clean(#"{"payload":"{\"user\":\"joe\",\"access_token\":\"hush\\\"er\"}"}"#)
        #expect(text == #"{"payload":"{\"user\":\"joe\",\"access_token\":\"[REDACTED:token#1]\"}"}"#)
    }

    @Test func redactsURLsAndTokensInsideStrings() {
        let text = clean(
            #"{"url":"https://s3.test/x?X-Amz-Credential=AAA&X-Amz-Signature=BBB","note":"use ghp_0123456789abcdefghij now"}"#
        )
        #expect(
            text
                == #"{"url":"https://s3.test/x?X-Amz-Credential=[REDACTED:credential#1]&X-Amz-Signature=[REDACTED:signature#2]","note":"use [REDACTED:github-token#3] now"}"#
        )
    }

    @Test func searchesEventsLinesAndBrokenJSONAsText() {
        #expect(
            clean("data: {\"access_token\": \"hush\", \"n\": 1}\n\n", "text/event-stream")
                == "data: {\"access_token\": \"[REDACTED:token#1]\", \"n\": 1}\n\n")
        #expect(!clean("{\"a\":1}\n{\"password\":\"hush\"}\n", "application/x-ndjson").contains("hush"))
        #expect(!clean(#"{"a":1,"password":"hush"#).contains("hush"))
        #expect(!clean(#"msg = "{\"password\": \"hu\\\"sh\", \"b\": 1}""#, "text/plain").contains("sh\\\","))
    }

    @Test func redactsXMLElements() {
        #expect(
            clean("<c:login><user>joe</user><c:Password type=\"t\">hush</c:Password></c:login>", "application/xml")
                == "<c:login><user>joe</user><c:Password type=\"t\">[REDACTED:password#1]</c:Password></c:login>")
    }

    @Test func redactsMultipartFields() {
        let body =
            "--B\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhush\r\n--B\r\n"
            + "Content-Disposition: form-data; name=\"meta\"\r\nContent-Type: application/json\r\n\r\n"
            + "{\"token\":\"hush2\",\"k\":1}\r\n--B--\r\n"
        let text = clean(body, "multipart/form-data; boundary=B")
        #expect(
            text
                == body.replacing("hush2", with: "[REDACTED:token#2]").replacing(
                    "\r\n\r\nhush\r\n", with: "\r\n\r\n[REDACTED:password#1]\r\n"))
    }

    /// A file may be called as it likes, and RFC 2046 allows any text before the first part and behind the last one.
    @Test func searchesWhatStandsAroundTheContentOfParts() {
        let token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"
        let body =
            "before \(token)\r\n--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"\(token).txt\"\r\n\r\nx\r\n"
            + "--B\r\nX-Note: \(token)\r\n\r\n\r\n--B--\r\nbehind \(token)"
        let text = clean(body, "multipart/form-data; boundary=B")
        #expect(text == body.replacing(token, with: "[REDACTED:github-token#1]"))
    }

    @Test func leavesPicturesAlone() {
        let body = "\u{1}ghp_0123456789abcdefghij"
        #expect(clean(body, "image/png") == body)
    }

    @Test func findsSecretsInFailuresAndTrailers() {
        var ledger = RedactionLedger()
        var recorded = exchange("https://a.test/")
        recorded.request.trailers = HeaderList([("X-Api-Key", "hush")])
        let partial = RecordedResponse(
            status: 200, body: RecordedBody(.octets(ByteBuffer(string: #"{"token":"hush","#))),
            trailers: HeaderList([("X-Auth-Token", "hush")]))
        recorded.outcome = .failure(
            RecordedFailure(kind: .reset, message: "GET https://a.test/?token=hush broke off", partial: partial))
        let clean = Redactor.standard.redact(recorded, ledger: &ledger)
        #expect(!"\(clean.everything)\(fields(clean.request.trailers))".contains("hush"))
        #expect(ledger.next == 2)
        #expect(ledger.findings["token"] == 3)
    }
}
