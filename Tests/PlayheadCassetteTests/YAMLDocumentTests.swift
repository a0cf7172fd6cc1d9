import NIOCore
import PlayheadCassette
import Testing

struct YAMLDocumentTests {
    @Test func givesValuesWithTheirLines() throws {
        let text = "# c\nmode: once\nhosts:\n- a.example\n- \"yes\"\nflags: {x: true, n: 12, none: ~}\n"
        let root = try #require(try YAMLDocument.parse(ByteBuffer(string: text), fileName: "playhead.yaml"))
        #expect(root["mode"]?.text == "once")
        #expect(root["hosts"]?.sequence?.map(\.text) == ["a.example", "yes"])
        #expect(root["hosts"]?.sequence?[1].line == 5 && root["hosts"]?.sequence?[1].bool == nil)
        #expect(root["flags"]?["x"]?.bool == true && root["flags"]?["n"]?.integer == 12)
        #expect(root["flags"]?["none"]?.isNull == true)
        #expect(root.mapping?.map(\.line) == [2, 3, 6])
    }

    @Test func hasNoRootIfThereIsNothing() throws {
        for text in ["", "\n", "# a\n"] {
            let root = try YAMLDocument.parse(ByteBuffer(string: text), fileName: "f")
            #expect(root.map(\.line) == nil)
        }
    }

    @Test func boundsWhatAFileMayHold() {
        let limits = YAMLDocument.Limits(depth: 4, nodes: 10)
        for text in ["[[[[[1]]]]]\n", "[1,2,3,4,5,6,7,8,9,10]\n"] {
            #expect(throws: CassetteError(.tooLarge, "")) {
                try YAMLDocument.parse(ByteBuffer(string: text), fileName: "f", limits: limits)
            }
        }
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: CassetteError.self) { try YAMLDocument.parse(ByteBuffer(string: deep), fileName: "f") }
        let keys = (0..<50).map { "k\($0): 1\n" }.joined() + "k7: 2\n"
        #expect {
            try YAMLDocument.parse(ByteBuffer(string: keys), fileName: "f")
        } throws: { ($0 as? CassetteError)?.line == 51 }
    }

    @Test func findsTheWordThatWasMeant() {
        #expect(Spelling.nearest(to: "recordd_with", in: ["playhead", "recorded_with"]) == "recorded_with")
        #expect(Spelling.nearest(to: "recorded-with", in: ["playhead", "recorded_with"]) == "recorded_with")
        #expect(Spelling.nearest(to: "zebra", in: ["playhead", "recorded_with"]) == nil)
    }
}
