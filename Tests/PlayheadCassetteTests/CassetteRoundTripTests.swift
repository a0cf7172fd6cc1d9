import NIOCore
import PlayheadCassette
import PlayheadHTTP
import PlayheadTestSupport
import Testing

struct CassetteRoundTripTests {
    @Test(arguments: CassetteFormat.allCases) func keepsRandomExchanges(format: CassetteFormat) throws {
        for seed in 0..<150 as Range<UInt64> {
            var generator = SeededGenerator(state: seed)
            let count = Int.random(in: 0...4, using: &generator)
            let cassette = Cassette(
                recordedWith: Samples.texts.randomElement(using: &generator)!,
                metadata: ["note": Samples.texts.randomElement(using: &generator)!, "yes": "no"],
                matchers: ["method", "uri"],
                exchanges: (0..<count).map { Samples.exchange(id: "\($0)", &generator) })
            let bytes = CassetteWriter.encode(cassette, format: format)
            let again: Cassette
            do {
                again = try CassetteReader.parse(bytes, format: format, fileName: "seed-\(seed)")
            } catch {
                Issue.record("\(error)\n\(String(buffer: bytes))")
                return
            }
            #expect(again == cassette, "seed \(seed)")
            if again != cassette { return }
            #expect(CassetteWriter.encode(again, format: format) == bytes)
        }
    }

    @Test(arguments: CassetteFormat.allCases) func keepsEveryOddTextAsBody(format: CassetteFormat) throws {
        for text in Samples.texts {
            var exchange = Samples.plain("1", body: text)
            exchange.request.body = RecordedBody(.octets(ByteBuffer(string: text)))
            let cassette = Cassette(recordedWith: "x", exchanges: [exchange, Samples.plain("2")])
            let bytes = CassetteWriter.encode(cassette, format: format)
            let again = try CassetteReader.parse(bytes, format: format, fileName: "a")
            #expect(again == cassette, "\(text.debugDescription.prefix(80)) in \(String(buffer: bytes).prefix(3000))")
        }
    }
}
