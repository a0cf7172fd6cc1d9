import NIOCore
import PlayheadTestSupport
import Testing

@testable import PlayheadCassette

struct YAMLPartsTests {
    private static let cassette = Cassette(
        recordedWith: "playhead 0.1.0", metadata: ["note": "x"],
        exchanges: (1...9).map { Samples.plain("\($0)", body: "line \($0)\n- id: no exchange\n") })

    private func text(_ cassette: Cassette = Self.cassette) -> String {
        String(buffer: CassetteWriter.encode(cassette))
    }

    @Test(arguments: 1...12) func readsAnyNumberOfPartsInOrder(parts: Int) throws {
        for seed in 0..<20 as Range<UInt64> {
            var generator = SeededGenerator(state: seed)
            let cassette = Cassette(
                recordedWith: "x", exchanges: (0..<7).map { Samples.exchange(id: "\($0)", &generator) })
            #expect(YAMLParts(CassetteWriter.encode(cassette), parts: parts).cassette() == cassette)
        }
    }

    @Test func readsOnlyEditedExchangesWithLibyaml() throws {
        let edited = self.text().replacing(
            "url: https://example.com/a?b=4", with: "url:   'https://example.com/a?b=4' # mine")
        let bytes = ByteBuffer(string: edited)
        let start = try #require(YAMLParts(bytes).header()).end
        let part = try #require(YAMLPart.read(bytes, start..<bytes.readableBytes, version: 1))
        #expect(part.edited == 1)
        #expect(YAMLParts(bytes, parts: 3).cassette() == Self.cassette)
    }

    @Test(arguments: [
        ("playhead: 1\n", "# my cassette\nplayhead:   1\n"),
        ("exchanges:\n", "exchanges:\n\n# the first\n"),
        ("- id: \"5\"", "# über the fifth\n\n- id: \"5\""),
        ("- id: \"5\"", "- id: 5"),
        ("status: 200", "status:  200 # fine"),
    ])
    func keepsTheFastWayAfterAnEdit(_ old: String, _ new: String) throws {
        let edited = self.text().replacing(old, with: new)
        #expect(YAMLParts(ByteBuffer(string: edited), parts: 2).cassette() == Self.cassette, "\(edited)")
    }

    @Test(arguments: [
        ("- id: \"5\"", "- id: \"4\""), ("- id: \"5\"", "...\n- id: \"5\""), ("- id: \"5\"", "---\n- id: \"5\""),
        ("- id: \"5\"", "metadata: {}\n- id: \"5\""), ("- id: \"5\"", "  - id: \"5\""),
        ("- id: \"5\"", "#\u{1}\n- id: \"5\""), ("url: https", "url: &a https"), ("method: GET", "method: G T"),
        ("method: GET", "method: \"GET\n- id: 77"), ("status: 200", "status: 99"), ("playhead: 1", "playhead: 2"),
    ])
    func leavesWhatIsWrongToTheFullReader(_ old: String, _ new: String) throws {
        let bytes = ByteBuffer(string: self.text().replacing(old, with: new))
        for parts in 1...4 { #expect(YAMLParts(bytes, parts: parts).cassette() == nil) }
        #expect(throws: CassetteError.self) { try CassetteReader.parse(bytes, fileName: "f") }
    }

    @Test func findsAnIdThatIsInTwoParts() throws {
        let bytes = ByteBuffer(string: self.text().replacing("- id: \"9\"", with: "- id: \"1\""))
        #expect(YAMLParts(bytes, parts: 4).cassette() == nil)
        let error = #expect(throws: CassetteError.self) { try CassetteReader.parse(bytes, fileName: "f") }
        #expect(error?.message.contains("twice") == true)
        #expect(error?.line != nil)
    }

    @Test(arguments: CassetteFormat.allCases) func readsTheHeaderAlone(format: CassetteFormat) throws {
        var wanted = Self.cassette
        wanted.matchers = ["method", "uri"]
        wanted.metadata = [
            "a": "\n  \"exchanges\": [", "b": "\n\t<key>exchanges</key>\n\t<array>\n", "c": "\nexchanges:\n",
        ]
        var bytes = CassetteWriter.encode(wanted, format: format)
        wanted.exchanges = []
        // What follows may be anything: it is not looked at.
        bytes.setString("\u{1}!", at: bytes.writerIndex - 200)
        #expect(CassetteReader.header(bytes, format: format) == wanted)
    }
}
