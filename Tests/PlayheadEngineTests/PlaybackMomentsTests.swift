import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

struct PlaybackMomentsTests {
    private func stream(
        _ body: String, _ chunks: [(Int, Int)], first: Int? = 10, total: Int? = 100, headers: [(String, String)] = []
    ) -> Exchange {
        var exchange = exchange("https://a.test/", answerHeaders: headers)
        exchange.timing = Exchange.Timing(firstByte: first, total: total)
        var response = RecordedResponse(
            status: 200, headers: HeaderList(headers), body: RecordedBody(.octets(ByteBuffer(string: body))))
        response.chunks = chunks.map { RecordedResponse.Chunk(at: $0.0, length: $0.1) }
        exchange.outcome = .response(response)
        return exchange
    }

    @Test func namesTheHeadEachChunkAndTheEnd() {
        let moments = PlaybackMoments(self.stream("abcdef", [(20, 1), (30, 2), (40, 3)]))
        #expect(moments.times == [10, 20, 30, 40, 100])
        #expect(moments.pieces == [1, 2, 3])
        #expect(moments.end == 4)
    }

    @Test func neverGoesBack() {
        let moments = PlaybackMoments(self.stream("abc", [(5, 1), (400, 2)], total: nil))
        #expect(moments.times == [10, 10, 400, 400])
    }

    @Test func aBodyWithoutFittingChunksGoesWithTheEnd() {
        for exchange in [
            self.stream("abc", []), self.stream("abc", [(1, 3)]), self.stream("abc", [(1, 1), (2, 1)]),
            self.stream("abc", [(1, .max), (2, .max)]), self.stream("abc", [(1, -1), (2, 4)]),
            self.stream("abc", [(1, 1), (2, 2)], headers: [("Content-Length", "3")]),
        ] {
            #expect(PlaybackMoments(exchange).times == [10, 100])
            #expect(PlaybackMoments(exchange).pieces.isEmpty)
        }
    }

    @Test func aFailureWithoutAResponseHasOneMoment() {
        var exchange = exchange("https://a.test/")
        exchange.timing = Exchange.Timing(total: 70)
        exchange.outcome = .failure(RecordedFailure(kind: .refused, message: "no"))
        #expect(PlaybackMoments(exchange).times == [70])
    }
}
