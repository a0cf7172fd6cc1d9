import CFaults
import Foundation
import NIOCore
import PlayheadContent
import Testing

@testable import PlayheadCassette

/// Every system call on a file fails once, and then for good, at each place where one is made: nothing is lost.
@Suite(.enabled(if: faults_work() != 0, "calls cannot be made to fail in this build")) struct FileFaultTests {
    @Test func aRefusalOfTheSystemSaysWhereToLook() {
        #expect(systemMessage(EACCES).contains("ls -ld") && systemMessage(EPERM).contains("--cassettes"))
        #expect(systemMessage(ENOENT) == "No such file or directory")
        #expect(CassetteError.Code.of(EACCES, .unreadable) == .denied)
        #expect(CassetteError.Code.of(EPERM, .cannotWrite) == .denied)
        #expect(CassetteError.Code.of(EROFS, .cannotWrite) == .cannotWrite)
    }

    /// A kind of cassette, and whether a failure lasts.
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var isSealed: Bool
        var lasts: Bool
        var testDescription: String { "\(self.name)\(self.isSealed ? " sealed" : "")\(self.lasts ? " for good" : "")" }
    }

    static let rows = ["a", "a.cassette"].flatMap { name in
        [(false, false), (false, true), (true, false), (true, true)].map {
            Row(name: name, isSealed: $0.0, lasts: $0.1)
        }
    }

    private static let key = try! CassetteKey(secret: [UInt8](repeating: 0x61, count: 64))

    private static func location(_ folder: TemporaryFolder, _ row: Row) -> CassetteLocation {
        var location = folder.location(row.name)
        location.key = row.isSealed ? Self.key : nil
        return location
    }

    /// Runs `round` with the first, second, … call within its `faulty` part failing, until none is left to fail.
    private static func atEveryCall(
        _ row: Row, _ round: (_ faulty: (() throws -> Void) throws -> (any Error)?, _ number: Int) throws -> Void
    ) throws {
        var number = 1
        while true {
            var calls = 0
            try round(
                { work in
                    faults_begin(Int32(number), row.lasts ? 1 : 0, number.isMultiple(of: 2) ? ENOSPC : EIO)
                    defer { calls += Int(faults_end()) }
                    do { try work() } catch { return error }
                    return nil
                }, number)
            // Nothing failed any more, and something did before.
            if calls < number { break }
            number += 1
        }
        #expect(number > 5, "there were calls that could fail")
    }

    /// An error says what failed and where.
    private static func expectClear(_ error: (any Error)?, _ number: Int) {
        guard let error else { return }
        let text = "\(error)"
        #expect(error is CassetteError, "call \(number): \(text)")
        #expect(text.contains("/a") || text.contains("cassette-"), "call \(number): \(text)")
    }

    private static func exchanges(_ ids: ClosedRange<Int>, body: String = "hello\n") -> [Exchange] {
        ids.map { id in
            var exchange = Samples.plain("\(id)", body: body)
            exchange.request.url = "https://example.com/\(id)"
            return exchange
        }
    }

    private static func withSideFile(_ location: CassetteLocation, _ id: String, _ text: String) throws -> Exchange {
        let writer = try SideFileWriter(location, mediaType: MediaType.parse("text/plain"), unique: id)
        try writer.write(ByteBuffer(string: text))
        var exchange = Samples.plain(id)
        exchange.request.body = RecordedBody(.file(try writer.finish()))
        return exchange
    }

    private static func sideText(_ exchange: Exchange, _ location: CassetteLocation) throws -> String {
        String(buffer: try exchange.request.body.octets(at: location))
    }

    @Test(arguments: rows) func savingLeavesTheOldOrTheNew(_ row: Row) throws {
        let old = Cassette(recordedWith: "x", exchanges: Self.exchanges(1...3))
        var new = old
        new.exchanges[1] = Self.exchanges(2...2, body: "other")[0]
        new.exchanges.remove(at: 0)
        try Self.atEveryCall(row) { faulty, number in
            let folder = TemporaryFolder()
            let location = Self.location(folder, row)
            try CassetteWriter.save(old, to: location)
            let error = try faulty { try CassetteWriter.save(new, to: location) }
            let found = try CassetteReader.read(location)
            #expect(found == new || (error != nil && found == old), "call \(number): \(String(describing: error))")
            Self.expectClear(error, number)
            // When there is space again, the same saving succeeds and leaves nothing behind.
            try CassetteWriter.save(new, to: location)
            #expect(try CassetteReader.read(location) == new, "call \(number)")
            #expect(!folder.names.contains { $0.contains(".tmp") || $0.contains(".old") }, "call \(number)")
        }
    }

    @Test(arguments: rows) func mergingLosesNoExchangeAndNoBody(_ row: Row) throws {
        try Self.atEveryCall(row) { faulty, number in
            let folder = TemporaryFolder()
            let location = Self.location(folder, row)
            var base = Cassette(recordedWith: "x", exchanges: Self.exchanges(1...2))
            base.exchanges.append(try Self.withSideFile(location, "3", "kept body"))
            try CassetteWriter.save(base, to: location)
            let journal = try CassetteJournal.open(location)
            let added = [try Self.withSideFile(location, "4", "new body"), Samples.plain("5")]
            for exchange in added { try journal.append(exchange) }
            let error = try faulty { try CassetteMerge.save(location, base: base, journal: journal) }
            Self.expectClear(error, number)
            // The next session finds all of it, in the file or in the journal.
            let again = try CassetteJournal.open(location)
            let kept = try #require(try CassetteReader.read(location))
            try CassetteMerge.save(location, base: kept, journal: again)
            let found = try #require(try CassetteReader.read(location))
            #expect(found.exchanges == base.exchanges + added, "call \(number): \(String(describing: error))")
            guard found.exchanges.count == 5 else { return }
            #expect(try Self.sideText(found.exchanges[2], location) == "kept body", "call \(number)")
            #expect(try Self.sideText(found.exchanges[3], location) == "new body", "call \(number)")
        }
    }

    /// A cassette that is saved while a journal stays, as `cassette` commands do.
    @Test(arguments: rows) func savingKeepsTheBodiesOfAJournalThatStays(_ row: Row) throws {
        try Self.atEveryCall(row) { faulty, number in
            let folder = TemporaryFolder()
            let location = Self.location(folder, row)
            let base = Cassette(recordedWith: "x", exchanges: Self.exchanges(1...2))
            let journal = try CassetteJournal.open(location)
            try journal.append(Samples.plain("3"))
            try journal.append(try Self.withSideFile(location, "4", "journal body"))
            let error = try faulty { try CassetteWriter.save(base, to: location) }
            Self.expectClear(error, number)
            let found = try CassetteJournal.recover(location).exchanges
            #expect(found.map(\.id) == ["3", "4"], "call \(number)")
            #expect(try Self.sideText(try #require(found.last), location) == "journal body", "call \(number)")
        }
    }

    @Test(arguments: rows) func theJournalHoldsWhatWasAppendedAndNothingElse(_ row: Row) throws {
        try Self.atEveryCall(row) { faulty, number in
            let folder = TemporaryFolder()
            let location = Self.location(folder, row)
            let first = try CassetteJournal.open(location)
            try first.append(Samples.plain("1"))
            var kept = ["1"]
            let error = try faulty {
                let journal = try CassetteJournal.open(location)
                for id in ["2", "3"] {
                    try journal.append(Samples.plain(id))
                    kept.append(id)
                }
            }
            Self.expectClear(error, number)
            #expect(error != nil || kept.count == 3, "call \(number)")
            #expect(try CassetteJournal.recover(location).exchanges.map(\.id) == kept, "call \(number)")
        }
    }

    @Test(arguments: rows) func aSideFileIsWholeOrNotThere(_ row: Row) throws {
        let text = String(repeating: "body ", count: 40_000)
        try Self.atEveryCall(row) { faulty, number in
            let folder = TemporaryFolder()
            let location = Self.location(folder, row)
            var exchange: Exchange?
            let error = try faulty { exchange = try Self.withSideFile(location, "1", text) }
            Self.expectClear(error, number)
            #expect((error == nil) == (exchange != nil), "call \(number)")
            if let exchange { #expect(try Self.sideText(exchange, location) == text, "call \(number)") }
        }
    }

    /// A cassette that cannot be read is an error, never a shorter one: it would be saved so.
    @Test(arguments: rows) func readingGivesAllOrAnError(_ row: Row) throws {
        let folder = TemporaryFolder()
        let location = Self.location(folder, row)
        var cassette = Cassette(recordedWith: "x", exchanges: Self.exchanges(1...3))
        cassette.exchanges.append(try Self.withSideFile(location, "4", "side body"))
        try CassetteWriter.save(cassette, to: location)
        let journal = try CassetteJournal.open(location)
        for id in ["5", "6"] { try journal.append(Samples.plain(id)) }
        try Self.atEveryCall(row) { faulty, number in
            let error = try faulty {
                let found = try CassetteReader.read(location)
                #expect(found == cassette, "call \(number)")
                let text = try found?.exchanges.last.map { try Self.sideText($0, location) }
                #expect(text == "side body", "call \(number)")
                #expect(try CassetteJournal.recover(location).exchanges.map(\.id) == ["5", "6"], "call \(number)")
            }
            Self.expectClear(error, number)
        }
    }
}
