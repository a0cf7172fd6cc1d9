import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

struct ChronologyTests {
    /// A streamed exchange whose parts come at these moments after its start.
    private func stream(at start: Int64, _ moments: [Int]) -> Exchange {
        var exchange = exchange("https://a.test/", at: start)
        let chunks = moments.dropFirst().dropLast()
        exchange.timing = Exchange.Timing(firstByte: moments.first, total: moments.last)
        var response = RecordedResponse(
            status: 200, body: RecordedBody(.octets(ByteBuffer(string: String(repeating: "x", count: chunks.count)))))
        response.chunks = chunks.map { RecordedResponse.Chunk(at: $0, length: 1) }
        exchange.outcome = .response(response)
        return exchange
    }

    /// Exchange 0: head 10, chunks 20 and 60, end 60; exchange 1: head 30, chunks 40 and 50, end 50.
    private var two: Chronology {
        Chronology([self.stream(at: 0, [10, 20, 60, 60]), self.stream(at: 5, [25, 35, 45, 45])])
    }

    @Test func aPartMayGoWhenAllBeforeItWereSent() {
        var order = self.two
        order.begin(1)
        #expect(!order.maySend(1, moment: 0))
        order.begin(0)
        #expect(order.maySend(0, moment: 0) && !order.maySend(0, moment: 1))
        order.sent(0, first: 2)
        #expect(!order.maySend(0, moment: 2))
        #expect(order.maySend(1, moment: 0))
        order.sent(1, first: 3)
        #expect(!order.maySend(0, moment: 2))
        order.sent(1, first: 4)
        #expect(order.maySend(0, moment: 2))
        order.sent(0, first: 4)
        #expect(order.front == 8)
    }

    @Test func passesOverOnlyWhatNobodyAsksFor() {
        var order = self.two
        order.begin(1)
        #expect(order.passOver(before: 1, moment: 0) == [0])
        #expect(order.maySend(1, moment: 0))
        // It may come after all, and waits for nothing then.
        order.begin(0)
        #expect(order.maySend(0, moment: 3))

        var other = self.two
        other.begin(0)
        other.begin(1)
        #expect(other.passOver(before: 1, moment: 0) == [])
        #expect(!other.maySend(1, moment: 0))
    }

    @Test func anExchangeWhoseClientLeftIsAwaitedAgain() {
        var order = self.two
        order.begin(0)
        order.sent(0, first: 1)
        order.left(0)
        order.begin(1)
        #expect(!order.maySend(1, moment: 0))
        order.begin(0)
        #expect(order.maySend(0, moment: 0) && order.maySend(0, moment: 1))
        order.sent(0, first: 2)
        #expect(order.maySend(1, moment: 0))
        order.left(0)
        order.sent(1, first: 4)
        #expect(order.passOver(before: 0, moment: 2) == [])
        #expect(order.maySend(0, moment: 2))
    }

    @Test func whatCameAtOneTimeKeepsItsPlaceInTheCassette() {
        var order = Chronology([exchange("https://a.test/1", at: 7), exchange("https://a.test/2", at: 7)])
        #expect(!order.maySend(1, moment: 0))
        order.begin(0)
        order.sent(0, first: 2)
        #expect(order.maySend(1, moment: 0))
        order.rewind()
        #expect(order.front == 0 && !order.maySend(1, moment: 0))
    }

    @Test func survivesAnyTimeAndAnyPart() {
        let order = Chronology([exchange("https://a.test/1", at: .max), exchange("https://a.test/2", at: .min)])
        #expect(order.maySend(1, moment: 0) && !order.maySend(0, moment: 0))
        #expect(order.maySend(0, moment: 99))
    }
}
