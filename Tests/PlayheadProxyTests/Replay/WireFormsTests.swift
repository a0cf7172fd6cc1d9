import NIOCore
import PlayheadCassette
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

@Suite struct WireFormsTests {
    private func exchange(_ body: RecordedBody, method: String = "GET", headers: HeaderList = HeaderList()) -> Exchange
    {
        Exchange(
            id: "1", recordedAt: Timestamp(milliseconds: 0),
            request: RecordedRequest(method: method, url: "https://example.com/"),
            outcome: .response(RecordedResponse(status: 200, reason: "OK", headers: headers, body: body)))
    }

    private func sized(_ length: Int) -> Exchange {
        let octet = UInt8(truncatingIfNeeded: length)
        return self.exchange(
            RecordedBody(.octets(ByteBuffer(repeating: octet, count: length))),
            headers: HeaderList([("Content-Length", "\(length)")]))
    }

    @Test("The forms are those of the single responses, however they are cut into buffers", arguments: [1, 2, 7])
    func formsAreThoseOfTheResponses(parts: Int) throws {
        // The large ones do not fit what is left of a buffer, or any buffer.
        let lengths = (0..<300).map { $0 * 7 } + [5_000_000, 0, 40_000_000, 1, 33_000_000, 2]
        let exchanges = lengths.map(self.sized)
        let forms = WireForms(exchanges, limit: 1 << 30, parts: parts)
        for (position, exchange) in exchanges.enumerated() {
            let form = try #require(forms[position])
            #expect(form == ReplayResponse.whole(exchange)?.wire())
        }
        #expect(forms.octetCount == exchanges.indices.reduce(0) { $0 + (forms[$1]?.readableBytes ?? 0) })
    }

    @Test func chunkedResponsesAreWhole() throws {
        let forms = WireForms([self.exchange(RecordedBody(.octets(ByteBuffer(string: "abc"))))])
        let form = try #require(forms[0])
        #expect(String(buffer: form) == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
    }

    @Test func whatMustBeEncodedOrReadIsLeftOut() {
        var coded = RecordedBody(.octets(ByteBuffer(string: "abc")))
        coded.coding = ["gzip"]
        var cut = RecordedBody(.octets(ByteBuffer(string: "abc")))
        cut.isTruncated = true
        var failure = self.sized(1)
        failure.outcome = .failure(RecordedFailure(kind: .reset, message: "reset"))
        let forms = WireForms([self.exchange(coded), self.exchange(cut), self.sized(3), failure])
        #expect((0..<4).map { forms[$0] != nil } == [false, false, true, false])
    }

    @Test func theLimitEndsIt() throws {
        let exchanges = (0..<10).map { _ in self.sized(1000) }
        let one = try #require(ReplayResponse.whole(exchanges[0])).wireCapacity
        var forms = WireForms(exchanges, limit: 3 * one, parts: 1)
        #expect((0..<10).map { forms[$0] != nil } == [true, true, true] + Array(repeating: false, count: 7))
        #expect(forms.octetCount <= 3 * one)
        forms.keep(ByteBuffer(string: "late"), at: 9)
        #expect(forms[9] == ByteBuffer(string: "late"))
        forms.keep(ByteBuffer(string: "later"), at: 9)
        #expect(forms[9] == ByteBuffer(string: "late"))
    }
}
