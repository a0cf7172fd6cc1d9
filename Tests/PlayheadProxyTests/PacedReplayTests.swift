import Foundation
import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

/// Recorded times at replay, and streams while recording.
@Suite struct PacedReplayTests {
    private static let get = "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"

    /// A folder with a cassette of one exchange.
    private static func folder(
        _ pieces: [(at: Int, text: String)], headers: [(String, String)] = [], firstByte: Int, total: Int,
        breaksOff: Bool = false
    ) throws -> Folder {
        let folder = try Folder()
        var response = RecordedResponse(
            status: 200, reason: "OK", headers: HeaderList(headers),
            body: RecordedBody(.octets(ByteBuffer(string: pieces.map(\.text).joined()))))
        if pieces.count > 1 { response.chunks = pieces.map { .init(at: $0.at, length: $0.text.utf8.count) } }
        let failure = RecordedFailure(kind: .closed, message: "It closed.", partial: response)
        _ = try CassetteWriter.save(
            Cassette(
                recordedWith: "test",
                exchanges: [
                    Exchange(
                        id: "1", recordedAt: Timestamp(milliseconds: 0),
                        request: RecordedRequest(method: "GET", url: "http://a.example/"),
                        outcome: breaksOff ? .failure(failure) : .response(response),
                        timing: Exchange.Timing(firstByte: firstByte, total: total))
                ]), to: CassetteLocation(folder: folder.path, name: try CassetteName.validated("test")))
        return folder
    }

    private static func speed(_ text: String) -> (inout SessionOptions) throws -> Void {
        { $0.speed = try #require(PlaybackSpeed.parse(text)) }
    }

    /// The chunks of the next response, each with the milliseconds since the start.
    private static func chunks(_ client: Wire, since start: ContinuousClock.Instant) throws -> [(at: Int, text: String)]
    {
        var chunks: [(at: Int, text: String)] = []
        while true {
            let size = try #require(Int(try client.readLine(), radix: 16))
            let text = try client.read(count: size)
            _ = try client.read(count: 2)
            if size == 0 { return chunks }
            chunks.append((Self.milliseconds(since: start), text))
        }
    }

    private static func milliseconds(since start: ContinuousClock.Instant) -> Int {
        Int((ContinuousClock.now - start) / .milliseconds(1))
    }

    private static let events = (0..<8).map { (at: 40 + $0 * 50, text: "data: \($0)\n\n") }

    @Test func sendsEachChunkNotBeforeItsRecordedTime() async throws {
        let folder = try Self.folder(Self.events, firstByte: 30, total: 400)
        try await TestProxy.run(.none, in: folder, options: Self.speed("recorded")) { proxy in
            let client = try proxy.client()
            let start = ContinuousClock.now
            try client.send(Self.get)
            #expect(try client.readResponse(toHead: true).status == 200)
            #expect(Self.milliseconds(since: start) >= 29)
            let chunks = try Self.chunks(client, since: start)
            #expect(chunks.map(\.text) == Self.events.map(\.text))
            for (chunk, event) in zip(chunks, Self.events) { #expect(chunk.at >= event.at - 1) }
            #expect(Self.milliseconds(since: start) >= 399)
        }
    }

    @Test func aFactorMakesItFasterAndKeepsTheBorders() async throws {
        // A minute and more in the recording.
        let slow = Self.events.map { (at: $0.at * 100, text: $0.text) }
        let folder = try Self.folder(slow, firstByte: 3000, total: 60_000)
        try await TestProxy.run(.none, in: folder, options: Self.speed("x200")) { proxy in
            let client = try proxy.client()
            let start = ContinuousClock.now
            try client.send(Self.get)
            _ = try client.readResponse(toHead: true)
            let chunks = try Self.chunks(client, since: start)
            #expect(chunks.map(\.text) == slow.map(\.text))
            for (chunk, event) in zip(chunks, slow) { #expect(chunk.at >= event.at / 200 - 1) }
            #expect((299..<30_000).contains(Self.milliseconds(since: start)))
        }
        try await TestProxy.run(.none, in: folder) { proxy in
            let client = try proxy.client()
            try client.send(Self.get)
            #expect(try client.readResponse().chunks == slow.map(\.text))
        }
    }

    @Test func anAnswerWithALengthHasItsHeadAndItsEnd() async throws {
        let folder = try Self.folder(
            [(at: 0, text: "body")], headers: [("Content-Length", "4")], firstByte: 100, total: 250)
        try await TestProxy.run(.none, in: folder, options: Self.speed("recorded")) { proxy in
            let client = try proxy.client()
            let start = ContinuousClock.now
            try client.send(Self.get)
            _ = try client.readResponse(toHead: true)
            #expect(Self.milliseconds(since: start) >= 99)
            #expect(try client.read(count: 4) == "body")
            #expect(Self.milliseconds(since: start) >= 249)
        }
    }

    @Test func breaksOffWhenItDidWhileRecording() async throws {
        let folder = try Self.folder(
            [(at: 50, text: "one"), (at: 150, text: "two")], firstByte: 10, total: 300, breaksOff: true)
        try await TestProxy.run(.none, in: folder, options: Self.speed("recorded")) { proxy in
            let client = try proxy.client()
            let start = ContinuousClock.now
            try client.send(Self.get)
            _ = try client.readResponse(toHead: true)
            #expect(try client.read(until: "two\r\n").hasPrefix("3\r\none\r\n3\r\n"))
            #expect(Self.milliseconds(since: start) >= 149)
            #expect(client.readToEnd().text == "")
            #expect(Self.milliseconds(since: start) >= 299)
        }
    }

    @Test func aClientThatLeavesEndsTheWaitAndGivesTheRecordingBack() async throws {
        let day = 86_400_000
        let folder = try Self.folder([(at: 0, text: "now"), (at: day, text: "never")], firstByte: 0, total: day)
        let summary = try await TestProxy.run(.none, in: folder, options: Self.speed("recorded")) { proxy in
            for _ in 0..<3 {
                let client = try proxy.client()
                try client.send(Self.get)
                _ = try client.readResponse(toHead: true)
                #expect(try client.read(until: "now\r\n") == "3\r\nnow\r\n")
                client.reset()
                try eventually("the recording is given back") { proxy.session.summary.replayed == 0 }
            }
            #expect(proxy.session.playCount == 0)
        }
        #expect(summary.missed == 0)
        #expect(summary.replayed == 0)
        #expect(summary.unused == 1)
    }

    @Test func aPauseLongerThanTheIdleLimitIsNoReasonToClose() async throws {
        let folder = try Self.folder([(at: 0, text: "a"), (at: 7000, text: "b")], firstByte: 0, total: 7000)
        var timeouts = ProxyTimeouts()
        timeouts.idle = 0
        let settings = ProxySettings(timeouts: timeouts)
        try await TestProxy.run(.none, in: folder, settings: settings, options: Self.speed("recorded")) { proxy in
            let client = try proxy.client()
            try client.send(Self.get)
            #expect(try client.readResponse().chunks == ["a", "b"])
        }
    }

    @Test func aStreamInASideFileKeepsItsChunks() async throws {
        let sizes = [1, 70_000, 3, 200_000, 128 * 1024, 5]
        let origin = try Origin { wire, _, _ in
            _ = try wire.readRequest()
            try wire.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for (index, size) in sizes.enumerated() {
                let text = String(repeating: "\(index)", count: size)
                try wire.send("\(String(size, radix: 16))\r\n\(text)\r\n")
            }
            try wire.send("0\r\n\r\n")
        }
        let folder = try Folder()
        let request = "GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n"
        try await TestProxy.run(.once, in: folder) { proxy in
            let client = try proxy.client()
            try client.send(request)
            _ = try client.readResponse()
        }
        origin.stop()
        for speed in ["instant", "recorded", "x10"] {
            try await TestProxy.run(.none, in: folder, options: Self.speed(speed)) { proxy in
                let client = try proxy.client()
                try client.send(request)
                let chunks = try client.readResponse().chunks
                #expect(chunks.map(\.utf8.count) == sizes, "\(speed)")
                #expect(chunks.enumerated().allSatisfy { $0.element.allSatisfy { $0.isNumber } })
            }
        }
    }

    @Test func aStreamToTheCloseIsKeptInThePiecesItCameIn() async throws {
        let seen = Event()
        let origin = try Origin { wire, _, _ in
            _ = try wire.readRequest()
            try wire.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            for number in 0..<4 {
                try wire.send("data: \(number)\n\n")
                try seen.wait()
            }
        }
        let folder = try Folder()
        let request = "GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n"
        let events = (0..<4).map { "data: \($0)\n\n" }
        try await TestProxy.run(.once, in: folder) { proxy in
            let client = try proxy.client()
            try client.send(request)
            _ = try client.readResponse(toHead: true)
            // The origin sends the next event only when the client has this one: nothing is held back.
            for event in events {
                _ = try client.read(until: event)
                // What comes within a millisecond is one piece.
                try proxy.passTime(.milliseconds(2))
                seen.happen()
            }
        }
        origin.stop()
        try await TestProxy.run(.none, in: folder) { proxy in
            let client = try proxy.client()
            try client.send(request)
            #expect(try client.readResponse().chunks == events)
        }
    }
}
