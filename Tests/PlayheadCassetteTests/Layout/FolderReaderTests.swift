import Foundation
import Testing

@testable import PlayheadCassette

/// Folders that people edited, cut off or built to do harm.
struct FolderReaderTests {
    private let folder = TemporaryFolder()
    private static let exchange = """
        id: a
        recorded_at: 2026-01-01T00:00:00Z
        request:
          method: GET
          url: http://h/
        response:
          status: 200

        """

    private func make(_ files: [(String, String)]) -> CassetteLocation {
        mkdir(self.folder.url("a.cassette").path, 0o700)
        for (name, text) in files { self.folder.write(text, to: "a.cassette/\(name)") }
        return self.folder.location("a.cassette")
    }

    @Test func readsAFolderThatWasWrittenByHand() throws {
        let second = Self.exchange.replacing("id: a", with: "position: 1\nid: b")
        let location = self.make([
            ("cassette.yaml", "playhead: 1\n"), ("anything.yaml", Self.exchange), ("z.yaml", second),
            ("README.md", "notes"),
        ])
        let cassette = try #require(try CassetteReader.read(location))
        #expect(cassette.exchanges.map(\.id) == ["b", "a"])
    }

    @Test func aFolderThatIsNotThereOrEmptyIsNoCassette() throws {
        #expect(try CassetteReader.read(self.folder.location("a.cassette")) == nil)
        #expect(try CassetteReader.read(self.make([("README.md", "x")])) == nil)
        #expect(try CassetteReader.isEncrypted(self.folder.location("a.cassette")) == nil)
    }

    /// The files, the one that is at fault, its line, and words of the reason.
    static let wrong: [([(String, String)], String, Int?, String)] = [
        ([("x.yaml", exchange)], "cassette.yaml", nil, "no cassette.yaml; restore it"),
        ([("cassette.yaml", "")], "cassette.yaml", 1, "must be a dictionary"),
        ([("cassette.yaml", "- a\n")], "cassette.yaml", 1, "must be a dictionary"),
        ([("cassette.yaml", "recorded_with: x\n")], "cassette.yaml", 1, "must begin with its format version"),
        ([("cassette.yaml", "playhead: 2\n")], "cassette.yaml", 1, "use playhead 2 or newer"),
        ([("cassette.yaml", "playhead: 1\nexchanges: []\n")], "cassette.yaml", 2, "in files of their own"),
        ([("cassette.yaml", "playhead: 1\nmatcher: []\n")], "cassette.yaml", 2, "did you mean 'matchers'"),
        ([("cassette.yaml", "playhead: 1\n"), ("x.yaml", "")], "x.yaml", 1, "holds no exchange"),
        ([("cassette.yaml", "playhead: 1\n"), ("x.yaml", "just text\n")], "x.yaml", 1, "must be a dictionary"),
        ([("cassette.yaml", "playhead: 1\n"), ("x.yaml", "[[[[\n")], "x.yaml", 2, "cut off"),
        (
            [("cassette.yaml", "playhead: 1\n"), ("x.yaml", exchange + "respnse: {}\n")], "x.yaml", 8,
            "did you mean 'response'"
        ),
        ([("cassette.yaml", "playhead: 1\n"), ("x.yaml", "position: no\n" + exchange)], "x.yaml", 1, "whole number"),
        ([("cassette.yaml", "playhead: 1\n"), ("x.yaml", "id: &x a\n")], "x.yaml", 1, "anchor"),
        (
            [("cassette.yaml", "playhead: 1\n"), ("x.yaml", exchange), ("y.yaml", exchange)], "y.yaml", 1,
            "is there twice"
        ),
        (
            [("cassette.yaml", "playhead: 1\n"), ("x.yaml", "<<<<<<< HEAD\n" + exchange)], "x.yaml", 1,
            "merge conflict"
        ),
    ]

    @Test(arguments: wrong.indices) func oneErrorNamesFileAndLine(index: Int) throws {
        let (files, name, line, words) = Self.wrong[index]
        let error = #expect(throws: CassetteError.self) { try CassetteReader.read(self.make(files)) }
        #expect(error?.file == self.folder.path + "/a.cassette/" + name)
        #expect(error?.line == line)
        #expect(error?.message.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test func everyCutOfAFileIsAnErrorOrTheWholeExchange() throws {
        let location = self.make([("cassette.yaml", "playhead: 1\n"), ("x.yaml", Self.exchange)])
        let whole = try CassetteReader.read(location)
        for length in 0..<Self.exchange.utf8.count - 1 {
            self.folder.write(String(Self.exchange.prefix(length)), to: "a.cassette/x.yaml")
            #expect(throws: CassetteError.self, "\(length)") { try CassetteReader.read(location) }
        }
        self.folder.write(Self.exchange, to: "a.cassette/x.yaml")
        #expect(try CassetteReader.read(location) == whole)
    }

    @Test func aLinkAmongTheExchangesIsRefused() throws {
        let location = self.make([("cassette.yaml", "playhead: 1\n")])
        symlink("/etc/passwd", self.folder.url("a.cassette/x.yaml").path)
        let error = #expect(throws: CassetteError.self) { try CassetteReader.read(location) }
        #expect(error?.message.contains("symbolic link") == true)
    }

    @Test func theWholeFolderHasABound() throws {
        let location = self.make([
            ("cassette.yaml", "playhead: 1\n"), ("x.yaml", Self.exchange),
            ("y.yaml", Self.exchange.replacing("id: a", with: "id: b")),
        ])
        #expect(try CassetteReader.read(location, limit: 1000) != nil)
        #expect(throws: CassetteError(.tooLarge, "")) { try CassetteReader.read(location, limit: 200) }
    }
}
