import Foundation
import PlayheadCassette
import PlayheadEngine
import Testing

struct RunSummaryTests {
    @Test func printsTheLineOfTheContract() {
        var summary = RunSummary(cassettePath: "cassettes/checkout.yaml")
        summary.replayed = 12
        summary.recorded = 3
        summary.tunnelled = 1
        #expect(
            summary.line == "playhead: 12 replayed, 3 recorded, 0 missed, 1 tunnelled -> cassettes/checkout.yaml")
        summary.failedTLS = 2
        #expect(summary.line.contains("1 tunnelled, 2 failed TLS -> "))
    }

    @Test func whatIsNotSavedCountsAsDiscarded() throws {
        var summary = RunSummary(cassettePath: "cassettes/checkout.yaml")
        summary.recorded = 2
        summary.note(ExchangeLine(id: "1", method: "GET", url: "https://a.test/", outcome: .recorded))
        summary.discard()
        #expect(
            summary.line
                == "playhead: 0 replayed, 0 recorded, 0 missed, 0 tunnelled, 2 discarded -> cassettes/checkout.yaml")
        var total = RunSummary()
        total.add(summary)
        let report = try RunReport(json: total.json())
        #expect(report.count("recorded") == 0 && report.count("discarded") == 2)
        #expect(report.exchanges.map(\.outcome) == [.discarded])
        #expect(RunReport(RunSummary()).counts.allSatisfy { $0.name != "discarded" })
    }

    @Test func whatWasDroppedIsCountedIfThereWasAny() throws {
        var summary = RunSummary(cassettePath: "cassettes/checkout.yaml")
        summary.dropped = 2
        var total = RunSummary()
        total.add(summary)
        total.add(summary)
        #expect(
            total.line
                == "playhead: 0 replayed, 0 recorded, 0 missed, 0 tunnelled, 4 dropped -> cassettes/checkout.yaml")
        #expect(try RunReport(json: total.json()).count("dropped") == 4)
        #expect(RunReport(RunSummary()).counts.allSatisfy { $0.name != "dropped" })
    }

    /// Servers and clients have their say in warnings; none of them moves the cursor.
    @Test func showsControlCharactersOfWarnings() {
        var summary = RunSummary()
        summary.warn("\u{1B}[2Jodd")
        summary.recordingFailure = "a\u{9B}b"
        #expect(summary.text.contains("playhead: warning: \\u{1b}[2Jodd\n"))
        #expect(summary.text.contains("playhead: recording failed: a\\u{9b}b\n"))
    }

    @Test func listsEachMissInTextAndJSON() throws {
        var playback = Playback(exchanges: [exchange("https://a.test/1")], rules: .standard)
        var summary = RunSummary()
        let miss = playback.miss(try request("https://a.test/2"))
        summary.note(try #require(miss))
        summary.warn("old \"recording\"")
        #expect(summary.text.hasPrefix("playhead: 0 replayed, 0 recorded, 1 missed, 0 tunnelled\n"))
        #expect(summary.text.contains("path: recorded \"/1\", requested \"/2\""))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(summary.json())) as? [String: Any])
        #expect(object["missed"] as? Int == 1)
        #expect((object["misses"] as? [[String: Any]])?.first?["reason"] as? String == "no_match")
    }
}
