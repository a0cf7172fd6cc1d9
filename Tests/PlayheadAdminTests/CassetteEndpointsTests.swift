import Foundation
import NIOCore
import PlayheadEngine
import PlayheadProxy
import Testing

@testable import PlayheadAdmin

@Suite(.timeLimit(.minutes(2))) struct CassetteEndpointsTests {
    private static let cassette = """
        playhead: 1
        recorded_with: playhead test
        exchanges:
        - id: '1'
          recorded_at: 2026-01-01T00:00:00.000Z
          request:
            method: GET
            url: https://a.test/x?api_key=sk-0123456789abcdef0123456789abcdef
            headers: []
          response:
            status: 200
            headers: []
        - id: '2'
          recorded_at: 2026-01-01T00:00:01.000Z
          request:
            method: POST
            url: https://a.test/y
            headers: []
          failure:
            kind: refused
            message: nothing listens there

        """

    @Test func aCassetteIsShownPageByPageWithSecretsMasked() async throws {
        try await TestAdmin.run { admin in
            try FileManager.default.createDirectory(atPath: admin.folder + "/a", withIntermediateDirectories: true)
            try Self.cassette.write(toFile: admin.folder + "/a/b.yaml", atomically: true, encoding: .utf8)
            let first = try await admin.object("GET", "/api/v1/cassettes/a%2Fb?limit=1")
            #expect(first["count"] as? Int == 2)
            #expect(first["next"] as? Int == 1)
            let shown = try #require((first["exchanges"] as? [[String: Any]])?.first)
            #expect(shown["status"] as? Int == 200)
            #expect((shown["url"] as? String)?.contains("0123456789abcdef") == false)
            let second = try await admin.object("GET", "/api/v1/cassettes/a%2Fb?after=1")
            #expect((second["exchanges"] as? [[String: Any]])?.first?["failure"] as? String == "refused")
            #expect(second["next"] == nil)
            #expect(await admin.ask("GET", "/api/v1/cassettes/a%2Fb?limit=0").status == 400)
        }
    }

    /// No name leads out of the cassettes folder, whatever it is made of.
    @Test(arguments: [
        "..%2f..%2fetc%2fpasswd", "..%2F", "%2e%2e%2fsecret", "..", "%2Fetc%2Fpasswd", "a%2f..%2f..%2fsecret",
        "secret%00",
        "..%5c..%5csecret", ".hidden", "%252e%252e%252fsecret", "link",
    ])
    func noPathLeadsOutOfTheFolder(_ name: String) async throws {
        try await TestAdmin.run { admin in
            let outside = admin.folder + "-outside.yaml"
            try Self.cassette.write(toFile: outside, atomically: true, encoding: .utf8)
            try FileManager.default.createSymbolicLink(
                atPath: admin.folder + "/link.yaml", withDestinationPath: outside)
            defer { try? FileManager.default.removeItem(atPath: outside) }
            let answer = await admin.ask("GET", "/api/v1/cassettes/\(name)")
            #expect([404, 409].contains(answer.status), "\(answer.status)")
            #expect(!String(buffer: answer.body).contains("a.test"))
        }
    }

    @Test func aBrokenCassetteIsToldApartFromNone() async throws {
        try await TestAdmin.run { admin in
            try "playhead: [".write(toFile: admin.folder + "/bad.yaml", atomically: true, encoding: .utf8)
            #expect(await admin.ask("GET", "/api/v1/cassettes/bad").status == 409)
            #expect(await admin.ask("GET", "/api/v1/cassettes/none").status == 404)
            let list = try await admin.object("GET", "/api/v1/cassettes")["cassettes"] as? [[String: Any]]
            #expect(list?.map { $0["name"] as? String } == ["listed"])
        }
    }

    @Test func theReportCountsSecretsWhenAsked() async throws {
        try await TestAdmin.run(.none, cassette: Self.cassette) { admin in
            let plain = try await admin.object("GET", "/api/v1/report")
            let scanned = try await admin.object("GET", "/api/v1/report?secrets=true")
            #expect(plain["secrets"] == nil && scanned["secrets"] as? Int == 1)
            #expect(await admin.ask("GET", "/api/v1/report?secrets=maybe").status == 400)
        }
    }

    @Test func missesAndTheReportCoverEverySession() async throws {
        try await TestAdmin.run(.none) { admin in
            let lease = try await admin.object(
                "POST", "/api/v1/sessions", #"{"cassette":"x","mode":"none"}"#, status: 201)
            let port = try #require(lease["port"] as? Int)
            for place in [port, admin.server.addresses[0].port ?? 0] {
                let client = try #require(AdminClient(url: "http://127.0.0.1:\(place)"))
                #expect(try await client.get("http://a.test/?token=secret-value-1234567890").status == 501)
            }
            let id = try #require(lease["id"] as? String)
            let all = try #require(try await admin.object("GET", "/api/v1/misses")["misses"] as? [[String: Any]])
            #expect(Set(all.compactMap { $0["session"] as? String }) == ["default", id])
            #expect(!"\(all)".contains("secret-value"))
            let one = try await admin.object("GET", "/api/v1/misses?session=\(id)")["misses"] as? [[String: Any]]
            #expect(one?.count == 1)
            #expect(await admin.ask("GET", "/api/v1/misses?session=none").status == 404)
            #expect(await admin.ask("DELETE", "/api/v1/sessions/\(id)").status == 200)
            #expect(try await admin.object("GET", "/api/v1/report")["missed"] as? Int == 2)
        }
    }
}
