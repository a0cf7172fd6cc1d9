import PlayheadEngine
import Testing

@testable import PlayheadCLI

struct ReportTargetTests {
    @Test(arguments: [
        ("a", "a", ReportTarget.Format.json), ("a.xml", "a.xml", .junit), ("a.html", "a.html", .html),
        ("a:junit", "a", .junit), ("a.xml:json", "a.xml", .json), ("b:c/d", "b:c/d", .json),
        ("./a:html", "./a", .html),
    ])
    func readsFileAndForm(_ text: String, _ path: String, _ format: ReportTarget.Format) throws {
        let target = try #require(ReportTarget(text))
        #expect(target.path == path)
        #expect(target.format == format)
    }

    @Test(arguments: ["a:xml", "a:", ":json"]) func refusesOtherForms(_ text: String) {
        #expect(ReportTarget(text) == nil)
    }
}
