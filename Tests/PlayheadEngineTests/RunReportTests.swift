import Foundation
import PlayheadCassette
import Testing

@testable import PlayheadEngine

#if canImport(FoundationXML)
    import FoundationXML
#endif

struct RunReportTests {
    private func report() throws -> RunReport {
        var playback = Playback(exchanges: [exchange("https://a.test/1?q=<1>")], rules: .standard)
        var summary = RunSummary(cassettePath: "cassettes/a&b.yaml")
        var miss = try #require(playback.miss(try request("https://a.test/2?q='x'")))
        miss.id = "1"
        summary.note(miss)
        summary.replayed = 2
        for warning in ["old \"recording\"", "\u{1}]]>"] { summary.warn(warning) }
        summary.recordingFailure = "disk <full>"
        summary.note(ExchangeLine(id: "1", method: "GET", url: "https://a.test/1", outcome: .replayed, plays: 2))
        summary.note(ExchangeLine(id: "2", method: "GET", url: "https://a.test/?a&b", outcome: .unused))
        summary.note(ExchangeLine(id: "3", method: "POST", url: "https://a.test/é", outcome: .recorded))
        return RunReport(summary)
    }

    @Test func readsTheJSONThatItWrote() throws {
        let report = try self.report()
        #expect(try RunReport(json: report.json()) == report)
        #expect(report.count("replayed") == 2)
        #expect(report.count("missed") == 1)
    }

    @Test(arguments: [
        ("", "JSON"), ("[]", "no \"version\""), ("{\"version\":\"1\"}", "no \"version\""),
        ("{\"version\":2}", "version 2"), ("{\"version\":1", "JSON"),
    ])
    func refusesWhatIsNoReport(_ text: String, _ reason: String) throws {
        let error = #expect(throws: EngineError.self) { try RunReport(json: Array(text.utf8)) }
        #expect(error?.message.contains(reason) == true)
    }

    @Test func takesAnyShapeOfMembersWithoutATrap() throws {
        let odd =
            #"{"version":1,"misses":[1,{"nearest":7,"request":[]}],"exchanges":[{"outcome":"x"}],"warnings":{},"a":9e99}"#
        let report = try RunReport(json: Array(odd.utf8))
        #expect(report.misses.count == 2)
        #expect(report.exchanges.isEmpty)
    }

    @Test func givesJUnitThatAnXMLParserTakes() throws {
        let reader = Elements()
        let parser = XMLParser(data: Data(try self.report().junit()))
        parser.delegate = reader
        #expect(parser.parse())
        #expect(reader.names.count { $0 == "testcase" } == 5)
        #expect(reader.names.count { $0 == "failure" } == 2)
        #expect(reader.names.count { $0 == "skipped" } == 1)
        #expect(reader.tests == "5")
    }

    @Test func escapesEverythingInHTML() throws {
        var report = try self.report()
        report.misses[0].url = "https://a.test/<script>alert(1)</script>"
        let page = String(decoding: report.html(), as: UTF8.self)
        #expect(!page.contains("<script"))
        #expect(page.contains("&lt;script&gt;"))
        #expect(page.contains("default-src 'none'"))
        #expect(page.contains("disk &lt;full&gt;"))
    }
}

private final class Elements: NSObject, XMLParserDelegate {
    var names: [String] = []
    var tests: String?

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        self.names.append(name)
        if name == "testsuite" { self.tests = attributes["tests"] }
    }
}
