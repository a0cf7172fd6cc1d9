import Foundation
import PlayheadEngine
import Testing

@testable import PlayheadCLI

@Suite struct ReportTextTests {
    static func report(url: String = "https://a.test/x") throws -> RunReport {
        let json = """
            {"version":1,"cassette":"cassettes/a.yaml","replayed":1,"recorded":0,"missed":2,"failed_tls":1,"unused":3,
            "warnings":["watch\\nout"],"exchanges":[],"misses":[{"id":"1","reason":"no_match","cause":"none matches",
            "cassette":"a","mode":"none","request":{"method":"GET","url":"\(url)"},"nearest":[],
            "record_command":"playhead run"}]}
            """
        return try RunReport(json: Array(json.utf8))
    }

    @Test func textNamesCountsWarningsAndMisses() throws {
        #expect(
            ReportText(report: try Self.report()).text == """
                playhead: 1 replayed, 0 recorded, 2 missed, 1 failed_tls, 3 unused -> cassettes/a.yaml
                playhead: warning: watch out
                miss 1: GET https://a.test/x
                  none matches
                  to record it: playhead run
                and 1 more misses

                """)
    }

    /// The URL is the client's text: it must not become a workflow command of its own.
    @Test func annotationsAreEscaped() throws {
        let text = ReportText(report: try Self.report(url: "https://a.test/\\n::set-env name=X::y,z%")).github
        let lines = text.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(
            lines[0].hasPrefix(
                "::error title=playhead%3A miss GET https%3A//a.test/%0A%3A%3Aset-env name=X%3A%3Ay%2Cz%25::none matches%0A"
            ))
        #expect(lines[1] == "::error title=playhead::and 1 more misses")
        #expect(lines[2] == "::warning title=playhead::watch%0Aout")
    }

    @Test func anAbsurdCountIsNoTrap() throws {
        let report = try RunReport(json: Array("{\"version\":1,\"missed\":\(Int.min)}".utf8))
        #expect(!ReportText(report: report).text.contains("more misses"))
        #expect(!ReportText(report: report).stepSummary.contains("more misses"))
    }

    /// GitHub takes a page of at most a megabyte, and drops it whole when it is longer.
    @Test func aThousandMissesAreCutForGitHub() throws {
        var report = try Self.report()
        report.misses = Array(repeating: report.misses[0], count: 1000)
        report.counts = [.init(name: "missed", value: 1200)]
        #expect(ReportText(report: report).github.split(separator: "\n").count == 100 + 1 + 1)
        #expect(ReportText(report: report).github.contains("::and 1100 more misses\n"))
        let summary = ReportText(report: report).stepSummary
        #expect(summary.components(separatedBy: "<details>").count == 101)
        #expect(summary.hasSuffix("\nand 1100 more misses\n"))
    }

    @Test func theStepSummaryHoldsNoMarkupOfTheClient() throws {
        let text = ReportText(report: try Self.report(url: "https://a.test/<script>&")).stepSummary
        #expect(text.contains("| missed | 2 |"))
        #expect(text.contains("https://a.test/&lt;script&gt;&amp;") && !text.contains("<script>"))
    }
}
