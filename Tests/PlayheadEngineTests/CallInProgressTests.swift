import NIOCore
import PlayheadCassette
import PlayheadEngine
import Testing

/// Calls of gRPC that are answered in the middle of their request.
struct CallInProgressTests {
    /// A chat that was answered after its first and its second message.
    private static func chat(_ body: String, after: [Int?] = [1, 2]) -> Exchange {
        var chat = exchange("https://a.test/Chat", method: "POST", body: body, answer: "xy")
        guard case .response(var response) = chat.outcome else { return chat }
        response.chunks = after.map { RecordedResponse.Chunk(at: 1, length: 1, after: $0) }
        chat.outcome = .response(response)
        return chat
    }

    private static func look(_ playback: Playback, _ begun: String, _ messages: Int) throws -> Playback.CallInProgress {
        playback.callInProgress(
            try request("https://a.test/Chat", method: "POST"), begun: ByteBuffer(string: begun), messages: messages)
    }

    @Test func answersWhatHasBegunAsRecorded() throws {
        let playback = Playback(
            exchanges: [Self.chat("abcd"), Self.chat("ABCD", after: [2, nil])], rules: MatchRules())
        let first = RecordedBody(.octets(ByteBuffer(string: "abcd")))
        let second = RecordedBody(.octets(ByteBuffer(string: "ABCD")))
        #expect(try Self.look(playback, "ab", 1) == .answers(first))
        #expect(try Self.look(playback, "AB", 1) == .waits)
        #expect(try Self.look(playback, "ABCD", 2) == .answers(second))
        #expect(try Self.look(playback, "x", 1) == .differs)
    }

    @Test func waitsForTheEndWhereTheRecordingDid() throws {
        let playback = Playback(exchanges: [Self.chat("abcd", after: [nil, nil])], rules: MatchRules())
        #expect(try Self.look(playback, "x", 1) == .waits)
    }

    @Test func differsWhenTheRecordingWasTaken() throws {
        var playback = Playback(exchanges: [Self.chat("abcd")], rules: MatchRules())
        let whole = try request("https://a.test/Chat", method: "POST", body: "abcd")
        #expect(playback.position(whole) == 0)
        #expect(try Self.look(playback, "ab", 1) == .differs)
    }

    @Test func momentsSayWhichMessagesTheyWaitFor() {
        #expect(PlaybackMoments(Self.chat("abcd")).messages == [1, 1, 2, nil])
        #expect(PlaybackMoments(Self.chat("abcd", after: [nil, nil])).messages.isEmpty)
        var ended = Self.chat("abcd")
        guard case .response(var response) = ended.outcome else { return }
        response.chunks.append(RecordedResponse.Chunk(at: 2, length: 0, after: 2))
        ended.outcome = .response(response)
        #expect(PlaybackMoments(ended).messages == [1, 1, 2, 2])
        #expect(PlaybackMoments(ended).pieces == [1, 1])
    }
}
