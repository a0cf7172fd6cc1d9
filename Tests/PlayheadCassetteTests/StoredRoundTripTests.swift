import Foundation
import NIOCore
import PlayheadCassette
import PlayheadTestSupport
import Testing

/// Random cassettes on the disk, in every format and layout, in clear and encrypted.
struct StoredRoundTripTests {
    private static let key = try! CassetteKey(secret: [UInt8](repeating: 0x61, count: 64))

    private func location(_ folder: TemporaryFolder, _ name: String, isEncrypted: Bool) throws -> CassetteLocation {
        CassetteLocation(
            folder: folder.path, name: try CassetteName.validated(name), key: isEncrypted ? Self.key : nil)
    }

    private func cassette(seed: UInt64) -> Cassette {
        var generator = SeededGenerator(state: seed)
        let count = Int.random(in: 0...5, using: &generator)
        let ids = Bool.random(using: &generator) ? (0..<count).map { "\($0)" } : (0..<count).map { "id \(count - $0)" }
        return Cassette(
            recordedWith: Samples.texts.randomElement(using: &generator)!,
            metadata: ["note": Samples.texts.randomElement(using: &generator)!],
            matchers: Bool.random(using: &generator) ? ["method", "uri"] : [],
            exchanges: ids.map { Samples.exchange(id: $0, &generator) })
    }

    @Test(arguments: ["a", "a.yml", "a.json", "a.plist", "a.cassette"], [false, true])
    func writingThenReadingGivesTheSameModel(name: String, isEncrypted: Bool) throws {
        for seed in 1000..<1012 as Range<UInt64> {
            let folder = TemporaryFolder()
            let location = try self.location(folder, name, isEncrypted: isEncrypted)
            let cassette = self.cassette(seed: seed)
            try CassetteWriter.save(cassette, to: location)
            let again: Cassette
            do {
                again = try #require(try CassetteReader.read(location))
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
            #expect(again == cassette, "seed \(seed)")
            if again != cassette { return }
            #expect(try CassetteWriter.save(again, to: location) == .unchanged, "seed \(seed)")
            var header = cassette
            header.exchanges = []
            #expect(try CassetteReader.readHeader(location) == header, "seed \(seed)")
        }
    }

    @Test(arguments: [false, true]) func theJournalGivesBackTheSameModel(isEncrypted: Bool) throws {
        let folder = TemporaryFolder()
        let location = try self.location(folder, "a", isEncrypted: isEncrypted)
        let exchanges = (2000..<2060 as Range<UInt64>).flatMap { self.cassette(seed: $0).exchanges }
        let journal = try CassetteJournal.open(location)
        for exchange in exchanges { try journal.append(exchange) }
        #expect(try CassetteJournal.recover(location).exchanges == exchanges)
    }

    @Test(arguments: [false, true]) func sideFilesOfAnyLengthComeBack(isEncrypted: Bool) throws {
        let folder = TemporaryFolder()
        let location = try self.location(folder, "a", isEncrypted: isEncrypted)
        // Around the borders of the segments of an encrypted file.
        for length in [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000] {
            let octets = ByteBuffer(bytes: (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let writer = try SideFileWriter(location, unique: "\(length)")
            var rest = octets
            while let piece = rest.readSlice(length: min(10_007, rest.readableBytes)), piece.readableBytes > 0 {
                try writer.write(piece)
            }
            let body = RecordedBody(.file(try writer.finish()))
            #expect(try body.octets(at: location) == octets, "\(length)")
        }
    }
}
