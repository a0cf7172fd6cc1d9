import Foundation
import NIOCore
import PlayheadCassette
import PlayheadContent
import Testing

struct CassetteWriterTests {
    @Test func leavesAnEqualFileAlone() throws {
        let folder = TemporaryFolder()
        let cassette = Cassette(recordedWith: "x", exchanges: [Samples.plain("1")])
        #expect(try CassetteWriter.save(cassette, to: folder.location("sub/a")) == .written)
        let inode =
            try FileManager.default.attributesOfItem(atPath: folder.url("sub/a.yaml").path)[.systemFileNumber] as? Int
        #expect(try CassetteWriter.save(cassette, to: folder.location("sub/a")) == .unchanged)
        let after =
            try FileManager.default.attributesOfItem(atPath: folder.url("sub/a.yaml").path)[.systemFileNumber] as? Int
        #expect(inode == after)
        #expect(folder.names == ["sub", "sub/a.yaml"])
    }

    @Test func leavesTheOldFileWhenTheNewOneFails() throws {
        let folder = TemporaryFolder()
        try CassetteWriter.save(Cassette(recordedWith: "old"), to: folder.location())
        let old = folder.data("a.yaml")
        mkdir(folder.url(".a.yaml.tmp").path, 0o700)
        #expect(throws: CassetteError(.cannotWrite, "")) {
            try CassetteWriter.save(Cassette(recordedWith: "new"), to: folder.location())
        }
        #expect(folder.data("a.yaml") == old)
    }

    @Test func doesNotFollowALinkInPlaceOfItsTemporaryFile() throws {
        let folder = TemporaryFolder()
        folder.write("precious", to: "victim")
        symlink("victim", folder.url(".a.yaml.tmp").path)
        #expect(throws: CassetteError.self) {
            try CassetteWriter.save(Cassette(recordedWith: "x"), to: folder.location())
        }
        #expect(folder.data("victim") == Data("precious".utf8))
    }

    @Test func clearsSideFilesThatNothingRefersTo() throws {
        let folder = TemporaryFolder()
        let location = folder.location()
        var exchange = Samples.plain("1")
        let writer = try SideFileWriter(location, mediaType: MediaType.parse("application/json"), unique: "1")
        try writer.write(ByteBuffer(string: "te"))
        try writer.write(ByteBuffer(string: "st"))
        let kept = try writer.finish()
        #expect(kept.name == "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.json")
        let other = try SideFileWriter(location, unique: "2")
        try other.write(ByteBuffer(string: "gone"))
        _ = try other.finish()
        folder.write("mine", to: "a.bodies/notes.txt")
        exchange.request.body = RecordedBody(.file(kept))
        try CassetteWriter.save(Cassette(recordedWith: "x", exchanges: [exchange]), to: location)
        #expect(folder.names == ["a.bodies", "a.bodies/\(kept.name)", "a.bodies/notes.txt", "a.yaml"])
        #expect(try exchange.request.body.octets(at: location) == ByteBuffer(string: "test"))
    }

    @Test func keepsSideFilesOfTheJournal() throws {
        let folder = TemporaryFolder()
        let location = folder.location()
        let writer = try SideFileWriter(location, unique: "1")
        try writer.write(ByteBuffer(string: "x"))
        let reference = try writer.finish()
        var exchange = Samples.plain("2")
        exchange.request.body = RecordedBody(.file(reference))
        let journal = try CassetteJournal.open(location)
        try journal.append(exchange)
        try CassetteWriter.save(Cassette(recordedWith: "x", exchanges: [Samples.plain("1")]), to: location)
        #expect(try exchange.request.body.octets(at: location) == ByteBuffer(string: "x"))
        try CassetteMerge.save(location, base: Cassette(recordedWith: "x"), journal: journal)
        #expect(try exchange.request.body.octets(at: location) == ByteBuffer(string: "x"))
    }

    @Test func refusesSideFilesThatAreNotWhatWasRecorded() throws {
        let folder = TemporaryFolder()
        let location = folder.location()
        let writer = try SideFileWriter(location, unique: "1")
        try writer.write(ByteBuffer(string: "hello"))
        let reference = try writer.finish()
        let body = RecordedBody(.file(reference))
        let path = "a.bodies/\(reference.name)"
        folder.write("hullo", to: path)
        #expect(throws: CassetteError(.sideFile, "")) { try body.octets(at: location) }
        folder.write("hell", to: path)
        #expect(throws: CassetteError(.sideFile, "")) { try body.octets(at: location) }
        try FileManager.default.removeItem(at: folder.url(path))
        #expect(throws: CassetteError(.sideFile, "")) { try body.octets(at: location) }
        folder.write("hello", to: "target")
        symlink("../target", folder.url(path).path)
        #expect(throws: CassetteError(.unreadable, "")) { try body.octets(at: location) }
        for name in [
            "../target", "/etc/passwd", "x", "\(reference.sha256)", "\(reference.sha256)./x", "\(reference.sha256).BIN",
        ] {
            let bad = RecordedBody(.file(SideFileReference(name: name, length: 5, sha256: reference.sha256)))
            #expect(throws: CassetteError(.illegalName, ""), "\(name)") { try bad.octets(at: location) }
        }
    }

    @Test func leavesNothingOfAnAbortedSideFile() throws {
        let folder = TemporaryFolder()
        do {
            let writer = try SideFileWriter(folder.location(), unique: "../1")
            try writer.write(ByteBuffer(string: "x"))
        }
        #expect(folder.names == ["a.bodies"])
    }
}
