import NIOCore
import PlayheadCassette
import PlayheadTestSupport
import Testing

/// Files in JSON and plist that people or attackers made; those in YAML are in `CassetteReaderTests`.
struct HostileFilesTests {
    /// The format, a file, the line of its error, and words of the reason.
    static let wrong: [(CassetteFormat, String, Int, String)] = [
        (.json, "\n", 2, "cut off"), (.json, "[]", 1, "must be a dictionary"),
        (.json, "{\n\"exchanges\": []}", 2, "must begin with its format version"),
        (.json, "{\"playhead\": 2,\n\"exchanges\": []}", 1, "use playhead 2 or newer"),
        (.json, "{\"playhead\": 1,\n\"exchanges\": [\n", 3, "cut off"),
        (.json, "{\"playhead\": 1,\n\"exchanges\": {}}", 2, "must be a list"),
        (.json, "{\"playhead\": 1,\n\"exchange\": []}", 2, "did you mean 'exchanges'"),
        (.json, "{\"playhead\": 1,\n\"exchanges\": [],\n\"exchanges\": []}", 3, "twice"),
        (.json, "{\"playhead\": 1,\n\"exchanges\": [{\n\"id\": \"1\", \"id\": \"2\"}]}", 3, "twice"),
        (.json, "{\"playhead\": 1,\n\"exchanges\": [\n{\"id\": \"1\"}]}", 3, "recorded_at"),
        (.json, "{\"playhead\": 1,\n<<<<<<< HEAD\n\"exchanges\": []}", 2, "merge conflict"),
        (.json, "{\"playhead\": 1,\n\"metadata\": \(String(repeating: "[", count: 500))", 2, "nests more than 64"),
        (.json, "{\"playhead\": 1,\n\"exchanges\": []}\n{}", 3, ""), (.json, "{\"playhead\": 1,\n'a': 1}", 2, ""),
        (.plist, "\n", 2, "cut off"), (.plist, "<html>\n</html>", 1, "not a property list"),
        (.plist, "<plist>\n<array></array></plist>", 2, "must be a dictionary"),
        (.plist, "<plist><dict>\n<key>playhead</key><integer>2</integer></dict></plist>", 2, "use playhead 2 or newer"),
        (
            .plist, "<!DOCTYPE plist [\n<!ENTITY a \"aaaa\">]>\n<plist><dict></dict></plist>", 2,
            ""
        ),
        (.plist, "<plist><dict>\n<key>playhead</key><string>&a;</string></dict></plist>", 2, ""),
        (
            .plist,
            "<plist><dict>\n<key>playhead</key><integer>1</integer>\n<key>metadata</key>"
                + String(repeating: "<array>", count: 500), 3, "deep"
        ),
        (
            .plist,
            "<plist><dict>\n<key>playhead</key><integer>1</integer>\n<key>exchange</key><array/></dict></plist>", 3,
            "did you mean 'exchanges'"
        ),
    ]

    @Test(arguments: wrong.indices) func oneErrorNamesTheLineAndTheReason(index: Int) throws {
        let (format, text, line, words) = Self.wrong[index]
        let error = #expect(throws: CassetteError.self, "\(text)") {
            try CassetteReader.parse(ByteBuffer(string: text), format: format, fileName: "f")
        }
        #expect(error?.line == line && error?.file == "f", "\(error?.description ?? "") for\n\(text.prefix(200))")
        #expect(error?.message.contains(words) == true, "\(error?.description ?? "")")
    }

    /// What a slip of an editor, a merge, or a broken disk makes of a file.
    private func damaged(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
            let start = Int.random(in: 0..<bytes.count, using: &generator)
            let end = min(bytes.count, start + Int.random(in: 1...40, using: &generator))
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bytes.removeSubrange(start..<end)
            case 1: bytes.insert(contentsOf: bytes[start..<end], at: start)
            case 2: bytes[start] = UInt8.random(in: 0...255, using: &generator)
            case 3: bytes.removeLast(bytes.count - start)
            case 4: bytes.insert(contentsOf: Array(" \n:-\"&*!<>{}[]".utf8).shuffled(using: &generator), at: start)
            default: bytes.swapAt(start, end - 1)
            }
        }
        return bytes
    }

    @Test(arguments: CassetteFormat.allCases) func aDamagedFileIsReadWellOrIsOneErrorWithALine(
        format: CassetteFormat
    ) throws {
        var accepted = 0
        for seed in 0..<200 as Range<UInt64> {
            var generator = SeededGenerator(state: seed &* 7919)
            let cassette = Cassette(
                recordedWith: "playhead 0.1.0", metadata: ["note": "a"], matchers: ["method"],
                exchanges: (0..<2).map { Samples.exchange(id: "\($0)", &generator) })
            let whole = Array(CassetteWriter.encode(cassette, format: format).readableBytesView)
            let bytes = ByteBuffer(bytes: self.damaged(whole, &generator))
            do {
                let read = try CassetteReader.parse(bytes, format: format, fileName: "f")
                accepted += 1
                // What was accepted is a whole cassette: it can be written and read again.
                let again = CassetteWriter.encode(read, format: format)
                #expect(try CassetteReader.parse(again, format: format, fileName: "f") == read, "seed \(seed)")
            } catch {
                #expect(error.file == "f" && !error.message.isEmpty, "seed \(seed)")
                #expect(error.line != nil || error.message.hasSuffix("cut off"), "seed \(seed): \(error)")
            }
        }
        // Damage in a text is no damage to the form; neither must the test only see errors, or none.
        #expect(accepted > 0 && accepted < 195, "\(accepted)")
    }
}
