import Foundation
import NIOCore
import PlayheadEngine
import PlayheadHTTP
import PlayheadProxy
import Testing

@testable import PlayheadAdmin

@Suite(.timeLimit(.minutes(2))) struct ExchangeEndpointsTests {
    private static let cassette = """
        playhead: 1
        recorded_with: playhead test
        exchanges:
        - id: '1'
          recorded_at: 2026-01-01T00:00:00.000Z
          request:
            method: GET
            url: http://a.test/x?api_key=sk-0123456789abcdef0123456789abcdef
            headers:
            - [Authorization, Bearer abcdefghijklmnop]
          response:
            status: 200
            headers:
            - [Content-Type, text/html]
            body: <b>hello</b>

        """

    /// Plays the recording once and asks once for what is not there.
    private static func run(_ body: (TestAdmin) async throws -> Void) async throws {
        try await TestAdmin.run(.none, cassette: self.cassette) { admin in
            let client = try #require(
                AdminClient(url: "http://127.0.0.1:\(admin.server.addresses[0].port ?? 0)"))
            let url = "http://a.test/x?api_key=sk-0123456789abcdef0123456789abcdef"
            #expect(try await client.get(url).text == "<b>hello</b>")
            #expect(try await client.get("http://b.test/none").status == 501)
            try await body(admin)
        }
    }

    private static func list(_ admin: TestAdmin, _ query: String = "") async throws -> [[String: Any]] {
        try #require(try await admin.object("GET", "/api/v1/exchanges\(query)")["exchanges"] as? [[String: Any]])
    }

    @Test func liveExchangesAreListedAndFiltered() async throws {
        try await Self.run { admin in
            let all = try await Self.list(admin)
            #expect(all.map { $0["outcome"] as? String } == ["replayed", "missed"])
            #expect(all.map { $0["number"] as? Int } == [1, 2])
            #expect(all[0]["status"] as? Int == 200 && all[0]["session"] as? String == "default")
            #expect(all[1]["miss"] as? String == "1")
            #expect(!"\(all)".contains("0123456789abcdef"))
            for (query, numbers) in [
                ("?outcome=missed", [2]), ("?url=a.test", [1]), ("?method=POST", []), ("?session=default", [1, 2]),
                ("?session=other", []), ("?after=1", [2]), ("?limit=1", [1]),
            ] {
                #expect(try await Self.list(admin, query).map { $0["number"] as? Int } == numbers, "\(query)")
            }
            #expect(try await admin.object("GET", "/api/v1/exchanges?limit=1")["next"] as? Int == 1)
            #expect(try await admin.object("GET", "/api/v1/exchanges?limit=2")["next"] == nil)
            #expect(await admin.ask("GET", "/api/v1/exchanges?outcome=lost").status == 400)
            #expect(await admin.ask("GET", "/api/v1/exchanges?limit=x").status == 400)
        }
    }

    @Test func oneIsShownWithItsMessages() async throws {
        try await Self.run { admin in
            let hit = try await admin.object("GET", "/api/v1/exchanges/1")
            let response = try #require(hit["response"] as? [String: Any])
            #expect(response["headers"] as? [[String]] == [["Content-Type", "text/html"]])
            #expect((response["body"] as? [String: Any])?["octets"] as? Int == 12)
            let request = try #require(hit["request"] as? [String: Any])
            #expect(request["body"] == nil)
            #expect(!"\(request)".contains("abcdefghijklmnop"), "a secret in a cassette is masked too")
            let miss = try await admin.object("GET", "/api/v1/exchanges/2")
            #expect((miss["report"] as? [String: Any])?["reason"] as? String == "no_match")
            for number in ["0", "3", "-1", "x", "99999999999999999999"] {
                #expect(await admin.ask("GET", "/api/v1/exchanges/\(number)").status == 404)
            }
        }
    }

    /// A hostile page in a recording is never a page here.
    @Test func aBodyIsPlainText() async throws {
        try await Self.run { admin in
            let answer = await admin.ask("GET", "/api/v1/exchanges/1/body/response")
            #expect(answer.status == 200 && String(buffer: answer.body) == "<b>hello</b>")
            #expect(answer.headers.first("content-type") == "text/plain; charset=utf-8")
            #expect(answer.headers.first("x-content-type-options") == "nosniff")
            #expect(answer.headers.first("content-security-policy")?.contains("sandbox") == true)
            for path in ["1/body/request", "2/body/response", "1/body/other", "9/body/response"] {
                #expect(await admin.ask("GET", "/api/v1/exchanges/\(path)").status == 404, "\(path)")
            }
        }
    }

    @Test func whatIsNoTextIsAFile() async throws {
        let binary = Self.cassette.replacing("text/html", with: "image/png")
        try await TestAdmin.run(.none, cassette: binary) { admin in
            let client = try #require(
                AdminClient(url: "http://127.0.0.1:\(admin.server.addresses[0].port ?? 0)"))
            _ = try await client.get("http://a.test/x?api_key=sk-0123456789abcdef0123456789abcdef")
            let answer = await admin.ask("GET", "/api/v1/exchanges/1/body/response")
            #expect(answer.headers.first("content-type") == "application/octet-stream")
            #expect(answer.headers.first("content-disposition")?.hasPrefix("attachment") == true)
        }
    }
}
