import Foundation
import NIOCore
import Testing

@testable import PlayheadCassette

struct FolderWriterTests {
    private let folder = TemporaryFolder()

    private func inodes() throws -> [String: Int] {
        var found: [String: Int] = [:]
        for name in self.folder.names where name.hasSuffix(".yaml") {
            let values = try FileManager.default.attributesOfItem(atPath: self.folder.url(name).path)
            found[name] = values[.systemFileNumber] as? Int
        }
        return found
    }

    private func exchanges(_ count: Int) -> [Exchange] {
        (1...count).map { number in
            var exchange = Samples.plain("\(number)")
            exchange.request.url = "https://example.com/\(number)"
            return exchange
        }
    }

    @Test func writesOneFilePerExchange() throws {
        let location = self.folder.location("a.cassette")
        let cassette = Cassette(recordedWith: "x", matchers: ["method"], exchanges: self.exchanges(2))
        #expect(try CassetteWriter.save(cassette, to: location) == .written)
        let names = self.folder.names
        #expect(names.count == 4 && names[0] == "a.cassette" && names[3] == "a.cassette/cassette.yaml")
        #expect(
            names[1].hasPrefix("a.cassette/GET-example.com-1_") && names[2].hasPrefix("a.cassette/GET-example.com-2_"))
        #expect(
            self.folder.data("a.cassette/cassette.yaml").map { String(decoding: $0, as: UTF8.self) }
                == "playhead: 1\nrecorded_with: x\nmatchers: [method]\n")
        let first = try #require(self.folder.names.first { $0.contains("com-1_") })
        let text = String(decoding: try #require(self.folder.data(first)), as: UTF8.self)
        #expect(text.hasPrefix("id: \"1\"\nrecorded_at: 2"))
        #expect(text.contains("\nrequest:\n  method: GET\n  url: https://example.com/1\n"))
        #expect(try CassetteReader.read(location) == cassette)
    }

    @Test func touchesOnlyWhatChanged() throws {
        let location = self.folder.location("a.cassette")
        var cassette = Cassette(recordedWith: "x", exchanges: self.exchanges(4))
        try CassetteWriter.save(cassette, to: location)
        let before = try self.inodes()
        #expect(try CassetteWriter.save(cassette, to: location) == .unchanged)
        #expect(try self.inodes() == before)
        cassette.exchanges[1] = Samples.plain("2", body: "other")
        cassette.exchanges[1].request.url = "https://example.com/2"
        cassette.exchanges.removeLast()
        #expect(try CassetteWriter.save(cassette, to: location) == .written)
        let after = try self.inodes()
        #expect(after.count == 4)
        #expect(after.filter { before[$0.key] == $0.value }.count == 3)
        #expect(try CassetteReader.read(location) == cassette)
    }

    @Test func keepsOrderWhenIdsDoNotSayIt() throws {
        let location = self.folder.location("a.cassette")
        var exchanges = self.exchanges(12)
        exchanges.swapAt(0, 7)
        exchanges[3].id = "named"
        let cassette = Cassette(recordedWith: "x", exchanges: exchanges)
        try CassetteWriter.save(cassette, to: location)
        #expect(try CassetteReader.read(location) == cassette)
    }

    @Test func manyExchangesStayInOrder() throws {
        let location = self.folder.location("a.cassette")
        let cassette = Cassette(recordedWith: "x", exchanges: self.exchanges(300))
        try CassetteWriter.save(cassette, to: location)
        #expect(try CassetteReader.read(location) == cassette)
    }

    @Test func keepsFilesOfPeople() throws {
        let location = self.folder.location("a.cassette")
        try CassetteWriter.save(Cassette(recordedWith: "x", exchanges: self.exchanges(2)), to: location)
        self.folder.write("mine", to: "a.cassette/README.md")
        try CassetteWriter.save(Cassette(recordedWith: "x", exchanges: self.exchanges(1)), to: location)
        #expect(self.folder.data("a.cassette/README.md") == Data("mine".utf8))
        #expect(self.folder.names.count == 4)
        mkdir(self.folder.url("a.cassette/sub").path, 0o700)
        let error = #expect(throws: CassetteError.self) {
            try CassetteWriter.save(Cassette(recordedWith: "y", exchanges: self.exchanges(2)), to: location)
        }
        #expect(error?.message.contains("move it elsewhere") == true)
        #expect(try CassetteReader.read(location)?.recordedWith == "x")
    }

    @Test func takesInTheJournal() throws {
        let location = self.folder.location("sub/a.cassette")
        let journal = try CassetteJournal.open(location)
        for exchange in self.exchanges(3) { try journal.append(exchange) }
        try CassetteMerge.save(location, base: Cassette(recordedWith: "x"), journal: journal)
        #expect(try CassetteReader.read(location)?.exchanges == self.exchanges(3))
        #expect(!self.folder.names.contains("sub/a.cassette.journal"))
    }

    @Test func leavesTheOldFolderWhenTheNewOneFails() throws {
        let location = self.folder.location("a.cassette")
        try CassetteWriter.save(Cassette(recordedWith: "old", exchanges: self.exchanges(1)), to: location)
        self.folder.write("in the way", to: ".a.cassette.tmp")
        #expect(throws: CassetteError.self) {
            try CassetteWriter.save(Cassette(recordedWith: "new", exchanges: self.exchanges(2)), to: location)
        }
        #expect(try CassetteReader.read(location)?.recordedWith == "old")
    }

    @Test func clearsWhatADeadProcessLeft() throws {
        let location = self.folder.location("a.cassette")
        try CassetteWriter.save(Cassette(recordedWith: "x", exchanges: self.exchanges(2)), to: location)
        // Died while it filled the new folder.
        mkdir(self.folder.url(".a.cassette.tmp").path, 0o700)
        self.folder.write("half", to: ".a.cassette.tmp/GET-example.com-1_0.yaml")
        try CassetteWriter.save(Cassette(recordedWith: "y", exchanges: self.exchanges(1)), to: location)
        #expect(self.folder.names.count == 3)
        // Died between the two renames of a file system that cannot swap.
        rename(self.folder.url("a.cassette").path, self.folder.url(".a.cassette.old").path)
        #expect(try CassetteReader.read(location)?.recordedWith == "y")
        #expect(!self.folder.names.contains(".a.cassette.old"))
    }

    @Test func doesNotFollowALinkInPlaceOfTheFolder() throws {
        mkdir(self.folder.url("victim").path, 0o700)
        self.folder.write("precious", to: "victim/cassette.yaml")
        symlink("victim", self.folder.url("a.cassette").path)
        #expect(throws: CassetteError(.unreadable, "")) {
            try CassetteWriter.save(Cassette(recordedWith: "x"), to: self.folder.location("a.cassette"))
        }
        #expect(throws: CassetteError(.unreadable, "")) {
            try CassetteReader.read(self.folder.location("a.cassette"))
        }
        #expect(self.folder.data("victim/cassette.yaml") == Data("precious".utf8))
    }
}
