import PlayheadCassette
import PlayheadEngine
import Testing

struct SessionPlanTests {
    private func plan(
        _ mode: RecordMode, exists: Bool = true, count: Int = 3, age: Int64 = 0, reRecordAfter: Int64? = nil
    ) -> SessionPlan {
        SessionPlan.decide(
            mode: mode, cassetteExists: exists, exchangeCount: count, oldest: Timestamp(milliseconds: 1_000_000 - age),
            now: Timestamp(milliseconds: 1_000_000), reRecordAfter: reRecordAfter)
    }

    @Test(arguments: [
        (RecordMode.once, true, true, false, false), (.newEpisodes, true, true, true, true),
        (.none, true, true, false, false), (.all, true, false, true, true), (.rewrite, true, false, true, true),
        (.passthrough, true, false, false, true), (.once, false, true, true, true),
        (.newEpisodes, false, true, true, true),
        (.none, false, true, false, false), (.all, false, false, true, true), (.rewrite, false, false, true, true),
        (.passthrough, false, false, false, true), (.intercept, true, false, false, true),
    ])
    func followsTheTableOfModes(mode: RecordMode, hasExchanges: Bool, replays: Bool, records: Bool, relays: Bool) {
        let decided = hasExchanges ? plan(mode) : plan(mode, exists: false, count: 0)
        #expect(decided.replays == replays)
        #expect(decided.records == records)
        #expect(decided.relays == relays)
        #expect(decided.mode == mode)
    }

    @Test func onceRecordsIntoAnEmptyCassette() {
        #expect(plan(.once, exists: true, count: 0).records)
        #expect(!plan(.once, exists: true, count: 1).records)
    }

    @Test func anOldCassetteIsRecordedAnewUnlessTheModeForbidsIt() {
        for mode in [RecordMode.once, .newEpisodes] {
            let decided = plan(mode, age: 101, reRecordAfter: 100)
            #expect(decided.mode == .all)
            #expect(decided.asked == mode)
            #expect(decided.fallsBackToOld)
            #expect(plan(mode, age: 100, reRecordAfter: 100).mode == mode)
        }
        #expect(plan(.none, age: 101, reRecordAfter: 100).mode == .none)
        #expect(plan(.passthrough, age: 101, reRecordAfter: 100).mode == .passthrough)
        #expect(plan(.rewrite, age: 101, reRecordAfter: 100).mode == .rewrite)
    }

    @Test func bothSpellingsAreRead() {
        #expect(RecordMode.parse("new_episodes") == .newEpisodes)
        #expect(RecordMode.parse("new-episodes") == .newEpisodes)
        #expect(RecordMode.parse("NONE") == RecordMode.none)
        #expect(RecordMode.parse("new episodes") == nil)
    }

    private let old = [exchange("https://a.test/1"), exchange("https://a.test/2"), exchange("https://a.test/1")]

    @Test func allReplacesWhatMatchesAndKeepsTheRest() throws {
        var merge = KeptExchanges(plan: plan(.all), rules: .standard, old: old)
        #expect(!merge.needsWriting(playCounts: [0, 0, 0]))
        merge.noteRecorded(try request("https://a.test/1"))
        merge.noteRecorded(try request("https://a.test/new"))
        #expect(merge.needsWriting(playCounts: [0, 0, 0]))
        #expect(merge.kept(playCounts: [0, 0, 0]) == [1])
    }

    @Test func rewriteDropsTheOldOnesOnceSomethingIsRecorded() throws {
        var merge = KeptExchanges(plan: plan(.rewrite), rules: .standard, old: old)
        #expect(!merge.needsWriting(playCounts: []))
        #expect(merge.kept(playCounts: []) == [0, 1, 2])
        merge.noteRecorded(try request("https://a.test/9"))
        #expect(merge.kept(playCounts: []) == [])
    }

    @Test func newEpisodesKeepsAllAndDropsUnusedOnlyWhenAsked() throws {
        var keeping = KeptExchanges(plan: plan(.newEpisodes), rules: .standard, old: old)
        keeping.noteRecorded(try request("https://a.test/1"))
        #expect(keeping.kept(playCounts: [0, 0, 0]) == [0, 1, 2])
        let dropping = KeptExchanges(plan: plan(.newEpisodes), rules: .standard, old: old, dropsUnused: true)
        #expect(dropping.kept(playCounts: [0, 2, 1]) == [1, 2])
        #expect(dropping.needsWriting(playCounts: [0, 2, 1]))
        #expect(dropping.droppedCount(playCounts: [0, 2, 1]) == 1)
        #expect(!dropping.needsWriting(playCounts: [1, 1, 1]))
        #expect(dropping.droppedCount(playCounts: [1, 1, 1]) == 0)
        let forbidden = KeptExchanges(plan: plan(.none), rules: .standard, old: old, dropsUnused: true)
        #expect(!forbidden.needsWriting(playCounts: [0, 0, 0]))
        #expect(forbidden.kept(playCounts: [0, 0, 0]) == [0, 1, 2])
        #expect(keeping.droppedCount(playCounts: [0, 0, 0]) == 0)
        #expect(forbidden.droppedCount(playCounts: [0, 0, 0]) == 0)
    }

    /// What a new recording takes the place of is recorded, not dropped.
    @Test func whatIsReplacedIsNotDropped() throws {
        var all = KeptExchanges(plan: plan(.all), rules: .standard, old: old, dropsUnused: true)
        all.noteRecorded(try request("https://a.test/1"))
        #expect(all.kept(playCounts: [0, 0, 0]) == [])
        #expect(all.droppedCount(playCounts: [0, 0, 0]) == 1)
        var rewrite = KeptExchanges(plan: plan(.rewrite), rules: .standard, old: old, dropsUnused: true)
        #expect(rewrite.droppedCount(playCounts: [0, 0, 0]) == 0)
        rewrite.noteRecorded(try request("https://a.test/9"))
        #expect(rewrite.droppedCount(playCounts: [0, 0, 0]) == 0)
    }
}
