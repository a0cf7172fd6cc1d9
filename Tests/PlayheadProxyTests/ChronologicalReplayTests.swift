import Foundation
import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

/// `--playback chronological`: parts of concurrent answers in recorded order, and never a deadlock.
@Suite struct ChronologicalReplayTests {
    /// `/a`: head, a1, then all of `/b`: head, b1, b2, then a2.
    private static func folder() throws -> Folder {
        let folder = try Folder()
        func stream(_ path: String, at start: Int64, first: Int, _ pieces: [(Int, String)]) -> Exchange {
            var response = RecordedResponse(
                status: 200, body: RecordedBody(.octets(ByteBuffer(string: pieces.map(\.1).joined()))))
            response.chunks = pieces.map { .init(at: $0.0, length: $0.1.utf8.count) }
            return Exchange(
                id: path, recordedAt: Timestamp(milliseconds: start),
                request: RecordedRequest(method: "GET", url: "http://x.example\(path)"), outcome: .response(response),
                timing: Exchange.Timing(firstByte: first, total: pieces.last?.0))
        }
        _ = try CassetteWriter.save(
            Cassette(
                recordedWith: "test",
                exchanges: [
                    stream("/a", at: 0, first: 10, [(20, "a1"), (60, "a2")]),
                    stream("/b", at: 5, first: 25, [(35, "b1"), (45, "b2")]),
                ]), to: CassetteLocation(folder: folder.path, name: try CassetteName.validated("test")))
        return folder
    }

    private static func order(patience: Int64) -> (inout SessionOptions) throws -> Void {
        {
            $0.order = .chronological
            $0.patience = patience
        }
    }

    private static func ask(_ path: String, _ proxy: TestProxy) throws -> Wire {
        let client = try proxy.client()
        let before = proxy.session.summary.replayed
        try client.send("GET http://x.example\(path) HTTP/1.1\r\nHost: x.example\r\n\r\n")
        try eventually("\(path) is taken") { proxy.session.summary.replayed != before }
        return client
    }

    @Test(arguments: ["instant", "x10"]) func eachPartWaitsForAllBeforeIt(_ speed: String) async throws {
        let change = Self.order(patience: 3_600_000)
        let summary = try await TestProxy.run(
            .none, in: try Self.folder(),
            options: {
                try change(&$0)
                $0.speed = try #require(PlaybackSpeed.parse(speed))
            }
        ) { proxy in
            let b = try Self.ask("/b", proxy)
            #expect(b.isSilent)
            let a = try Self.ask("/a", proxy)
            #expect(try a.readResponse(toHead: true).status == 200)
            #expect(try a.read(until: "a1\r\n") == "2\r\na1\r\n")
            #expect(try b.readResponse().chunks == ["b1", "b2"])
            #expect(try a.read(until: "0\r\n\r\n") == "2\r\na2\r\n0\r\n\r\n")
        }
        #expect(summary.warnings.isEmpty && summary.unused == 0)
    }

    @Test func anAnswerUnderWayWaitsForOneThatIsYetToBeAskedFor() async throws {
        try await TestProxy.run(.none, in: try Self.folder(), options: Self.order(patience: 3_600_000)) { proxy in
            let a = try Self.ask("/a", proxy)
            _ = try a.read(until: "a1\r\n")
            #expect(a.isSilent)
            let b = try Self.ask("/b", proxy)
            #expect(try b.readResponse().body == "b1b2")
            #expect(try a.read(until: "0\r\n\r\n") == "2\r\na2\r\n0\r\n\r\n")
        }
    }

    @Test func aRequestThatNeverComesIsPassedOver() async throws {
        let summary = try await TestProxy.run(
            .none, in: try Self.folder(), options: Self.order(patience: 50)
        ) { proxy in
            let b = try Self.ask("/b", proxy)
            #expect(try b.readResponse().body == "b1b2")
            // It may come after all.
            let a = try Self.ask("/a", proxy)
            #expect(try a.readResponse().body == "a1a2")
        }
        #expect(
            summary.warnings == [
                "chronological playback: GET http://x.example/a did not come within 50 ms, so nothing waits for it any more"
            ])
    }

    @Test func whatAClientLeftIsAwaitedAgain() async throws {
        let summary = try await TestProxy.run(
            .none, in: try Self.folder(), options: Self.order(patience: 3_600_000)
        ) { proxy in
            let gone = try Self.ask("/b", proxy)
            gone.reset()
            try eventually("/b is given back") { proxy.session.summary.replayed == 0 }
            let a = try Self.ask("/a", proxy)
            _ = try a.read(until: "a1\r\n")
            #expect(a.isSilent)
            let b = try Self.ask("/b", proxy)
            #expect(try b.readResponse().body == "b1b2")
            #expect(try a.read(until: "0\r\n\r\n") == "2\r\na2\r\n0\r\n\r\n")
        }
        #expect(summary.replayed == 2 && summary.unused == 0)
    }

    @Test func aClientThatLeavesHoldsNobodyUp() async throws {
        let summary = try await TestProxy.run(
            .none, in: try Self.folder(), options: Self.order(patience: 3_600_000)
        ) { proxy in
            let b = try Self.ask("/b", proxy)
            b.reset()
            try eventually("/b is given back") { proxy.session.summary.replayed == 0 }
            let a = try Self.ask("/a", proxy)
            _ = try a.read(until: "a1\r\n")
            // What the timer does when the patience ends.
            try eventually("/b is passed over") {
                proxy.session.passOver(for: CassetteSession.Play(index: 0, round: 0, isFirst: true))
                return !a.isSilent
            }
            #expect(try a.read(until: "0\r\n\r\n") == "2\r\na2\r\n0\r\n\r\n")
        }
        #expect(summary.replayed == 1 && summary.unused == 1)
    }

    @Test func onePipelineIsNoDeadlock() async throws {
        try await TestProxy.run(.none, in: try Self.folder(), options: Self.order(patience: 50)) { proxy in
            let client = try proxy.client()
            for path in ["/a", "/b"] {
                try client.send("GET http://x.example\(path) HTTP/1.1\r\nHost: x.example\r\n\r\n")
            }
            #expect(try client.readResponse().body == "a1a2")
            #expect(try client.readResponse().body == "b1b2")
        }
    }

    @Test func aRewindSetsAllFree() async throws {
        try await TestProxy.run(.none, in: try Self.folder(), options: Self.order(patience: 3_600_000)) { proxy in
            let b = try Self.ask("/b", proxy)
            #expect(b.isSilent)
            proxy.session.rewind()
            #expect(try b.readResponse().body == "b1b2")
            // And the order begins anew.
            let again = try Self.ask("/b", proxy)
            #expect(again.isSilent)
            let a = try Self.ask("/a", proxy)
            #expect(try again.readResponse().body == "b1b2")
            #expect(try a.readResponse().body == "a1a2")
        }
    }

    @Test func aRepeatedRecordingStandsOutsideTheOrder() async throws {
        try await TestProxy.run(
            .none, in: try Self.folder(), repeats: .last, options: Self.order(patience: 3_600_000)
        ) { proxy in
            let a = try Self.ask("/a", proxy)
            let b = try Self.ask("/b", proxy)
            #expect(try a.readResponse().body == "a1a2")
            #expect(try b.readResponse().body == "b1b2")
            let again = try Self.ask("/a", proxy)
            #expect(try again.readResponse().body == "a1a2")
        }
    }
}

extension Wire {
    /// Whether nothing has come that was not read.
    fileprivate var isSilent: Bool {
        var octet: UInt8 = 0
        return self.received.isEmpty
            && recv(self.descriptor, &octet, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0
    }
}
