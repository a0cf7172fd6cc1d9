import ArgumentParser
import Foundation
import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadCLI

/// The commands that read and change cassettes, on files of their own.
struct CassetteCommandsTests {
    private let scratch: Scratch

    init() throws { self.scratch = try Scratch() }

    private func location(_ name: String) throws -> CassetteLocation {
        CassetteLocation(folder: self.scratch.path, name: try CassetteName.validated(name))
    }

    private func recorded(
        _ id: String, _ url: String, headers: [(String, String)] = [], answer: String = "{}", at milliseconds: Int64 = 0
    ) -> Exchange {
        Exchange(
            id: id, recordedAt: Timestamp(milliseconds: milliseconds),
            request: RecordedRequest(method: "GET", url: url, headers: HeaderList(headers)),
            outcome: .response(
                RecordedResponse(
                    status: 200, headers: HeaderList([("Content-Type", "application/json")]),
                    body: RecordedBody(.octets(ByteBuffer(string: answer))))))
    }

    @discardableResult
    private func save(_ name: String, _ exchanges: [Exchange]) throws -> CassetteLocation {
        let location = try self.location(name)
        let stored = try exchanges.map { try CassetteChange.stored($0, at: location) }
        try CassetteWriter.save(Cassette(recordedWith: "playhead 0", exchanges: stored), to: location)
        return location
    }

    private func read(_ name: String) throws -> [Exchange] {
        try #require(try CassetteReader.read(self.location(name))).exchanges
    }

    private func body(_ exchange: Exchange, _ name: String) throws -> String {
        guard case .response(let response) = exchange.outcome else { return "" }
        return String(buffer: try response.body.octets(at: self.location(name)))
    }

    private func exitCode(_ body: () throws -> Void) -> Int32 {
        do {
            try body()
            return 0
        } catch { return CassetteCommand.exitCode(for: error).rawValue }
    }

    @Test func scanNamesExchangePlaceAndRuleButNotTheSecret() throws {
        let place = try save(
            "a",
            [
                recorded("1", "https://a.test/"),
                recorded(
                    "2", "https://u:hush-hush-1@a.test/?token=hush-hush-2", headers: [("X-Api-Key", "hush-hush-3")],
                    answer: #"{"a":[{"password":"hush-hush-4"}],"ghp_0123456789abcdefghij0123456789abcdef":1}"#),
            ])
        let found = try CassetteCommand.Scan.findings(at: place, .standard)
        #expect(found.allSatisfy { $0.number == 2 && $0.id == "2" && $0.cassette == "a" })
        let text = found.map(\.line).joined(separator: "\n") + CassetteCommand.Scan.json(found, cassettes: 1)
        #expect(!text.contains("hush") && !text.contains("ghp_0123"))
        #expect(text.contains("request URL  userinfo"))
        #expect(text.contains("request header X-Api-Key  api-key"))
        #expect(text.contains("response body $.a[0].password  password"))
        #expect(text.contains("github-token"))
        #expect(exitCode { try CassetteCommand.Scan.parse(["--cassettes", scratch.path]).run() } == 5)
        #expect(exitCode { try CassetteCommand.Scan.parse(["--cassettes", scratch.path, "nothing"]).run() } == 66)
    }

    @Test func redactMakesScanQuietAndReplayGoesOn() throws {
        let big = #"{"token":"hush-hush-5","x":"\#(String(repeating: "y", count: 100_000))"}"#
        let secret = recorded("2", "https://a.test/?token=hush-hush-2", answer: big)
        try save("b", [recorded("1", "https://a.test/"), secret])
        let untouched = try save("c", [recorded("1", "https://a.test/")])
        let before = try Data(contentsOf: URL(filePath: untouched.file))
        let dry = exitCode { try CassetteCommand.Redact.parse(["--cassettes", scratch.path, "--dry-run"]).run() }
        #expect(dry == 0)
        #expect(try read("b")[1].request.url.contains("hush"))
        try CassetteCommand.Redact.parse(["--cassettes", scratch.path]).run()
        let clean = try read("b")
        #expect(clean[1].request.url == "https://a.test/?token=[REDACTED:token#1]")
        #expect(try body(clean[1], "b").hasPrefix(#"{"token":"[REDACTED:token#2]","#))
        #expect(try CassetteCommand.Scan.findings(at: location("b"), .standard).isEmpty)
        let bodies = try FileManager.default.contentsOfDirectory(atPath: location("b").bodiesFolder)
        #expect(bodies.count == 1, "the side file with the secret must be gone: \(bodies)")
        #expect(!FileManager.default.fileExists(atPath: try location("b").lockFile))
        #expect(try Data(contentsOf: URL(filePath: untouched.file)) == before)
        var playback = Playback(exchanges: clean, rules: .standard)
        guard
            case .play(let index, _) = playback.take(
                try IncomingRequest(method: "GET", url: "https://a.test/?token=hush-hush-2"))
        else { return #expect(Bool(false), "a redacted value matches any value") }
        #expect(index == 1)
    }

    @Test func pruneTakesWhatIsNamed() throws {
        let exchanges = [
            recorded("1", "https://a.test/x", at: 1000), recorded("2", "https://b.test/x", at: 2000),
            recorded("3", "https://a.test/x", at: 3000), recorded("4", "https://a.test/x", answer: "[]", at: 4000),
        ]
        func left(_ arguments: [String]) throws -> [String] {
            try save("p", exchanges)
            try CassetteCommand.Prune.parse(["--cassettes", scratch.path, "p"] + arguments).run()
            return try read("p").map(\.id)
        }
        #expect(try left(["--host", "b.test"]) == ["1", "3", "4"])
        #expect(try left(["--host", "*.test"]) == [])
        #expect(try left(["--duplicates"]) == ["1", "2", "4"])
        #expect(try left(["--id", "1", "--id", "4"]) == ["2", "3"])
        #expect(try left(["--older-than", "1d"]) == [])
        #expect(try left(["--duplicates", "--dry-run"]) == ["1", "2", "3", "4"])
        let prune = try CassetteCommand.Prune.parse(["p", "--older-than", "2s"])
        #expect(try prune.goners(exchanges, now: Timestamp(milliseconds: 5000)).map(\.number) == [1, 2])
        var failed = recorded("5", "https://a.test/y", at: 5000)
        for (kind, number) in [(RecordedFailure.Kind.tls, 1), (.timeout, 1), (.clientLeft, 0)] {
            failed.outcome = .failure(RecordedFailure(kind: kind, message: "It failed."))
            let failures = try CassetteCommand.Prune.parse(["p", "--failures"])
            let now = Timestamp(milliseconds: 9000)
            #expect(try failures.goners(exchanges + [failed], now: now).count == number, "\(kind)")
        }
        for wrong in [[], ["--older-than", "soon"], ["--id", "9"], ["--host", "a b"]] {
            #expect(exitCode { _ = try left(wrong) } == 64, "\(wrong)")
        }
        #expect(try read("p").count == 4)
    }

    @Test func mergeKeepsOrderIdsAndTheMeaningOfNumbers() throws {
        let shared = recorded("9", "https://s.test/", at: 9)
        let big = String(repeating: "z", count: 90_000)
        try save("one", [recorded("1", "https://a.test/?token=[REDACTED:token#1]"), shared])
        try save("two", [recorded("1", "https://b.test/?token=[REDACTED:token#1]", answer: big), shared])
        let target = ["--cassettes", scratch.path, "one", "two", "--into", "sub/both"]
        try CassetteCommand.Merge.parse(target).run()
        let merged = try read("sub/both")
        #expect(
            merged.map(\.request.url) == [
                "https://a.test/?token=[REDACTED:token#1]", "https://s.test/",
                "https://b.test/?token=[REDACTED:token#2]",
            ])
        #expect(Set(merged.map(\.id)).count == 3 && merged[0].id == "1")
        #expect(try body(merged[2], "sub/both") == big)
        #expect(exitCode { try CassetteCommand.Merge.parse(target).run() } == 73)
        #expect(exitCode { try CassetteCommand.Merge.parse(target + ["--force"]).run() } == 0)
        try save("taken", [])
        #expect(
            exitCode { try CassetteCommand.Merge.parse(["--cassettes", scratch.path, "two", "--into", "taken"]).run() }
                == 73)
        #expect(!FileManager.default.fileExists(atPath: try location("taken").bodiesFolder), "a refusal leaves nothing")
        try CassetteCommand.Merge.parse(["--cassettes", scratch.path, "one", "two", "--into", "one"]).run()
        #expect(try read("one").count == 3 && read("two").count == 2)
    }

    @Test func splitMakesOneCassettePerHost() throws {
        let big = String(repeating: "z", count: 90_000)
        try save(
            "all",
            [
                recorded("1", "https://a.test/1"), recorded("2", "http://[::1]:8080/", answer: big),
                recorded("3", "https://a.test/2"),
            ])
        try CassetteCommand.Split.parse(["--cassettes", scratch.path, "all"]).run()
        #expect(try read("all/a.test").map(\.id) == ["1", "3"])
        #expect(try body(read("all/--1-8080")[0], "all/--1-8080") == big)
        #expect(try read("all").count == 3)
        #expect(
            exitCode { try CassetteCommand.Split.parse(["--cassettes", scratch.path, "all", "--remove"]).run() } == 73)
        try CassetteCommand.Split.parse(["--cassettes", scratch.path, "all", "--force", "--remove"]).run()
        #expect(try CassetteReader.read(location("all")) == nil)
        #expect(!FileManager.default.fileExists(atPath: try location("all").bodiesFolder))
        #expect(try body(read("all/--1-8080")[0], "all/--1-8080") == big)
    }

    @Test func diffNamesFieldsAndMasksSecrets() throws {
        let first = [
            recorded(
                "1", "https://a.test/?token=hush-hush", headers: [("X-Api-Key", "hush-1")],
                answer: #"{"a":1,"password":"hush-2"}"#),
            recorded("2", "https://a.test/gone"), recorded("3", "https://a.test/same"),
        ]
        let second = [
            recorded("7", "https://a.test/same", at: 7), recorded("8", "https://a.test/new"),
            recorded(
                "9", "https://a.test/?token=hush-hush", headers: [("X-Api-Key", "hush-3")],
                answer: #"{"a":2,"password":"hush-4"}"#),
        ]
        let entries = CassetteCommand.Diff.entries(first, second, ignoring: ["date"], .standard)
        #expect(entries.map { [$0.first, $0.second] } == [[1, 3], [2, nil], [nil, 2]])
        let text = entries.map(\.text).joined(separator: "\n") + CassetteCommand.Diff.json(entries)
        #expect(!text.contains("hush"))
        #expect(text.contains(#"response body $.a: "1" -> "2""#), "\(text)")
        #expect(text.contains("request header x-api-key"))
        try save("d1", first)
        try save("d2", first)
        #expect(exitCode { try CassetteCommand.Diff.parse(["--cassettes", scratch.path, "d1", "d2"]).run() } == 0)
        try save("d2", second)
        #expect(exitCode { try CassetteCommand.Diff.parse(["--cassettes", scratch.path, "d1", "d2"]).run() } == 1)
    }

    @Test func statsCount() throws {
        var counts = CassetteCommand.Counts()
        counts.add(
            Cassette(
                recordedWith: "",
                exchanges: [
                    recorded("1", "https://a.test/", at: 5), recorded("2", "https://a.test/", at: 9),
                    Exchange(
                        id: "3", recordedAt: Timestamp(milliseconds: 7),
                        request: RecordedRequest(method: "POST", url: "https://b.test:8443/"),
                        outcome: .failure(RecordedFailure(kind: .dns, message: "no"))),
                ]))
        #expect(counts.exchanges == 3 && counts.duplicates == 1 && counts.failures == 1 && counts.octets == 4)
        #expect(counts.hosts == ["a.test": 2, "b.test:8443": 1])
        #expect(counts.oldest == Timestamp(milliseconds: 5) && counts.newest == Timestamp(milliseconds: 9))
        #expect(counts.json.contains(#""answers":{"200":2,"failed (dns)":1}"#), "\(counts.json)")
        #expect((try? JSONSerialization.jsonObject(with: Data(counts.json.utf8))) != nil)
    }

    @Test func aLockedCassetteIsNotChanged() throws {
        let place = try save("l", [recorded("1", "https://a.test/?token=hush")])
        let lock = try CassetteLock.acquire(place)
        #expect(exitCode { try CassetteCommand.Redact.parse(["--cassettes", scratch.path, "l"]).run() } == 1)
        lock.release()
        #expect(try read("l")[0].request.url.contains("hush"))
    }

    @Test func exchangesOfABrokenOffRunAreTakenIn() throws {
        let place = try save("j", [recorded("1", "https://a.test/")])
        let journal = try CassetteJournal.open(place)
        try journal.append(recorded("2", "https://a.test/?token=hush"))
        #expect(try CassetteCommand.Scan.findings(at: place, .standard).map(\.number) == [2])
        try CassetteCommand.Redact.parse(["--cassettes", scratch.path, "j"]).run()
        #expect(try read("j").map(\.request.url) == ["https://a.test/", "https://a.test/?token=[REDACTED:token#1]"])
        #expect(!FileManager.default.fileExists(atPath: place.journal))
    }

    /// A cassette with one exchange in its file and one in the journal of a killed process.
    private func broken(_ name: String) throws -> CassetteLocation {
        let place = try save(name, [recorded("1", "https://a.test/one")])
        try CassetteJournal.open(place).append(recorded("1", "https://b.test/two?token=hush"))
        return place
    }

    private func hasJournal(_ place: CassetteLocation) -> Bool {
        FileManager.default.fileExists(atPath: place.journal)
    }

    @Test func readingCommandsSeeTheJournalAndLeaveIt() throws {
        let place = try broken("j")
        let before = try Data(contentsOf: URL(fileURLWithPath: place.journal))
        let cassette = try CassetteChange.read(place)
        #expect(cassette.exchanges.map(\.id) == ["1", "2"])
        #expect(cassette.exchanges.map(\.request.url) == ["https://a.test/one", "https://b.test/two?token=hush"])
        var counts = CassetteCommand.Counts()
        counts.add(cassette)
        #expect(counts.exchanges == 2)
        let folder = ["--cassettes", scratch.path]
        #expect(exitCode { try CassetteCommand.Scan.parse(folder + ["j"]).run() } == 5)
        #expect(exitCode { try CassetteCommand.Diff.parse(folder + ["j", "j"]).run() } == 0)
        #expect(
            exitCode { try CassetteCommand.Prune.parse(folder + ["--host", "b.test", "--dry-run", "j"]).run() } == 0)
        #expect(exitCode { try CassetteCommand.Redact.parse(folder + ["--dry-run", "j"]).run() } == 0)
        #expect(exitCode { try CassetteCommand.Validate.parse(folder + ["j"]).run() } == 0)
        #expect(exitCode { try CassetteCommand.Show.parse(folder + ["j"]).run() } == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: place.journal)) == before)
    }

    @Test func aTornRecordOfALivingRecorderIsNotTouched() throws {
        let place = try broken("j")
        var octets = try Data(contentsOf: URL(fileURLWithPath: place.journal))
        octets.append(octets.dropFirst(8).prefix(20))
        try octets.write(to: URL(fileURLWithPath: place.journal))
        #expect(try CassetteChange.read(place).exchanges.count == 2)
        #expect(try CassetteCommand.Scan.findings(at: place, .standard).map(\.number) == [2])
        #expect(try Data(contentsOf: URL(fileURLWithPath: place.journal)) == octets)
    }

    @Test func whatWasSavedBeforeTheKillIsThereOnce() throws {
        let place = try broken("j")
        let left = try #require(try CassetteJournal.look(place).exchanges.first)
        try CassetteWriter.save(
            Cassette(recordedWith: "x", exchanges: [recorded("7", "https://a.test/one"), left]), to: place)
        #expect(try CassetteChange.read(place).exchanges.map(\.id) == ["7", "1"])
    }

    @Test func changingCommandsTakeTheJournalIn() throws {
        let folder = ["--cassettes", scratch.path]
        let pruned = try broken("p")
        try CassetteCommand.Prune.parse(folder + ["--host", "a.test", "p"]).run()
        #expect(try read("p").map(\.request.url) == ["https://b.test/two?token=hush"])
        #expect(!hasJournal(pruned))
        let merged = try broken("m")
        try save("other", [recorded("1", "https://c.test/")])
        try CassetteCommand.Merge.parse(folder + ["m", "other", "--into", "m"]).run()
        #expect(
            try read("m").map { String($0.request.url.prefix(14)) } == [
                "https://a.test", "https://b.test", "https://c.test",
            ])
        #expect(!hasJournal(merged))
        let split = try broken("s")
        try CassetteCommand.Split.parse(folder + ["--remove", "s"]).run()
        #expect(try read("s/b.test").count == 1)
        #expect(!hasJournal(split))
    }

    @Test func aCassetteOfWhichThereIsOnlyAJournalIsListedAndNotWrittenOver() throws {
        let place = try save("old", [recorded("1", "https://a.test/")])
        let only = CassetteLocation(folder: place.folder, name: try CassetteName.validated("only"))
        try CassetteJournal.open(only).append(recorded("1", "https://a.test/x"))
        #expect(try CassetteFolder.locations(in: place.folder).map(\.name.description) == ["old", "only"])
        #expect(try CassetteChange.read(only).exchanges.count == 1)
        let arguments = ["--cassettes", scratch.path, "old", "--into", "only"]
        #expect(exitCode { try CassetteCommand.Merge.parse(arguments).run() } == 73)
        #expect(hasJournal(only))
        #expect(exitCode { try CassetteCommand.Merge.parse(arguments + ["--force"]).run() } == 0)
        #expect(!hasJournal(only))
        #expect(try read("only").map(\.request.url) == ["https://a.test/"])
    }
}
