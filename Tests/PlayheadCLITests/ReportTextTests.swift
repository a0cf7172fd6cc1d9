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
        #expect(lines.count == 2)
        #expect(
            lines[0].hasPrefix(
                "::error title=playhead%3A miss GET https%3A//a.test/%0A%3A%3Aset-env name=X%3A%3Ay%2Cz%25::none matches%0A"
            ))
        #expect(lines[1] == "::warning title=playhead::watch%0Aout")
    }

    @Test func theStepSummaryHoldsNoMarkupOfTheClient() throws {
        let text = ReportText(report: try Self.report(url: "https://a.test/<script>&")).stepSummary
        #expect(text.contains("| missed | 2 |"))
        #expect(text.contains("https://a.test/&lt;script&gt;&amp;") && !text.contains("<script>"))
    }
}
