import Foundation
import PlayheadCassette
import PlayheadEngine
import Testing

struct MissReportTests {
    private func miss(
        _ exchanges: [Exchange], _ wanted: IncomingRequest, list: String = "default",
        context: MissContext = MissContext(cassette: "checkout", mode: .none)
    ) throws -> MissReport {
        let rules = try MatchRules.parse(list: list)
        var playback = Playback(exchanges: exchanges, rules: rules, context: context)
        let report = playback.miss(wanted)
        return try #require(report)
    }

    @Test func namesTheNearestRecordingAndTheDifferingPart() throws {
        var report = try miss(
            [
                exchange("https://other.test/"), exchange("https://a.test/users?date=2024-01-01&page=1", id: "users-1"),
                exchange("https://a.test/users?date=2024-01-01&page=7"),
            ],
            request("https://a.test/users?date=2024-01-02&page=1"))
        report.id = "m-1"
        #expect(report.reason == .noMatch)
        #expect(report.nearest.first?.exchange == "users-1")
        #expect(report.nearest.first?.number == 2)
        #expect(report.suggestedRule == "--ignore-query date")
        #expect(
            report.text() == """
                miss m-1: GET https://a.test/users?date=2024-01-02&page=1
                  none of the 3 recordings in "checkout" matches; mode none never goes upstream
                  nearest: recording 2 (users-1) GET https://a.test/users?date=2024-01-01&page=1
                    query date: recorded "2024-01-01", requested "2024-01-02"
                  it would match with: --ignore-query date
                  to record it: playhead run --cassette checkout --mode new_episodes -- COMMAND

                """)
    }

    @Test func namesHeaderJSONFormAndMethod() throws {
        let recorded = exchange(
            "https://a.test/x", method: "POST",
            headers: [("Accept", "text/html"), ("Content-Type", "application/json")],
            body: #"{"user":{"id":1},"list":[1,2]}"#)
        let wanted = try request(
            "https://a.test/x", method: "PUT",
            headers: [("Accept", "text/plain"), ("Content-Type", "application/json")],
            body: #"{"user":{"id":2},"list":[1]}"#)
        let report = try miss([recorded], wanted, list: "method,path,headers(accept),body")
        let sentences = report.nearest.first?.differences.map(\.sentence)
        #expect(
            sentences == [
                "method: recorded \"POST\", requested \"PUT\"",
                "header accept: recorded \"text/html\", requested \"text/plain\"",
                "body $.user.id: recorded \"1\", requested \"2\"", "body $.list[1]: recorded \"2\", not in the request",
            ])
        #expect(report.nearest.first?.passed == 1)
        #expect(report.suggestedRule == nil)
    }

    @Test func suggestsRulesForHeadersJSONAndPorts() throws {
        let type = ("Content-Type", "application/json")
        let recorded = exchange("http://a.test:81/", method: "POST", headers: [("X-A", "1"), type], body: #"{"at":1}"#)
        let wanted = try request(
            "http://a.test:82/", method: "POST", headers: [("X-A", "2"), type], body: #"{"at":2}"#)
        let report = try miss([recorded], wanted, list: "method,port,path,headers,body")
        #expect(report.suggestedRule == "--ignore-header x-a --ignore-json '$.at' --match method,path,headers,body")
    }

    @Test func suggestsRulesForFormFieldsAndParts() throws {
        func report(_ type: String, _ recorded: String, _ wanted: String) throws -> MissReport {
            let headers = [("Content-Type", type)]
            return try miss(
                [exchange("https://a.test/", method: "POST", headers: headers, body: recorded)],
                try request("https://a.test/", method: "POST", headers: headers, body: wanted), list: "path,body")
        }
        let form = try report("application/x-www-form-urlencoded", "a=1&nonce=1", "a=1&nonce=2")
        #expect(form.suggestedRule == "--ignore-form nonce")
        func part(_ value: String) -> String {
            "--x\r\nContent-Disposition: form-data; name=\"the id\"\r\n\r\n\(value)\r\n--x--\r\n"
        }
        let parts = try report("multipart/form-data; boundary=x", part("1"), part("2"))
        #expect(parts.suggestedRule == "--ignore-form 'the id'")
    }

    @Test func showsNoSecretOfEitherSide() throws {
        let recorded = exchange(
            "https://u:hushRec@a.test/x?token=hushRec&d=1", method: "POST",
            headers: [
                ("Authorization", "Bearer hushRec"), ("Cookie", "sid=hushRec"), ("Content-Type", "application/json"),
            ],
            body: #"{"password":"hushRec","deep":{"api_key":"hushRec"},"a":[{"credentials":{"x":"hushRec"}}]}"#)
        let wanted = try request(
            "https://u:hushReq@a.test/x?token=hushReq&d=2", method: "POST",
            headers: [
                ("Authorization", "Bearer hushReq"), ("Cookie", "sid=hushReq"), ("Content-Type", "application/json"),
            ],
            body:
                #"{"password":"hushReq","deep":{"api_key":"hushReq","more":{"secret":"hushReq"}},"a":[{"credentials":{"x":"hushReq"}}],"b":"{\"token\":\"hushReq\"}"}"#
        )
        let report = try miss([recorded], wanted, list: "method,scheme,host,port,path,query,headers,body")
        let everything = report.text() + String(decoding: report.problemJSON(), as: UTF8.self)
        #expect((report.nearest.first?.differences.count ?? 0) >= 7)
        #expect(!everything.contains("hush"))
        #expect(everything.contains("[REDACTED:"))
    }

    @Test func problemJSONIsJSON() throws {
        let report = try miss(
            [exchange("https://a.test/\"x\"?q=\u{1}\n")], request("https://a.test/y?q=\"\\\t"),
            context: MissContext(cassette: "it's", mode: .once))
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(report.problemJSON(status: 501))) as? [String: Any])
        #expect(object["status"] as? Int == 501)
        #expect(object["reason"] as? String == "no_match")
        #expect((object["nearest"] as? [Any])?.count == 1)
        #expect(
            object["record_command"] as? String == #"playhead run --cassette 'it'\''s' --mode new_episodes -- COMMAND"#)
        #expect(!report.text().contains("\u{1}"))
    }

    @Test func findsTheNearestAmongAHundredThousandWithBoundedWork() throws {
        var exchanges = (0..<100_000).map { exchange("https://h\($0 % 100).test/p\($0)", id: "\($0)") }
        exchanges.append(exchange("https://a.test/users?page=1", id: "wanted"))
        let report = try miss(exchanges, request("https://a.test/users?page=2"))
        #expect(report.nearest.first?.exchange == "wanted")
    }
}
