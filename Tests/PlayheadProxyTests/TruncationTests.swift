import Foundation
import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

/// Messages that break off, and connections that cannot be trusted any more.
@Suite struct TruncationTests {
    /// How an origin ends its connection after its octets.
    enum Ending: CaseIterable, Sendable { case close, reset }

    @Test(
        arguments: [
            "Content-Length: 100\r\n\r\nonly this", "Transfer-Encoding: chunked\r\n\r\n9\r\nonly this\r\n",
            "Transfer-Encoding: chunked\r\n\r\nff\r\nonly this",
        ], Ending.allCases)
    func showsABrokenBodyAsBrokenAndReplaysItSo(fields: String, ending: Ending) async throws {
        let origin = try Origin { wire, _, _ in
            _ = try wire.readRequest()
            try wire.send("HTTP/1.1 200 OK\r\n" + fields)
            // The reset must not overtake the octets.
            try wire.waitUntilTaken()
            if ending == .reset { wire.reset() }
        }
        let folder = try Folder()
        let request = "GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n"
        let seen = Box("")
        let summary = try await TestProxy.run(.once, in: folder) { proxy in
            let client = try proxy.client()
            try client.send(request)
            seen.value = client.readToEnd().text
            #expect(seen.value.contains("only this"))
            #expect(!seen.value.hasSuffix("0\r\n\r\n"))
        }
        origin.stop()
        #expect(summary.recorded == 1)
        #expect(summary.failed == 1)
        let exchange = try #require(try TestProxy.recorded(in: folder).first)
        guard case .failure(let failure) = exchange.outcome else {
            Issue.record("a broken response was recorded as a whole one")
            return
        }
        #expect(failure.kind == (ending == .reset ? .reset : .closed))
        try await TestProxy.run(.none, in: folder) { proxy in
            let client = try proxy.client()
            try client.send(request)
            let (text, end) = client.readToEnd()
            #expect(Self.body(text) == Self.body(seen.value))
            #expect(Self.head(text) == Self.head(seen.value))
            #expect(end == (ending == .reset ? .reset : .closed))
        }
    }

    private static func head(_ text: String) -> String { text.components(separatedBy: "\r\n\r\n")[0] }

    private static func body(_ text: String) -> String {
        text.contains("only this") ? "only this" : text
    }

    /// A cassette may come from anywhere: no more octets than the head says, and no framing fields but ours.
    @Test(arguments: ["3", "-1", "18446744073709551617", "x"])
    func neverSendsMoreOfABrokenBodyThanTheHeadSays(_ length: String) async throws {
        let folder = try Folder()
        let location = CassetteLocation(folder: folder.path, name: try CassetteName.validated("test"))
        let partial = RecordedResponse(
            status: 200, headers: HeaderList([("Content-Length", length)]),
            body: RecordedBody(.octets(ByteBuffer(string: "only this"))))
        try CassetteMerge.save(
            location,
            base: Cassette(
                recordedWith: "test",
                exchanges: [
                    Exchange(
                        id: "1", recordedAt: Timestamp(milliseconds: 1),
                        request: RecordedRequest(method: "GET", url: "http://a.example/"),
                        outcome: .failure(RecordedFailure(kind: .closed, message: "It ended.", partial: partial)))
                ]), journal: nil)
        try await TestProxy.run(.none, in: folder) { proxy in
            let client = try proxy.client()
            try client.send("GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n")
            let text = client.readToEnd().text
            #expect(text.contains("\r\nContent-Length: 9\r\n"), "\(text)")
            #expect(text.hasSuffix("\r\n\r\nonly this"), "\(text)")
        }
    }

    @Test func retriesOnlyWhatMayBeSentTwiceOverAStaleConnection() async throws {
        for (method, status) in [("GET", 200), ("POST", 502)] {
            // The second request on a connection is read and answered by a close: a stale connection, at its worst.
            let origin = try Origin { wire, _, origin in
                origin.note(try wire.readRequest())
                try wire.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                origin.note(try wire.readRequest())
            }
            defer { origin.stop() }
            try await TestProxy.run { proxy in
                let client = try proxy.client()
                for expected in [200, status] {
                    try client.send(
                        "\(method) http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab")
                    #expect(try client.readResponse().status == expected)
                }
            }
            #expect(origin.requests.count == (method == "GET" ? 3 : 2))
        }
    }

    @Test func neverGivesLeftoversToTheNextRequest() async throws {
        let origin = try Origin { wire, number, _ in
            _ = try wire.readRequest()
            try wire.send(
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(number)HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL")
            _ = wire.readToEnd()
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.client()
            let request = "GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n"
            try client.send(request + request + request)
            for number in 1...3 { #expect(try client.readResponse().body == "\(number)") }
        }
        #expect(origin.connections == 3)
    }

    @Test func dropsAPooledConnectionThatSpeaksUnasked() async throws {
        let answered = Event()
        let origin = try Origin { wire, number, _ in
            _ = try wire.readRequest()
            try wire.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(number)")
            try answered.wait()
            try wire.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL")
            _ = wire.readToEnd()
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.client()
            for number in 1...2 {
                try client.send("GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try client.readResponse().body == "\(number)")
                answered.happen()
                try eventually("connection \(number) is dropped") { origin.ended == number }
            }
        }
    }

    @Test func recordsNothingOfAnExchangeThatTheClientLeft() async throws {
        let origin = try Origin { wire, _, _ in
            _ = try wire.readRequest()
            try wire.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            _ = wire.readToEnd()
        }
        defer { origin.stop() }
        let summary = try await TestProxy.run(.all) { proxy in
            let client = try proxy.client()
            try client.send("GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try client.read(until: "half")
            client.reset()
            // The origin's script ends when the proxy has dropped its connection.
            try eventually("the origin is left") { origin.ended == 1 }
        }
        #expect(summary.recorded == 0)
        #expect(summary.failed == 0)
    }

    @Test(arguments: [
        "garbage\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n",
        "HTTP/1.1 99 Low\r\n\r\n", "HTTP/1.1 200 OK\nContent-Length: 0\n\n", "", "SSH-2.0-OpenSSH_9\r\n",
        "HTTP/1.1 200 OK\r\nX: \(String(repeating: "a", count: 70000))\r\n\r\n", "HTTP/1.1 200 OK\r\nX : a\r\n\r\n",
        "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 103 Early\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    ])
    func answers502ToAMalformedResponse(response: String) async throws {
        let origin = try Origin { wire, _, _ in
            _ = try wire.readRequest()
            try wire.send(response)
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.client()
            try client.send("GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            var answer = try client.readResponse()
            if answer.status == 103 { answer = try client.readResponse() }
            #expect(answer.status == 502)
            #expect(answer.fields["proxy-status"] != nil)
        }
    }
}
