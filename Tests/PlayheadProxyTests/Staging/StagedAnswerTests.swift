import Foundation
import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

/// Mocks and faults as a client sees them.
@Suite(.timeLimit(.minutes(2))) struct StagedAnswerTests {
    private static func ask(_ proxy: TestProxy, _ port: Int = 9, body: String? = nil) throws -> Wire {
        let wire = try proxy.client(timeout: 20)
        let method = body == nil ? "GET" : "POST"
        let length = body.map { "Content-Length: \($0.utf8.count)\r\n" } ?? ""
        try wire.send(
            "\(method) http://127.0.0.1:\(port)/x HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(length)\r\n\(body ?? "")")
        return wire
    }

    private static func fault(_ kind: FaultRule.Kind, delay: Int = 0) -> FaultRule {
        FaultRule(pattern: RequestPattern(), kind: kind, delay: delay)
    }

    @Test(arguments: [0, 30]) func aMockAnswersInEveryModeAndTheConnectionStays(_ delay: Int) async throws {
        try await TestProxy.run(.none) { proxy in
            proxy.server.staged.setMocks([
                MockRule(
                    pattern: RequestPattern(), status: 418, headers: HeaderList([("X-Made", "up")]),
                    body: ByteBuffer(string: "tea"), delay: delay)
            ])
            let wire = try Self.ask(proxy, body: "some")
            let answer = try wire.readResponse()
            #expect(answer.status == 418 && answer.fields["x-made"] == "up" && answer.body == "tea")
            try wire.send("HEAD http://127.0.0.1:9/y HTTP/1.1\r\nHost: 127.0.0.1:9\r\n\r\n")
            let head = try wire.readResponse(toHead: true)
            #expect(head.status == 418 && head.fields["content-length"] == "3")
            try wire.send("GET http://127.0.0.1:9/z HTTP/1.1\r\nHost: 127.0.0.1:9\r\n\r\n")
            let last = try wire.readResponse()
            #expect(last.status == 418)
        }
    }

    @Test func aStatusWithoutBodyHasNoLength() async throws {
        try await TestProxy.run(.none) { proxy in
            proxy.server.staged.setMocks([
                MockRule(pattern: RequestPattern(), status: 204, headers: HeaderList(), body: ByteBuffer())
            ])
            let answer = try Self.ask(proxy).readResponse()
            #expect(answer.status == 204 && answer.fields["content-length"] == nil)
        }
    }

    @Test func anErrorStatusComesAfterTheRequest() async throws {
        try await TestProxy.run(.none) { proxy in
            proxy.server.staged.setFaults([Self.fault(.status)])
            let answer = try Self.ask(proxy, body: "some").readResponse()
            #expect(answer.status == 503)
        }
    }

    @Test(arguments: [(FaultRule.Kind.close, StreamEnd.closed), (.reset, .reset)])
    func theConnectionEnds(_ kind: FaultRule.Kind, _ end: StreamEnd) async throws {
        try await TestProxy.run(.none) { proxy in
            proxy.server.staged.setFaults([Self.fault(kind)])
            let (text, seen) = try Self.ask(proxy).readToEnd()
            #expect(text.isEmpty && seen == end)
        }
    }

    /// A request that hangs holds nothing up but itself, and ends with its client.
    @Test func aRequestHangsUntilItsClientLeaves() async throws {
        try await TestProxy.run(.none) { proxy in
            proxy.server.staged.setFaults([
                FaultRule(pattern: RequestPattern(), kind: .hang, times: 1)
            ])
            let wire = try Self.ask(proxy)
            let other = try Self.ask(proxy).readResponse()
            #expect(other.status == 501)
            #expect(wire.text.isEmpty)
            wire.reset()
        }
    }

    /// A delayed request goes its usual way with its body, as if it had come later.
    @Test(arguments: ["", "a body", String(repeating: "x", count: 300_000)])
    func aDelayKeepsTheRequestWhole(_ body: String) async throws {
        let origin = try Origin { wire, _, _ in
            let request = try wire.readRequest()
            let text = "\(request.body.utf8.count)"
            try wire.send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
        }
        defer { origin.stop() }
        let folder = try Folder()
        try await TestProxy.run(.all, in: folder) { proxy in
            proxy.server.staged.setFaults([Self.fault(.delay, delay: 20)])
            let answer = try Self.ask(proxy, origin.port, body: body.isEmpty ? nil : body).readResponse()
            #expect(answer.status == 200 && answer.body == "\(body.utf8.count)")
        }
        #expect(try TestProxy.recorded(in: folder).first?.request.body.count == body.utf8.count)
    }

    @Test func aDelayedRequestMayMeetAMock() async throws {
        try await TestProxy.run(.none) { proxy in
            proxy.server.staged.setFaults([Self.fault(.delay, delay: 5)])
            proxy.server.staged.setMocks([
                MockRule(pattern: RequestPattern(), status: 202, headers: HeaderList(), body: ByteBuffer())
            ])
            let answer = try Self.ask(proxy, body: "some").readResponse()
            #expect(answer.status == 202)
        }
    }
}
