import Foundation
import NIOCore
import PlayheadEngine
import PlayheadProxy
import Testing

@testable import PlayheadAdmin

@Suite(.timeLimit(.minutes(2))) struct SessionEndpointsTests {
    @Test func theDefaultSessionIsListed() async throws {
        try await TestAdmin.run { admin in
            let list = try #require(
                try await admin.object("GET", "/api/v1/sessions")["sessions"] as? [[String: Any]])
            #expect(list.count == 1)
            #expect(list[0]["id"] as? String == "default")
            #expect(list[0]["kind"] as? String == "default")
            let one = try await admin.object("GET", "/api/v1/sessions/default")
            #expect(one["mode"] as? String == "once")
            #expect(one["is_new"] as? Bool == true)
            #expect(one["port"] == nil)
            #expect(await admin.ask("GET", "/api/v1/sessions/other").status == 404)
            #expect(await admin.ask("DELETE", "/api/v1/sessions/default").status == 409)
            #expect(await admin.ask("POST", "/api/v1/sessions/default/mode", #"{"mode":"none"}"#).status == 409)
        }
    }

    @Test func aLeasedSessionHasItsOwnPortAndMode() async throws {
        try await TestAdmin.run { admin in
            let made = try await admin.object(
                "POST", "/api/v1/sessions",
                #"{"cassette":"one","mode":"none","rules":{"match":["method","path"],"repeats":"last"}}"#, status: 201)
            let id = try #require(made["id"] as? String)
            let port = try #require(made["port"] as? Int)
            #expect(made["proxy_url"] as? String == "http://127.0.0.1:\(port)")
            #expect(made["mode"] as? String == "none")

            // A request through the port misses in this session, and in no other.
            let client = try #require(AdminClient(url: "http://127.0.0.1:\(port)"))
            #expect(try await client.get("http://api.example.test/x").status == 501)
            #expect(Self.missed(try await admin.object("GET", "/api/v1/sessions/\(id)")) == 1)
            #expect(Self.missed(try await admin.object("GET", "/api/v1/sessions/default")) == 0)

            let changed = try await admin.object("POST", "/api/v1/sessions/\(id)/mode", #"{"mode":"passthrough"}"#)
            #expect(changed["mode"] as? String == "passthrough")
            #expect(changed["port"] as? Int == port)
            #expect(try await admin.object("POST", "/api/v1/sessions/\(id)/rewind")["id"] as? String == id)

            #expect(try await admin.object("DELETE", "/api/v1/sessions/\(id)")["missed"] as? Int == 0)
            #expect(await admin.ask("GET", "/api/v1/sessions/\(id)").status == 404)
            #expect(await admin.ask("DELETE", "/api/v1/sessions/\(id)").status == 404)
            await #expect(throws: AdminClient.Failure.self) { try await client.get("http://api.example.test/x") }
            // What came before the mode changed counts in the verdict.
            #expect(try admin.sessions.close().map(\.summary.missed).reduce(0, +) == 1)
        }
    }

    private static func missed(_ session: [String: Any]) -> Int? { (session["counts"] as? [String: Int])?["missed"] }

    @Test(arguments: [
        (#"{}"#, "cassette is missing"), (#"{"cassette":"../x"}"#, "cassette is not usable"),
        (#"{"cassette":"/etc/passwd"}"#, "cassette is not usable"), (#"{"cassette":1}"#, "must be a string"),
        (#"{"cassette":"a","mode":"never"}"#, "mode takes"), (#"{"cassette":"a","moed":"none"}"#, "moed is unknown"),
        (#"{"cassette":"a","rules":{"match":["colour"]}}"#, "rules.match"),
        (#"{"cassette":"a","rules":{"repeats":"often"}}"#, "rules.repeats"),
        (#"{"cassette":"a","rules":{"ignore_json":["$["]}}"#, "rules are not usable"), (#"[]"#, "JSON object"),
        (#"{"cassette":"a","cassette":"b"}"#, "twice"),
    ])
    func namesWhatIsWrong(_ body: String, _ reason: String) async throws {
        try await TestAdmin.run { admin in
            let answer = await admin.ask("POST", "/api/v1/sessions", body)
            #expect(answer.status == 422)
            #expect(String(buffer: answer.body).contains(reason), "\(String(buffer: answer.body))")
        }
    }

    /// Two recorders of one cassette would lose recordings; the second is refused.
    @Test func aCassetteThatIsBeingRecordedIsNotLeasedAgain() async throws {
        try await TestAdmin.run { admin in
            let body = #"{"cassette":"shared","mode":"all"}"#
            let first = try await admin.object("POST", "/api/v1/sessions", body, status: 201)
            #expect(await admin.ask("POST", "/api/v1/sessions", body).status == 409)
            #expect(await admin.ask("DELETE", "/api/v1/sessions/\(first["id"] ?? "")").status == 200)
            #expect(await admin.ask("POST", "/api/v1/sessions", body).status == 201)
        }
    }
}
