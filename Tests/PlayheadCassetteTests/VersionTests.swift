import Foundation
import NIOCore
import Testing

@testable import PlayheadCassette

/// Files of every version load for ever: `Tests/Golden/N` holds one of version N in each format.
struct VersionTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Golden")
    private static let names = ["cassette.yaml", "cassette.json", "cassette.plist", "cassette.cassette"]
    static let versions = Array(1...Cassette.currentVersion)

    private func location(_ version: Int, _ name: String) throws -> CassetteLocation {
        CassetteLocation(
            folder: Self.root.appending(path: "\(version)").path, name: try CassetteName.validated(name))
    }

    @Test(arguments: versions) func everyFormatOfEveryVersionLoads(version: Int) throws {
        for name in Self.names {
            let read = try #require(
                try CassetteReader.read(self.location(version, name)), "\(version)/\(name) is missing")
            #expect(read == GoldenTests.cassette, "\(version)/\(name)")
        }
    }

    @Test(arguments: versions) func theJournalOfEveryVersionLoads(version: Int) throws {
        let folder = TemporaryFolder()
        let golden = Self.root.appending(path: "\(version)/journal.bin")
        try FileManager.default.copyItem(at: golden, to: folder.url("a.journal"))
        let (exchanges, torn) = try CassetteJournal.recover(folder.location())
        #expect(exchanges == GoldenTests.cassette.exchanges && torn == nil)
    }

    @Test func theNewestVersionIsWrittenAsItsFilesSay() throws {
        let folder = TemporaryFolder()
        for name in Self.names {
            try CassetteWriter.save(GoldenTests.cassette, to: folder.location(name))
        }
        for name in folder.names where !name.hasSuffix(".cassette") {
            let golden = try Data(contentsOf: Self.root.appending(path: "\(Cassette.currentVersion)/\(name)"))
            #expect(folder.data(name) == golden, "\(name)")
        }
    }

    @Test func everyOlderVersionHasItsStep() {
        #expect(CassetteVersions.steps.keys.sorted() == Array(1..<Cassette.currentVersion))
    }

    @Test(arguments: CassetteFormat.allCases) func aNewerVersionNamesTheProgramThatIsNeeded(
        format: CassetteFormat
    ) throws {
        let newer = Cassette.currentVersion + 1
        let text = String(buffer: CassetteWriter.encode(GoldenTests.cassette, format: format))
            .replacing("playhead: \(newer - 1)\n", with: "playhead: \(newer)\n")
            .replacing("\"playhead\": \(newer - 1),", with: "\"playhead\": \(newer),")
            .replacing("<integer>\(newer - 1)</integer>", with: "<integer>\(newer)</integer>", maxReplacements: 1)
        let error = #expect(throws: CassetteError.self) {
            try CassetteReader.parse(ByteBuffer(string: text), format: format, fileName: "f")
        }
        #expect(error?.code == .tooNew && (error?.line ?? 0) > 0)
        #expect(
            error?.message
                == "the cassette has format \(newer) and this program reads up to \(newer - 1); use playhead \(newer) or newer"
        )
    }

    @Test func aJournalOfANewerVersionIsSetAsideNotLost() throws {
        let folder = TemporaryFolder()
        let journal = try CassetteJournal.open(folder.location())
        try journal.append(Samples.plain("1"))
        var bytes = try #require(folder.data("a.journal"))
        bytes[6] = 2
        try bytes.write(to: folder.url("a.journal"))
        let (exchanges, torn) = try CassetteJournal.recover(folder.location())
        #expect(exchanges == [] && torn?.reason == "this is not a journal of this version")
        #expect(folder.data("a.journal.torn") == bytes)
    }

    /// The table itself, with steps of a made-up history: version 1 had `verb`, version 2 `methd`, version 3 `method`.
    @Test func stepsRunOneAfterTheOther() throws {
        let rename: @Sendable (String, String) -> @Sendable (YAMLNode) throws(CassetteError) -> YAMLNode = { old, new in
            { node throws(CassetteError) in
                guard case .mapping(var entries) = node.content,
                    let index = entries.firstIndex(where: { $0.key == old })
                else { throw CassetteError(.malformed, "no '\(old)'", line: node.line) }
                entries[index].key = new
                return YAMLNode(.mapping(entries), line: node.line)
            }
        }
        let steps = [1: rename("verb", "methd"), 2: rename("methd", "method")]
        let keys = { (text: String, version: Int) throws in
            let node = try #require(try YAMLDocument.parse(ByteBuffer(string: text), fileName: "f"))
            return try CassetteVersions.upgraded(node, from: version, to: 3, by: steps).mapping?.map(\.key)
        }
        #expect(try keys("verb: GET\nurl: x\n", 1) == ["method", "url"])
        #expect(try keys("methd: GET\n", 2) == ["method"])
        #expect(try keys("method: GET\n", 3) == ["method"])
        #expect(throws: CassetteError.self) { try keys("method: GET\n", 1) }
        let gap = #expect(throws: CassetteError.self) {
            let node = try #require(try YAMLDocument.parse(ByteBuffer(string: "a: b\n"), fileName: "f"))
            _ = try CassetteVersions.upgraded(node, from: 1, to: 3, by: [2: rename("a", "b")])
        }
        #expect(gap?.message.contains("format 1 has no way to format 2") == true)
    }
}
