import Foundation
import NIOCore
import PlayheadEngine
import PlayheadProxy
import Testing

@testable import PlayheadAdmin

@Suite(.timeLimit(.minutes(2))) struct StagingEndpointsTests {
    @Test func aMockAnswersAndIsCounted() async throws {
        try await TestAdmin.run(.none) { admin in
            let set = try await admin.object(
                "PUT", "/api/v1/mocks",
                """
                {"mocks":[{"host":"*.test","path":"/users/{id}","status":201,"headers":{"X-Made":"up"},
                "json":{"name":"Ann"},"times":1}]}
                """)
            #expect((set["mocks"] as? [[String: Any]])?.first?["path"] as? String == "/users/{id}")
            let client = try #require(
                AdminClient(url: "http://127.0.0.1:\(admin.server.addresses[0].port ?? 0)"))
            let answer = try await client.get("http://a.test/users/7")
            #expect(answer.status == 201 && answer.text == #"{"name":"Ann"}"#)
            #expect(try await client.get("http://a.test/users/7").status == 501, "once was asked")
            let mocks = try await admin.object("GET", "/api/v1/mocks")["mocks"] as? [[String: Any]]
            #expect(mocks?.first?["hits"] as? Int == 1)
            let text = String(buffer: await admin.ask("GET", "/metrics").body)
            #expect(text.contains("playhead_mocked_total 1\n"))
            let list = try await admin.object("GET", "/api/v1/exchanges?outcome=mocked")["exchanges"]
            let mocked = try #require((list as? [[String: Any]])?.first)
            #expect(mocked["status"] as? Int == 201 && mocked["response_octets"] as? Int == 14)
            let place = "/api/v1/exchanges/\(try #require(mocked["number"] as? Int))"
            let details = try await admin.object("GET", place)
            let response = try #require(details["response"] as? [String: Any])
            #expect((response["body"] as? [String: Any])?["href"] as? String == place + "/body/response")
            let body = await admin.ask("GET", place + "/body/response")
            #expect(body.status == 200 && String(buffer: body.body) == #"{"name":"Ann"}"#)
            #expect(await admin.ask("GET", place + "/body/request").status == 404)
            #expect(try await admin.object("PUT", "/api/v1/mocks", #"{"mocks":[]}"#)["mocks"] as? [Int] == [])
        }
    }

    @Test func aFaultStrikesOneSessionOnly() async throws {
        try await TestAdmin.run(.none) { admin in
            let lease = try await admin.object(
                "POST", "/api/v1/sessions", #"{"cassette":"x","mode":"none"}"#, status: 201)
            let id = try #require(lease["id"] as? String)
            _ = try await admin.object(
                "PUT", "/api/v1/faults",
                #"{"faults":[{"session":"\#(id)","kind":"status","status":429},{"session":"x","kind":"hang"}]}"#)
            for (port, status) in [(lease["port"] as? Int ?? 0, 429), (admin.server.addresses[0].port ?? 0, 501)] {
                let client = try #require(AdminClient(url: "http://127.0.0.1:\(port)"))
                #expect(try await client.get("http://a.test/").status == status)
            }
            let faults = try await admin.object("GET", "/api/v1/faults")["faults"] as? [[String: Any]]
            #expect(faults?.map { $0["hits"] as? Int } == [1, 0])
            let text = String(buffer: await admin.ask("GET", "/metrics").body)
            #expect(text.contains("playhead_faults_total 1\n"))
        }
    }

    @Test(arguments: [
        ("mocks", "{}", "mocks is missing"), ("mocks", #"{"mocks":{}}"#, "must be an array"),
        ("mocks", #"{"mocks":[1]}"#, "mocks[0] must be a JSON object"),
        ("mocks", #"{"mocks":[{"statsu":200}]}"#, "mocks[0].statsu is unknown"),
        ("mocks", #"{"mocks":[{"status":99}]}"#, "200 to 999"),
        ("mocks", #"{"mocks":[{"status":101}]}"#, "200 to 999"),
        ("mocks", #"{"mocks":[{"status":204,"text":"x"}]}"#, "has no body"),
        ("mocks", #"{"mocks":[{"text":"x","base64":"eA=="}]}"#, "one body"),
        ("mocks", #"{"mocks":[{"base64":"?"}]}"#, "no base64"),
        ("mocks", #"{"mocks":[{"headers":{"a b":"x"}}]}"#, "no field name"),
        ("mocks", #"{"mocks":[{"headers":{"a":"x\r\nb: c"}}]}"#, "control"),
        ("mocks", #"{"mocks":[{"headers":{"Content-Length":"3"}}]}"#, "made by the proxy"),
        ("mocks", #"{"mocks":[{"headers":["a"]}]}"#, "object of strings"),
        ("mocks", #"{"mocks":[{"path":"users"}]}"#, "slash"),
        ("mocks", #"{"mocks":[{"host":"a b"}]}"#, "host"), ("mocks", #"{"mocks":[{"method":"G T"}]}"#, "no method"),
        ("mocks", #"{"mocks":[{"times":0}]}"#, "times"),
        ("faults", #"{"faults":[{}]}"#, "kind is missing"),
        ("faults", #"{"faults":[{"kind":"rain"}]}"#, "kind takes"),
        ("faults", #"{"faults":[{"kind":"delay"}]}"#, "delay_ms is missing"),
        ("faults", #"{"faults":[{"kind":"reset","status":503}]}"#, "belongs to"),
        ("faults", #"{"faults":[{"kind":"status","status":200}]}"#, "400 to 599"),
        ("faults", #"{"faults":[{"kind":"hang","probability":2}]}"#, "from 0 to 1"),
        ("faults", #"{"faults":[{"kind":"hang"},{"kind":"x"}]}"#, "faults[1]"),
    ])
    func namesWhatIsWrongAndKeepsWhatWas(_ kind: String, _ body: String, _ reason: String) async throws {
        try await TestAdmin.run { admin in
            let answer = await admin.ask("PUT", "/api/v1/\(kind)", body)
            #expect(answer.status == 422)
            #expect(String(buffer: answer.body).contains(reason), "\(String(buffer: answer.body))")
            #expect(admin.server.staged.mocks.isEmpty && admin.server.staged.faults.isEmpty)
        }
    }

    @Test func tooManyAreRefused() async throws {
        try await TestAdmin.run { admin in
            let items = Array(repeating: "{}", count: StagedRules.limit + 1).joined(separator: ",")
            #expect(await admin.ask("PUT", "/api/v1/mocks", "{\"mocks\":[\(items)]}").status == 422)
        }
    }
}
