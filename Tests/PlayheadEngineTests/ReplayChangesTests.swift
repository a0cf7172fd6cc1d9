import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

/// What is changed in each answer: echoes, dates, templates.
struct ReplayChangesTests {
    private let now = Timestamp(milliseconds: 1_700_000_000_123)

    private func answer(
        _ changes: ReplayChanges, _ recorded: Exchange, _ request: IncomingRequest, random: [UInt64] = []
    ) -> RecordedResponse {
        var values = random[...]
        return changes.applied(to: recorded, for: request, now: self.now, random: { values.popFirst() ?? 0 }).response
    }

    private func body(_ response: RecordedResponse) -> String { octets(response.body) }

    // MARK: echo

    @Test func mirrorsTheValuesThatTheUserNamed() throws {
        let recorded = exchange(
            "https://a.test/x?nonce=n1&page=2", method: "POST", headers: [("X-Request-Id", "req-old")],
            body: #"{"order":{"id":7,"ref":"r-1"},"page":2}"#,
            answer: #"{"id":7,"ids":[70,7],"page":2,"text":"n1 is not n12, req-old"}"#,
            answerHeaders: [("X-Request-Id", "req-old"), ("Content-Type", "application/json")])
        let changes = ReplayChanges(echo: try ValueEcho(["NONCE", "x-request-id", "$.order.id"]))
        let response = self.answer(
            changes, recorded,
            try request(
                "https://a.test/x?page=3&nonce=n\"9", method: "POST", headers: [("x-request-id", "req-new")],
                body: #"{"order":{"id":"A7","ref":"r-2"},"page":3}"#))
        #expect(self.body(response) == #"{"id":"A7","ids":[70,"A7"],"page":2,"text":"n\"9 is not n12, req-new"}"#)
        #expect(response.headers.first("x-request-id") == "req-new")
    }

    @Test func allMeansLongValuesOnly() throws {
        let recorded = exchange(
            "https://a.test/x?id=12345678&n=2", answer: "id 12345678, n 2", answerHeaders: [("Location", "/x/12345678")]
        )
        let response = self.answer(
            ReplayChanges(echo: try ValueEcho(["all"])), recorded, try request("https://a.test/x?id=87654321&n=3"))
        #expect(self.body(response) == "id 87654321, n 2")
        #expect(response.headers.first("location") == "/x/87654321")
    }

    @Test func aRedactedValueComesBackAsTheLiveOne() throws {
        let recorded = exchange(
            "https://a.test/x", headers: [("X-Nonce", "[REDACTED:token#3]")], answer: "nonce=[REDACTED:token#3]!")
        let response = self.answer(
            ReplayChanges(echo: try ValueEcho(["x-nonce"])), recorded,
            try request("https://a.test/x", headers: [("X-Nonce", "live")]))
        #expect(self.body(response) == "nonce=live!")
    }

    @Test func echoesFormsAndNothingThatIsEqual() throws {
        let recorded = exchange(
            "https://a.test/x", method: "POST", headers: [("Content-Type", "application/x-www-form-urlencoded")],
            body: "key=old+key&same=equal-value", answer: "old key, equal-value")
        let response = self.answer(
            ReplayChanges(echo: try ValueEcho(["key", "same"])), recorded,
            try request(
                "https://a.test/x", method: "POST", headers: [("Content-Type", "application/x-www-form-urlencoded")],
                body: "same=equal-value&key=new%20key"))
        #expect(self.body(response) == "new key, equal-value")
    }

    // MARK: dates

    @Test func shiftsDatesByTheAgeOfTheRecording() {
        let recorded = exchange(
            "https://a.test/x",
            answerHeaders: [
                ("Date", "Thu, 01 Jan 2015 00:00:00 GMT"), ("Last-Modified", "Wed, 31 Dec 2014 00:00:00 GMT"),
                ("Expires", "Thu, 01 Jan 2015 01:00:00 GMT"), ("Retry-After", "120"),
                ("Set-Cookie", "a=1; Expires=Fri, 02-Jan-2015 00:00:00 GMT; Path=/"),
                ("Set-Cookie", "gone=; expires=Thu, 01 Jan 1970 00:00:00 GMT"),
                ("X-Date", "Thu, 01 Jan 2015 00:00:00 GMT"),
            ], at: 1_420_070_400_000)
        // 279,929,600 s later.
        let response = self.answer(ReplayChanges(refreshesDates: true), recorded, recorded.asked)
        #expect(
            fields(response.headers) == """
                Date: Tue, 14 Nov 2023 22:13:20 GMT
                Last-Modified: Mon, 13 Nov 2023 22:13:20 GMT
                Expires: Tue, 14 Nov 2023 23:13:20 GMT
                Retry-After: 120
                Set-Cookie: a=1; Expires=Wed, 15 Nov 2023 22:13:20 GMT; Path=/
                Set-Cookie: gone=; expires=Thu, 01 Jan 1970 00:00:00 GMT
                X-Date: Thu, 01 Jan 2015 00:00:00 GMT
                """)
    }

    @Test func survivesAnyTime() {
        let recorded = exchange(
            "https://a.test/x", answerHeaders: [("Date", "Fri, 31 Dec 9999 23:59:59 GMT"), ("Expires", "0")], at: .min)
        #expect(self.answer(ReplayChanges(refreshesDates: true), recorded, recorded.asked) == recorded.response)
    }

    // MARK: templates

    private func filled(_ text: String, _ request: IncomingRequest, random: [UInt64] = []) -> String {
        let templates = Templates(
            allowing: ["USER_NAME", "UNSET"], environment: ["USER_NAME": "ann", "HOME": "/root"])
        return self.body(
            self.answer(
                ReplayChanges(templates: templates), exchange("https://a.test/", answer: text), request, random: random)
        )
    }

    @Test func fillsInWhatTheRequestHas() throws {
        let request = try request(
            "https://a.test/users/a%20b+c/7?name=J%C3%B6rg+X&name=other", headers: [("X-Id", "id 1")],
            body: #"{"a":{"b":[1.50,"two"]}}"#)
        #expect(
            self.filled(
                "{{request.query.name}}|{{ request.header.x-id }}|{{request.path.1}}|{{request.path.9}}", request)
                == "Jörg X|id 1|a b+c|")
        #expect(
            self.filled("{{request.json.a.b.1}} {{request.json.a.b}} {{request.json.x}}", request)
                == #"two [1.5,"two"] "#)
    }

    @Test func fillsInTimeRandomnessAndAllowedVariables() throws {
        let request = try request("https://a.test/")
        #expect(
            self.filled("{{now}} {{now.unix}} {{now.http}}", request)
                == "2023-11-14T22:13:20.123Z 1700000000 Tue, 14 Nov 2023 22:13:20 GMT")
        #expect(
            self.filled("{{uuid}} {{uuid}}", request, random: [.max, .max, 0, 0])
                == "ffffffff-ffff-4fff-bfff-ffffffffffff 00000000-0000-4000-8000-000000000000")
        #expect(self.filled("{{env.USER_NAME}} {{env.UNSET}} {{env.HOME}}", request) == "ann  {{env.HOME}}")
    }

    @Test func writesJSONWhereJSONStands() throws {
        let request = try request("https://a.test/?q=a%22b%0A", body: #"{"n":12,"s":"x\"y","o":{"k":null}}"#)
        let text =
            #"{"n": {{request.json.n}}, "s": {{request.json.s}}, "o": {{request.json.o}}, "#
            + #""t": "\"{{request.query.q}} {{request.json.n}}", "q": {{request.query.q}}, "m": {{request.json.zz}}}"#
        #expect(
            self.filled(text, request)
                == #"{"n": 12, "s": "x\"y", "o": {"k":null}, "t": "\"a\"b\n 12", "q": "a\"b\n", "m": null}"#)
    }

    @Test(arguments: [
        "{{", "{{}}", "{{ }}", "{{unknown}}", "{{request}}", "{{request.query}}", "{{request.path.x}}",
        "{{request.path.-1}}",
        "{{now.later}}", "{{env}}", "{{request.query.a", "{now}", "{{{not.one}}}",
    ])
    func leavesWhatIsNoTemplate(_ text: String) throws {
        #expect(self.filled(text, try request("https://a.test/?=1")) == text)
    }

    @Test func whatIsFilledInIsNoTemplate() throws {
        #expect(self.filled("{{request.query.a}}", try request("https://a.test/?a=%7B%7Bnow%7D%7D")) == "{{now}}")
    }

    @Test func fillsHeadersAndCannotBreakOutOfThem() throws {
        let recorded = exchange("https://a.test/", answer: "", answerHeaders: [("X-Name", "<{{request.query.a}}>")])
        let response = self.answer(
            ReplayChanges(templates: Templates()), recorded, try request("https://a.test/?a=1%0D%0AX-Evil:%202"))
        #expect(fields(response.headers) == "X-Name: <1  X-Evil: 2>")
    }
}

extension Exchange {
    /// The request that it was recorded from.
    fileprivate var asked: IncomingRequest {
        IncomingRequest(method: self.request.method, scheme: "https", host: "a.test", port: 443, pathAndQuery: "/x")
    }
}
