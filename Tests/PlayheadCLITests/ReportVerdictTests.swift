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
        #expect(try #require(ReportVerdict(["miss,unused,trust,secret"])).code(report) == nil)
        let lost = try RunReport(json: Array(#"{"version":1,"recording_failure":"disk full"}"#.utf8))
        #expect(try #require(ReportVerdict(["none"])).code(lost) == .cannotWrite)
        let gone = try RunReport(json: Array(#"{"version":1,"replay_failure":"no side file"}"#.utf8))
        #expect(try #require(ReportVerdict(["none"])).code(gone) == .badCassette)
    }

    /// The name of a count, and the verdict that it gives when it is asked for.
    @Test(arguments: [
        ("secrets", "secret", CommandFailure.Code.secretFound), ("failed_tls", "trust", .clientDistrust),
        ("unused", "leak", .clientDistrust),
    ])
    func eachCountHasItsVerdict(_ count: String, _ name: String, _ code: CommandFailure.Code) throws {
        let report = try RunReport(json: Array(#"{"version":1,"\#(count)":1}"#.utf8))
        #expect(try #require(ReportVerdict([name])).code(report) == code)
        #expect(try #require(ReportVerdict(["miss"])).code(report) == nil)
    }

    @Test(arguments: ["replayed", "tunnelled", "mocked", "failed_tls"])
    func whatCameThroughTheProxyIsNoLeak(_ count: String) throws {
        let report = try RunReport(json: Array(#"{"version":1,"\#(count)":1}"#.utf8))
        #expect(try #require(ReportVerdict(["leak"])).code(report) == nil)
    }

    @Test func refusesWhatItDoesNotKnow() { #expect(ReportVerdict(["leaks"]) == nil) }
}
