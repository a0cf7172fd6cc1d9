import PlayheadEngine
import Testing

@testable import PlayheadCLI

@Suite struct ReportVerdictTests {
    @Test(
        arguments: [
            ([], CommandFailure.Code.miss), (["none"], nil), (["unused"], .unused), (["trust"], .clientDistrust),
            (["unused,miss"], .miss), (["unused", "trust"], .clientDistrust),
        ] as [([String], CommandFailure.Code?)])
    func theWorstCounts(_ names: [String], _ code: CommandFailure.Code?) throws {
        let verdict = try #require(ReportVerdict(names))
        #expect(verdict.code(try ReportTextTests.report()) == code)
    }

    @Test func aCleanReportIsNoFailure() throws {
        let report = try RunReport(json: Array(#"{"version":1,"missed":0,"unused":0}"#.utf8))
        #expect(try #require(ReportVerdict(["miss,unused,trust"])).code(report) == nil)
        let lost = try RunReport(json: Array(#"{"version":1,"recording_failure":"disk full"}"#.utf8))
        #expect(try #require(ReportVerdict(["none"])).code(lost) == .cannotWrite)
    }

    @Test func refusesWhatItDoesNotKnow() { #expect(ReportVerdict(["leak"]) == nil) }
}
