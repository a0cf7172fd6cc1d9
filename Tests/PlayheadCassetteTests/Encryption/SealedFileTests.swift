import Foundation
import NIOCore
import PlayheadContent
import Testing

@testable import PlayheadCassette

/// Cassettes, journals and side files that are encrypted on the disk.
struct SealedFileTests {
    private let folder = TemporaryFolder()
    private static let key = try! CassetteKey(
        secret: Array("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f".utf8))
    private static let other = try! CassetteKey(secret: [UInt8](repeating: 0x62, count: 64))
    private static let marker = "eighteen-red-herons"

    private func location(_ name: String = "a", key: CassetteKey? = Self.key) throws -> CassetteLocation {
        CassetteLocation(folder: self.folder.path, name: try CassetteName.validated(name), key: key)
    }

    /// Every octet that the folder holds, names included.
    private var everything: Data {
        self.folder.names.reduce(into: Data()) { all, name in
            all.append(Data(name.utf8))
            all.append(self.folder.data(name) ?? Data())
        }
    }

    private func cassette(_ location: CassetteLocation, _ count: Int = 3) throws -> Cassette {
        var exchanges = (1...count).map { Samples.plain("\($0)", body: "\(Self.marker) \($0)") }
        let writer = try SideFileWriter(location, mediaType: MediaType.parse("text/plain"), unique: "1")
        for number in 0..<20_000 { try writer.write(ByteBuffer(string: "\(Self.marker) \(number)\n")) }
        exchanges[0].request.body = RecordedBody(.file(try writer.finish()))
        return Cassette(recordedWith: Self.marker, metadata: ["note": Self.marker], exchanges: exchanges)
    }

    @Test(arguments: ["a", "a.json", "a.plist", "a.cassette"])
    func nothingIsReadableWithoutTheKey(name: String) throws {
        let location = try self.location(name)
        let cassette = try self.cassette(location)
        let journal = try CassetteJournal.open(location)
        try journal.append(Samples.plain("9", body: Self.marker))
        #expect(try CassetteWriter.save(cassette, to: location) == .written)
        #expect(self.everything.range(of: Data(Self.marker.utf8)) == nil)
        #expect(self.everything.range(of: Data("example.com".utf8)) == nil)
        // Long enough not to stand in random octets by chance.
        #expect(self.everything.range(of: Data("method: GET".utf8)) == nil)
        #expect(try CassetteReader.read(location) == cassette)
        #expect(try CassetteReader.readHeader(location)?.recordedWith == Self.marker)
        #expect(try CassetteReader.isEncrypted(location) == true)
        #expect(try CassetteJournal.recover(location).exchanges == [Samples.plain("9", body: Self.marker)])
        let body = try cassette.exchanges[0].request.body.octets(at: location)
        #expect(String(buffer: body).hasSuffix("\(Self.marker) 19999\n"))
        let before = self.everything
        #expect(try CassetteWriter.save(cassette, to: location) == .unchanged)
        #expect(self.everything == before, "the same exchanges give the same octets")
        try CassetteMerge.save(location, base: cassette, journal: journal)
        #expect(try CassetteReader.read(location)?.exchanges.map(\.id) == ["1", "2", "3", "9"])
        #expect(self.everything.range(of: Data(Self.marker.utf8)) == nil)
    }

    @Test(arguments: ["a", "a.json", "a.plist", "a.cassette"])
    func aWrongOrMissingKeyIsOneClearError(name: String) throws {
        let location = try self.location(name)
        let cassette = try self.cassette(location)
        try CassetteWriter.save(cassette, to: location)
        let journal = try CassetteJournal.open(location)
        try journal.append(Samples.plain("9"))
        let wrong = try self.location(name, key: Self.other)
        let missing = try self.location(name, key: nil)
        let before = self.everything
        for (place, words) in [(wrong, "the key does not fit"), (missing, "is encrypted; name its key")] {
            for action: () throws -> Void in [
                { _ = try CassetteReader.read(place) }, { _ = try CassetteReader.readHeader(place) },
            ] {
                let error = #expect(throws: CassetteError.self) { try action() }
                #expect(error?.code == .key && error?.message.contains(words) == true, "\(error?.description ?? "")")
                #expect(error?.message.contains("--encrypt-with") == true)
            }
            let error = #expect(throws: CassetteError.self) { try CassetteJournal.recover(place) }
            #expect(error?.code == .key || place.key == nil, "\(error?.description ?? "")")
        }
        let error = #expect(throws: CassetteError.self) { try CassetteJournal.recover(wrong) }
        #expect(error?.message.hasPrefix("the key does not fit: the journal") == true, "\(error?.message ?? "")")
        #expect(self.everything == before, "a wrong key changes nothing")
    }

    @Test(arguments: ["a", "a.json", "a.cassette"])
    func aKeyForAFileInClearIsAnError(name: String) throws {
        let clear = try self.location(name, key: nil)
        let cassette = Cassette(recordedWith: "x", exchanges: [Samples.plain("1")])
        try CassetteWriter.save(cassette, to: clear)
        let error = #expect(throws: CassetteError.self) { try CassetteReader.read(try self.location(name)) }
        #expect(error?.code == .key && error?.message.contains("is not encrypted and a key is given") == true)
        #expect(try CassetteReader.isEncrypted(clear) == false)
        let journal = try CassetteJournal.open(clear)
        try journal.append(Samples.plain("2"))
        let other = #expect(throws: CassetteError.self) { try CassetteJournal.recover(try self.location(name)) }
        #expect(
            other?.message.hasPrefix("the journal is not encrypted and a key is given") == true,
            "\(other?.message ?? "")")
    }

    @Test func everyChangedOctetAndEveryCutIsFound() throws {
        let location = try self.location()
        try CassetteWriter.save(Cassette(recordedWith: "x", exchanges: [Samples.plain("1")]), to: location)
        let whole = try #require(self.folder.data("a.yaml"))
        for index in whole.indices {
            var changed = whole
            changed[index] ^= 0x40
            try changed.write(to: self.folder.url("a.yaml"))
            #expect(throws: CassetteError.self, "\(index)") { try CassetteReader.read(location) }
        }
        for length in 1..<whole.count {
            try whole.prefix(length).write(to: self.folder.url("a.yaml"))
            let error = #expect(throws: CassetteError.self, "\(length)") { try CassetteReader.read(location) }
            #expect(error?.file == location.file)
        }
    }

    @Test func segmentsCannotBeSwappedOrLeftOut() throws {
        let location = try self.location()
        let body = String(repeating: "0123456789abcde\n", count: 16_000)
        try CassetteWriter.save(Cassette(recordedWith: "x", exchanges: [Samples.plain("1", body: body)]), to: location)
        let whole = try #require(self.folder.data("a.yaml"))
        let (start, step) = (SealedFile.headerLength, SealedFile.segment + AESGCM.tagLength)
        #expect(whole.count > start + 3 * step)
        let first = Data(whole[start..<start + step])
        let second = Data(whole[start + step..<start + 2 * step])
        let header = Data(whole[..<start])
        let rest = Data(whole[(start + 2 * step)...])
        let changes: [Data] = [
            header + second + first + rest, header + first + rest, header + first, whole + first,
        ]
        for changed in changes {
            try changed.write(to: self.folder.url("a.yaml"))
            let error = #expect(throws: CassetteError.self) { try CassetteReader.read(location) }
            #expect(error?.message.contains("is damaged, cut off or was changed") == true)
        }
        try whole.write(to: self.folder.url("a.yaml"))
        #expect(try CassetteReader.read(location)?.exchanges.count == 1)
    }

    @Test func aTornEndOfTheJournalLosesOneRecordAtMost() throws {
        let location = try self.location()
        let journal = try CassetteJournal.open(location)
        try journal.append(Samples.plain("1"))
        let one = try #require(self.folder.data("a.journal")).count
        try journal.append(Samples.plain("2"))
        let two = try #require(self.folder.data("a.journal"))
        for length in 1..<two.count where length != one && length != SealedFile.headerLength {
            try two.prefix(length).write(to: self.folder.url("a.journal"))
            let (found, torn) = try CassetteJournal.recover(location)
            #expect(found == (length < one ? [] : [Samples.plain("1")]), "\(length)")
            #expect(torn != nil)
            let again = try CassetteJournal.open(location)
            try again.append(Samples.plain("3"))
            #expect(try CassetteJournal.recover(location).exchanges == found + [Samples.plain("3")], "\(length)")
        }
    }

    @Test func recordsOfTheJournalCannotBeSwapped() throws {
        let location = try self.location()
        let journal = try CassetteJournal.open(location)
        try journal.append(Samples.plain("1"))
        let one = try #require(self.folder.data("a.journal")).count
        try journal.append(Samples.plain("2"))
        let two = try #require(self.folder.data("a.journal"))
        let start = SealedFile.headerLength
        try (two[..<start] + two[one...] + two[start..<one]).write(to: self.folder.url("a.journal"))
        let (found, torn) = try CassetteJournal.recover(location)
        #expect(found == [] && torn != nil)
    }

    @Test func aSideFileThatWasChangedIsAnError() throws {
        let location = try self.location()
        let cassette = try self.cassette(location)
        let body = cassette.exchanges[0].request.body
        let name = try #require(self.folder.names.first { $0.hasSuffix(".enc") })
        let whole = try #require(self.folder.data(name))
        #expect(
            try SideFileReader(location, try #require(cassette.exchanges[0].sideFiles.first)).reference.length > 65536)
        for index in [0, 9, 30, SealedFile.headerLength, whole.count / 2, whole.count - 1] {
            var changed = whole
            changed[index] ^= 1
            try changed.write(to: self.folder.url(name))
            #expect(throws: CassetteError.self, "\(index)") { try body.octets(at: location) }
        }
        try whole.dropLast().write(to: self.folder.url(name))
        #expect(throws: CassetteError(.sideFile, "")) { try body.octets(at: location) }
        try whole.write(to: self.folder.url(name))
        let reader = try SideFileReader(location, try #require(cassette.exchanges[0].sideFiles.first))
        try reader.verify()
        #expect(try reader.read(upTo: 3)?.readableBytes == 3)
    }

    @Test func aNewerFormNamesTheCure() throws {
        let location = try self.location()
        try CassetteWriter.save(Cassette(recordedWith: "x", exchanges: [Samples.plain("1")]), to: location)
        var whole = try #require(self.folder.data("a.yaml"))
        whole[5] = 2
        try whole.write(to: self.folder.url("a.yaml"))
        let error = #expect(throws: CassetteError.self) { try CassetteReader.read(location) }
        #expect(error?.code == .tooNew)
        #expect(error?.message == "the cassette has a newer form of encryption; use a newer playhead")
    }

    /// Sealed by a program of its own: Python's cryptography library.
    @Test func opensWhatAnotherProgramSealed() throws {
        let sealed = try #require(
            Data(
                base64Encoded:
                    "UEhFTkMBAApAQUJDREVGR0hJSktMTU5PVmsXPS0fiW7EZPNiMCbhlDsITJAB1XVyn61VcDexoISE8WZYu042Gs11"
                    + "HTAzUywjALF9tL8eOleZmOnr/nOjZg2LhE9fCsKwea89GAMPM8M="))
        try sealed.write(to: self.folder.url("a.yaml"))
        #expect(try CassetteReader.read(self.location()) == Cassette(recordedWith: "golden"))
    }

    @Test func lengthsOfSealedFilesNeverOverflow() {
        #expect(SealedFile.length(of: 0) == SealedFile.headerLength + 16)
        #expect(SealedFile.length(of: 65536) == SealedFile.headerLength + 65536 + 16)
        #expect(SealedFile.length(of: 65537) == SealedFile.headerLength + 65537 + 32)
        #expect(SealedFile.length(of: .max) == nil)
    }
}
