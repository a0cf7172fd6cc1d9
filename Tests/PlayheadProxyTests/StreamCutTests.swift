import Foundation
import PlayheadCassette
import PlayheadEngine
import Testing

@testable import PlayheadProxy

/// Streams that nobody lets come to their end: what the client saw is recorded, and breaks off there at replay.
@Suite struct StreamCutTests {
    static let request = "GET http://%@/events HTTP/1.1\r\nHost: x\r\n\r\n"

    /// An origin that sends three events and then is quiet, or goes on when it is told to, until its peer leaves.
    static func origin(_ head: String, chunked: Bool, goesOn: Event? = nil) throws -> Origin {
        try Origin { wire, _, _ in
            _ = try wire.readRequest()
            try wire.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\(head)\r\n")
            func say(_ number: Int) throws {
                let event = "data: \(number)\n\n"
                try wire.send(chunked ? "\(String(event.utf8.count, radix: 16))\r\n\(event)\r\n" : event)
            }
            for number in 1...3 { try say(number) }
            guard let goesOn else {
                _ = wire.readToEnd()
                return
            }
            try goesOn.wait()
            for number in 4... { try say(number) }
        }
    }

    /// Plays the recording to a client that reads to the end.
    static func replay(_ address: String, in folder: Folder) async throws -> (text: String, end: StreamEnd) {
        let seen = Box((text: "", end: StreamEnd.quiet))
        let summary = try await TestProxy.run(.none, in: folder) { proxy in
            let client = try proxy.client()
            try client.send(String(format: Self.request, address))
            seen.value = client.readToEnd()
        }
        #expect(summary.replayed == 1)
        #expect(summary.unused == 0)
        return seen.value
    }

    @Test(
        arguments: [
            ("Transfer-Encoding: chunked\r\n", "closes"), ("Transfer-Encoding: chunked\r\n", "resets"), ("", "closes"),
            ("Transfer-Encoding: chunked\r\n", "proxy stops"), ("", "proxy stops"),
        ])
    func replayWhatTheClientSaw(head: String, how: String) async throws {
        // Who has only closed its side may still be reading: that it left shows when more is sent.
        let left = Event()
        let origin = try Self.origin(head, chunked: !head.isEmpty, goesOn: how == "closes" ? left : nil)
        defer { origin.stop() }
        let address = "127.0.0.1:\(origin.port)"
        let folder = try Folder()
        let seen = Box("")
        let kept = Box<Wire?>(nil)
        let summary = try await TestProxy.run(.once, in: folder) { proxy in
            let client = try proxy.client()
            try client.send(String(format: Self.request, address))
            seen.value = try client.read(until: "data: 3\n\n\r\n")
            switch how {
            case "closes":
                client.close()
                left.happen()
            case "resets": client.reset()
            default:
                kept.value = client
                return
            }
            try eventually("the stream is recorded") { proxy.session.summary.recorded == 1 }
            try eventually("the origin is left") { origin.ended == 1 }
        }
        origin.stop()
        #expect(summary.recorded == 1)
        #expect(summary.failed == 0, "nobody failed")
        let exchange = try #require(try TestProxy.recorded(in: folder).first)
        guard case .failure(let failure) = exchange.outcome else {
            Issue.record("recorded as a whole stream")
            return
        }
        #expect(failure.kind == (how == "proxy stops" ? .stopped : .clientLeft))
        let (text, end) = try await Self.replay(address, in: folder)
        kept.value?.close()
        // A body without chunks of its own may have come in others than those it is kept in.
        let (before, after) = (Self.withoutChunks(seen.value), Self.withoutChunks(text))
        #expect(after.hasPrefix(before))
        if how != "closes" { #expect(after == before) }
        #expect(!text.hasSuffix("\r\n0\r\n\r\n"))
        #expect(end == .closed)
    }

    /// A response without the lines that say how long its chunks are.
    private static func withoutChunks(_ text: String) -> String {
        text.components(separatedBy: "\r\n").filter { Int($0, radix: 16) == nil }.joined(separator: "\r\n")
            .replacingOccurrences(of: "\n\n\r\n", with: "\n\n")
    }

    /// A client that leaves a replay of what it left then has seen what it wanted, wherever it leaves.
    @Test func countsAReplayThatTheClientLeavesAgainAsPlayed() async throws {
        let origin = try Self.origin("Transfer-Encoding: chunked\r\n", chunked: true)
        defer { origin.stop() }
        let address = "127.0.0.1:\(origin.port)"
        let folder = try Folder()
        for mode in [RecordMode.once, .none] {
            let summary = try await TestProxy.run(mode, in: folder, options: { $0.speed = .recorded }) { proxy in
                let client = try proxy.client()
                try client.send(String(format: Self.request, address))
                _ = try client.read(until: mode == .once ? "data: 3\n\n\r\n" : "data: 1\n\n\r\n")
                client.reset()
                guard mode == .once else { return }
                try eventually("the stream is recorded") { proxy.session.summary.recorded == 1 }
            }
            #expect(summary.replayed == (mode == .none ? 1 : 0))
            #expect(summary.unused == 0)
        }
    }

    @Test func recordsNothingOfAStreamWhoseRequestWasNotComplete() async throws {
        let origin = try Origin { wire, _, _ in
            _ = try wire.read(until: "\r\n\r\n")
            try wire.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n")
            _ = wire.readToEnd()
        }
        defer { origin.stop() }
        let summary = try await TestProxy.run(.all) { proxy in
            let client = try proxy.client()
            try client.send(
                "POST http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf")
            _ = try client.read(until: "ab\r\n")
            client.reset()
            try eventually("the origin is left") { origin.ended == 1 }
        }
        #expect(summary.recorded == 0)
    }
}
