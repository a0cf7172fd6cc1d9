import NIOCore
import PlayheadHTTP
import PlayheadTestSupport
import Testing

@testable import PlayheadCassette

/// The fast reader must see what libyaml sees, or give up.
struct CanonicalYAMLTests {
    /// What the full parser makes of it; nil if it refuses.
    private func full(_ bytes: ByteBuffer) -> Cassette? { try? CassetteReader.parseYAML(bytes, fileName: "f") }

    @Test func readsAllThatWeWrite() throws {
        for seed in 0..<150 as Range<UInt64> {
            var generator = SeededGenerator(state: seed)
            let cassette = Cassette(
                recordedWith: "playhead 0.1.0",
                exchanges: (0..<3).map { Samples.exchange(id: "\($0)", &generator) })
            let bytes = CassetteWriter.encode(cassette)
            #expect(YAMLParts(bytes).cassette() == cassette, "seed \(seed)\n\(String(buffer: bytes))")
        }
    }

    /// To libyaml a key may begin at `:?` in a list on one line, and so on.
    @Test(arguments: ["a:?b", "a?b", "a:,b", "a:[b", "a::b", "a-:b", "?a", "a ?b", "a: ?b", "a:? b"])
    func libyamlReadsAllThatWeWrite(_ value: String) {
        var exchange = Samples.plain("1")
        exchange.request.headers = HeaderList([("X-Odd", value)])
        let cassette = Cassette(recordedWith: "x", metadata: ["k": value], exchanges: [exchange])
        let bytes = CassetteWriter.encode(cassette)
        #expect(self.full(bytes) == cassette, "\(String(buffer: bytes))")
        #expect(YAMLParts(bytes).cassette() == cassette)
    }

    @Test func agreesWithLibyamlOnChangedFiles() throws {
        var text = Samples.plain("1", body: "a\r\n b\r\n\u{1}é")
        text.request.body = RecordedBody(.octets(ByteBuffer(string: "\n  x\ny: z\n\n")))
        let bytes = CassetteWriter.encode(
            Cassette(
                recordedWith: "playhead 0.1.0", metadata: ["a": "b #"],
                exchanges: [text, Samples.plain("2"), WebSocketNodesTests.exchange].enumerated().map {
                    var exchange = $0.element
                    exchange.id = "\($0.offset)"
                    return exchange
                }))
        let octets: [UInt8] = Array("\n \t\"'\\:#,[]{}|-+2~&*!%@x0?".utf8) + [0, 0x7f, 0x85, 0xc2, 0xff]
        var understood = 0
        func check(_ changed: ByteBuffer) {
            guard let fast = YAMLParts(changed, parts: 2).cassette() else { return }
            understood += 1
            #expect(self.full(changed) == fast, "\(String(buffer: changed))")
        }
        for index in 0..<bytes.readableBytes {
            for (number, octet) in octets.enumerated() where (number + index) % 4 == 0 {
                var changed = bytes
                changed.setInteger(octet, at: index)
                check(changed)
                var longer = ByteBuffer(bytes: bytes.readableBytesView.prefix(index))
                longer.writeInteger(octet)
                longer.writeBytes(bytes.readableBytesView.dropFirst(index))
                check(longer)
            }
            check(
                ByteBuffer(bytes: bytes.readableBytesView.prefix(index) + bytes.readableBytesView.dropFirst(index + 1)))
            check(ByteBuffer(bytes: bytes.readableBytesView.prefix(index)))
        }
        #expect(understood > 100)
    }
}
