import Foundation
import NIOCore
import PlayheadHTTP
import PlayheadTestSupport
import Testing

@testable import PlayheadCassette

struct CassetteJournalTests {
    @Test func givesBackWhatWasAppended() throws {
        let folder = TemporaryFolder()
        var generator = SeededGenerator(state: 1)
        let exchanges = (0..<200).map { Samples.exchange(id: "\($0)", &generator) }
        let journal = try CassetteJournal.open(folder.location())
        for exchange in exchanges { try journal.append(exchange) }
        let (found, torn) = try CassetteJournal.recover(folder.location())
        #expect(found == exchanges)
        #expect(torn == nil)
        #expect(try CassetteJournal.recover(folder.location("b")).exchanges == [])
    }

    @Test func setsATornTailAsideAtEveryOctet() throws {
        let folder = TemporaryFolder()
        let location = folder.location()
        let journal = try CassetteJournal.open(location)
        try journal.append(Samples.plain("1"))
        let whole = try #require(folder.data("a.journal"))
        try journal.append(Samples.plain("2"))
        let two = try #require(folder.data("a.journal"))
        for length in 1..<two.count where length != whole.count && length != JournalRecord.magic.count {
            try two.prefix(length).write(to: folder.url("a.journal"))
            let (found, torn) = try CassetteJournal.recover(location)
            let valid =
                length < JournalRecord.magic.count ? 0 : length < whole.count ? JournalRecord.magic.count : whole.count
            #expect(found == (length < whole.count ? [] : [Samples.plain("1")]))
            #expect(torn?.offset == valid && torn?.length == length - valid)
            #expect(folder.data("a.journal.torn") == two[valid..<length])
            // What is left is a journal that goes on.
            let again = try CassetteJournal.open(location)
            try again.append(Samples.plain("3"))
            #expect(try CassetteJournal.recover(location).exchanges == found + [Samples.plain("3")])
        }
    }

    @Test func findsEveryFlippedOctet() throws {
        let folder = TemporaryFolder()
        let journal = try CassetteJournal.open(folder.location())
        try journal.append(Samples.plain("1"))
        let whole = try #require(folder.data("a.journal"))
        for index in whole.indices {
            var changed = whole
            changed[index] ^= 0x40
            try changed.write(to: folder.url("a.journal"))
            let (found, torn) = try CassetteJournal.recover(folder.location())
            #expect(found == [] && torn != nil, "\(index)")
        }
    }

    @Test func neverHoldsHalfARecord() throws {
        let exchange = Samples.plain("x", body: String(repeating: "body ", count: 40))
        // The first call writes the head of the journal.
        for failing in 2...12 {
            let folder = TemporaryFolder()
            var calls = 0
            // Every write is short, and the failing one takes nothing.
            let journal = try CassetteJournal.open(folder.location()) { descriptor, bytes, count in
                calls += 1
                if calls == failing {
                    errno = ENOSPC
                    return -1
                }
                return systemWrite(descriptor, bytes, min(count, 100))
            }
            var kept: [Exchange] = []
            for number in 0..<4 {
                var next = exchange
                next.id = "\(number)"
                do {
                    try journal.append(next)
                    kept.append(next)
                } catch {
                    #expect(error.code == .cannotWrite && "\(error)".contains("not recorded"))
                }
                let (found, torn) = try CassetteJournal.recover(folder.location())
                #expect(found == kept && torn == nil, "call \(failing), exchange \(number)")
            }
            #expect(kept.count >= 3)
        }
    }

    @Test func mergesIntoTheFileAndGoes() throws {
        let folder = TemporaryFolder()
        let location = folder.location()
        try CassetteWriter.save(Cassette(recordedWith: "x", exchanges: [Samples.plain("1")]), to: location)
        let journal = try CassetteJournal.open(location)
        try journal.append(Samples.plain("2"))
        // Already in the file, as after a kill between saving and removing the journal.
        try journal.append(Samples.plain("1"))
        // Another exchange under an id that is taken.
        try journal.append(Samples.plain("1", body: "other"))
        let base = try #require(try CassetteReader.read(location))
        #expect(try CassetteMerge.save(location, base: base, journal: journal) == .written)
        let merged = try #require(try CassetteReader.read(location))
        #expect(merged.exchanges.map(\.id) == ["1", "2", "3"])
        #expect(folder.names == ["a.yaml"])
    }
}
