import Foundation
import NIOCore
import PlayheadCassette
import PlayheadProxy
import Testing

@testable import PlayheadAdmin

@Suite(.timeLimit(.minutes(2))) struct AdminServerTests {
    private static func serve(
        times: AdminTimes = AdminTimes(), lists: (@Sendable () throws -> [CassetteLocation])? = nil,
        _ body: (TestAdmin, AdminServer) async throws -> Void
    ) async throws {
        try await TestAdmin.run { admin in
            var context = admin.context
            if let lists { context.listCassettes = lists }
            let server = try await AdminServer.start(
                ListenAddress(host: "127.0.0.1", port: 0), context, times: times)
            var failure: (any Error)?
            do { try await body(admin, server) } catch { failure = error }
            await server.shutDown()
            if let failure { throw failure }
        }
    }

    @Test func answersWithTheTokenOnly() async throws {
        try await Self.serve { _, server in
            let url = "http://\(server.address)"
            let with = try #require(AdminClient(url: url, token: TestAdmin.secret, timeoutSeconds: 60))
            let without = try #require(AdminClient(url: url, timeoutSeconds: 60))
            #expect(try await with.get("/api/v1/status").status == 200)
            #expect(try await without.get("/api/v1/status").status == 401)
            #expect(try await without.get("/healthz").text == "ok\n")
        }
    }

    /// The words are for people; NIO's are not.
    @Test func aClientSaysWhyNobodyAnswers() async throws {
        // Bound, so that no other test gets it, and not listening.
        let taken = try BoundPort()
        let port = taken.port
        let client = try #require(AdminClient(url: "http://127.0.0.1:\(port)"))
        let failure = await #expect(throws: AdminClient.Failure.self) { try await client.get("/healthz") }
        #expect(
            failure?.description
                == "Nothing answers at http://127.0.0.1:\(port) (Connection refused). Is `playhead serve` running?")
    }

    /// The proxy refuses to connect to the admin API, under whatever name.
    @Test func isNotReachedThroughTheProxy() async throws {
        try await Self.serve { admin, server in
            let proxy = try #require(
                AdminClient(
                    url: "http://127.0.0.1:\(admin.server.addresses[0].port ?? 0)", token: TestAdmin.secret,
                    timeoutSeconds: 60))
            for host in ["127.0.0.1", "localhost", "127.0.0.2", "0.0.0.0", "[::ffff:127.0.0.1]"] {
                let answer = try await proxy.get("http://\(host):\(server.address.port)/healthz")
                #expect(answer.status == 508 || answer.status == 502, "\(host): \(answer.status) \(answer.text)")
                #expect(!answer.text.hasPrefix("ok"))
            }
        }
    }

    /// What is asked for is far more than the sockets hold, and nothing of it is read.
    @Test func aClientThatDoesNotReadIsLetGo() async throws {
        var times = AdminTimes()
        times.progress = .milliseconds(300)
        try await Self.serve(times: times) { _, server in
            let wire = try Socket(port: server.address.port)
            let request =
                "GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(TestAdmin.secret)"
                + "\r\n\r\n"
            try wire.send(String(repeating: request, count: 1000))
            let begun = ContinuousClock.now
            while server.connectionCount > 0 {
                try #require(begun.duration(to: .now) < .seconds(20), "the connection is still open")
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    @Test func anAnswerThatIsNotMadeInTimeIs503() async throws {
        var times = AdminTimes()
        times.answer = .milliseconds(100)
        let asked = DispatchSemaphore(value: 0)
        let lists: @Sendable () throws -> [CassetteLocation] = {
            _ = asked.wait(timeout: .now() + 20)
            return []
        }
        try await Self.serve(times: times, lists: lists) { _, server in
            let client = try #require(
                AdminClient(url: "http://\(server.address)", token: TestAdmin.secret, timeoutSeconds: 20))
            let answer = try await client.get("/api/v1/cassettes")
            asked.signal()
            #expect(answer.status == 503 && answer.text.contains("took too long"), "\(answer.status) \(answer.text)")
        }
    }

    /// The client ends its side while a long answer is on its way.
    @Test func aHalfClosedClientGetsALongAnswerWhole() async throws {
        try await Self.serve { _, server in
            let text = try await onThread {
                let wire = try Socket(port: server.address.port)
                let request =
                    "GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(TestAdmin.secret)"
                    + "\r\n\r\n"
                try wire.send(String(repeating: request, count: 400))
                wire.endOutput()
                return try wire.readToEnd()
            }
            #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count == 401)
        }
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        try await Self.serve { _, server in
            let text = try await onThread {
                let wire = try Socket(port: server.address.port)
                try wire.send(
                    "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nHEAD /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"
                        + "GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                return try wire.readToEnd()
            }
            let statuses = text.split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
            #expect(statuses == ["200", "503", "401"])
        }
    }

    /// A client that has said all it will say is answered, and then the connection is closed, not kept for a minute.
    @Test func aHalfClosedClientGetsItsAnswersAndTheEnd() async throws {
        try await Self.serve { _, server in
            let text = try await onThread {
                let wire = try Socket(port: server.address.port)
                let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
                try wire.send(request + request)
                wire.endOutput()
                return try wire.readToEnd()
            }
            #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count == 3)
        }
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", "400"),
        ("POST /api HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "400"),
        ("GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"),
        ("CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n", "400"),
        ("GET /LONG HTTP/1.1\r\nHost: localhost\r\n\r\n", "414"),
        ("nonsense\r\n\r\n", "400"),
        (
            "POST /api/v1/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(TestAdmin.secret)\r\n"
                + "Content-Length: 9999999\r\n\r\n", "413"
        ),
    ])
    func refusesWhatIsWrongAndCloses(_ request: String, _ status: String) async throws {
        try await Self.serve { _, server in
            let text = try await onThread {
                let wire = try Socket(port: server.address.port)
                try wire.send(request.replacing("LONG", with: String(repeating: "x", count: 9000)))
                return try wire.readToEnd()
            }
            #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(text.prefix(200))")
            #expect(text.lowercased().contains("connection: close"))
        }
    }

    @Test func aChunkedBodyIsBounded() async throws {
        try await Self.serve { _, server in
            let text = try await onThread {
                let wire = try Socket(port: server.address.port)
                try wire.send(
                    "POST /api/v1/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(TestAdmin.secret)\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n")
                let chunk = "10000\r\n" + String(repeating: "x", count: 0x10000) + "\r\n"
                for _ in 0..<17 { try? wire.send(chunk) }
                return try wire.readToEnd()
            }
            #expect(text.hasPrefix("HTTP/1.1 413 "), "\(text.prefix(200))")
        }
    }

    @Test func anAddressThatIsTakenIsToldWithItsOption() async throws {
        try await Self.serve { admin, server in
            do {
                _ = try await AdminServer.start(server.address, admin.context)
                Issue.record("it listens twice")
            } catch let error as ProxyError {
                #expect(error.code == .addressInUse)
                #expect(error.message.contains("--admin 127.0.0.1:0"))
            }
        }
    }
}
