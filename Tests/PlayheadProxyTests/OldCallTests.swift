import Foundation
import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

/// `re_record_after` with gRPC: calls go to their server as they come, and old recordings answer when there is none.
@Suite struct OldCallTests {
    private static let call = [("content-type", "application/grpc"), ("te", "trailers")]

    private static func message(_ text: String) -> Data { Data([0, 0, 0, 0, UInt8(text.utf8.count)] + text.utf8) }

    /// A server that is gone, and a cassette with a call of it for each of some requests.
    private static func recorded(_ requests: [String], after messages: Int? = nil) throws -> (Origin, Folder) {
        let origin = try Origin(refuses: true) { _, _, _ in }
        let folder = try Folder()
        let exchanges = requests.enumerated().map { number, text in
            var request = RecordedRequest(method: "POST", url: "http://127.0.0.1:\(origin.port)/chat.Chat/Say")
            request.version = .http2
            request.headers = HeaderList(Self.call)
            request.body = RecordedBody(.octets(ByteBuffer(bytes: Self.message(text))))
            var response = RecordedResponse(
                status: 200, headers: HeaderList([("content-type", "application/grpc")]),
                body: RecordedBody(.octets(ByteBuffer(bytes: Self.message("to \(text)")))))
            if let messages {
                let length = "to \(text)".utf8.count + 5
                response.chunks = [RecordedResponse.Chunk(at: 1, length: length, after: messages)]
            }
            return Exchange(
                id: "\(number + 1)", recordedAt: Timestamp(milliseconds: 1), request: request,
                outcome: .response(response), timing: Exchange.Timing(firstByte: 1, total: 1))
        }
        _ = try CassetteWriter.save(
            Cassette(recordedWith: "test", exchanges: exchanges),
            to: CassetteLocation(folder: folder.path, name: try CassetteName.validated("test")))
        return (origin, folder)
    }

    private static func begin(_ peer: HTTP2Peer, _ origin: Origin) throws -> Int {
        try peer.request(
            "POST", "/chat.Chat/Say", authority: "127.0.0.1:\(origin.port)", Self.call, ends: false)
    }

    /// Whether the message comes with the head, or when it is known already that there is no server.
    @Test(arguments: [false, true]) func theOldRecordingOfTheSameMessageAnswers(late: Bool) async throws {
        let (origin, folder) = try Self.recorded(["one", "two"])
        defer { origin.stop() }
        let summary = try await TestProxy.run(.once, in: folder, reRecordAfter: -1) { proxy in
            let peer = try HTTP2Peer(try proxy.client())
            for text in ["two", "one"] {
                let id = try Self.begin(peer, origin)
                if late { for _ in 0..<20 { try proxy.finishTurn() } }
                try peer.send(id, body: Self.message(text))
                if late { for _ in 0..<20 { try proxy.finishTurn() } }
                try peer.send(id, body: Data(), ends: true)
                let answer = try peer.message(id)
                #expect(answer.status == 200)
                #expect(answer.body == Self.message("to \(text)"), "\(text): \(answer.text)")
            }
        }
        #expect(summary.replayed == 2 && summary.recorded == 0)
        #expect(summary.warnings.contains { $0.hasSuffix("The old recording answered instead of a new one.") })
    }

    /// A client may wait for an answer before it ends its request.
    @Test func aCallThatIsAnsweredInTheMiddleIsNotHeldBack() async throws {
        let (origin, folder) = try Self.recorded(["one", "two"], after: 1)
        defer { origin.stop() }
        let summary = try await TestProxy.run(.once, in: folder, reRecordAfter: -1) { proxy in
            let peer = try HTTP2Peer(try proxy.client())
            let id = try Self.begin(peer, origin)
            try peer.send(id, body: Self.message("two"))
            let expected = Self.message("to two")
            try peer.wait { $0.partial(id).body.count >= expected.count }
            #expect(peer.partial(id).body == expected)
            try peer.send(id, body: Data(), ends: true)
            #expect(try peer.message(id).status == 200)
        }
        #expect(summary.replayed == 1)
    }

    /// What failed is recorded as a failure, as if there had been no old recording.
    @Test func aMessageThatIsInNoRecordingFails() async throws {
        let (origin, folder) = try Self.recorded(["one", "two"])
        defer { origin.stop() }
        let rules = try MatchRules.parse(list: "default,body")
        let summary = try await TestProxy.run(
            .once, in: folder, reRecordAfter: -1, options: { $0.rules = rules }
        ) { proxy in
            let peer = try HTTP2Peer(try proxy.client())
            let id = try Self.begin(peer, origin)
            try peer.send(id, body: Self.message("three"), ends: true)
            #expect(try peer.message(id).status == 502)
        }
        #expect(summary.replayed == 0 && summary.failed == 1)
        #expect(summary.warnings.allSatisfy { !$0.contains("The old recording answered") })
    }
}
