import Foundation
import NIOCore
import PlayheadEngine
import PlayheadProxy
import Testing

@testable import PlayheadAdmin

@Suite(.timeLimit(.minutes(2))) struct AdminEventStreamTests {
    private static func serve(_ body: @escaping @Sendable (TestAdmin, AdminServer) throws -> Void) async throws {
        try await TestAdmin.run(.none) { admin in
            let server = try await AdminServer.start(ListenAddress(host: "127.0.0.1", port: 0), admin.context)
            let result = try await onThread { Result { try body(admin, server) } }
            await server.shutDown()
            try result.get()
        }
    }

    private static func open(_ server: AdminServer, _ version: String = "1.1", _ fields: String = "") throws -> Socket {
        let wire = try Socket(port: server.address.port)
        try wire.send(
            "GET /api/v1/events HTTP/\(version)\r\nHost: localhost\r\nAuthorization: Bearer \(TestAdmin.secret)\r\n"
                + fields + "\r\n")
        return wire
    }

    /// Asks the proxy for what it does not have.
    private static func miss(_ admin: TestAdmin, _ path: String) throws {
        let wire = try Socket(port: admin.server.addresses[0].port ?? 0)
        try wire.send("GET http://a.test/\(path) HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n")
        _ = try wire.readToEnd()
    }

    @Test(arguments: ["1.1", "1.0"]) func eventsComeAsTheyHappen(_ version: String) async throws {
        try await Self.serve { admin, server in
            let wire = try Self.open(server, version)
            let head = try wire.read(until: "retry: 1000\n\n")
            #expect(head.contains("Content-Type: text/event-stream\r\n"))
            #expect(head.contains("Transfer-Encoding: chunked") == (version == "1.1"))
            try Self.miss(admin, "one")
            let event = try wire.read(until: "\n\n")
            #expect(event.contains("event: exchange\n") && event.contains("http://a.test/one"))
            // The answer's octets may come in pieces; the second event follows on the same connection.
            try Self.miss(admin, "two")
            let second = try wire.read(until: "http://a.test/two")
            #expect(second.contains("event: exchange"))
        }
    }

    @Test func aClientComesBackToWhereItWas() async throws {
        try await Self.serve { admin, server in
            let wire = try Self.open(server)
            _ = try wire.read(until: "retry: 1000\n\n")
            try Self.miss(admin, "one")
            let text = try wire.read(until: "http://a.test/one")
            let id = try #require(text.split(separator: "\n").first { $0.hasPrefix("id: ") }?.dropFirst(4))
            try Self.miss(admin, "two")
            let again = try Self.open(server, "1.1", "Last-Event-ID: \(id)\r\n")
            let rest = try again.read(until: "http://a.test/two")
            #expect(!rest.contains("http://a.test/one") && !rest.contains("reset"))
        }
    }

    @Test func aHEADRequestHasNoStream() async throws {
        try await Self.serve { _, server in
            let wire = try Socket(port: server.address.port)
            try wire.send(
                "HEAD /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(TestAdmin.secret)\r\n\r\n"
                    + "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            let text = try wire.readToEnd()
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream"))
            #expect(text.hasSuffix("ok\n") && !text.contains("retry"))
        }
    }

    /// Streams are bounded, and one that its client left makes room.
    @Test func streamsAreBounded() async throws {
        try await Self.serve { _, server in
            var open: [Socket] = []
            for _ in 0..<AdminConnectionHandler.streamLimit {
                let wire = try Self.open(server)
                _ = try wire.read(until: "retry: 1000\n\n")
                open.append(wire)
            }
            let refused = try Self.open(server).readToEnd()
            #expect(refused.hasPrefix("HTTP/1.1 503 "))
            open.removeAll()
            let deadline = Date(timeIntervalSinceNow: 20)
            while Date() < deadline {
                let wire = try Self.open(server)
                if try wire.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 ") { return }
            }
            Issue.record("no stream was let in within 20 s of 64 others having left")
        }
    }
}
