import Testing

@testable import PlayheadCLI

@Suite struct NearestWordTests {
    @Test(arguments: [
        ("", "", 0), ("mode", "mode", 0), ("", "abc", 3), ("abc", "", 3), ("mod", "mode", 1),
        ("cassete", "cassette", 1),
        ("sevre", "serve", 2), ("kitten", "sitting", 3),
    ])
    func countsTheEdits(left: String, right: String, edits: Int) {
        #expect(left.distance(to: right) == edits)
        #expect(right.distance(to: left) == edits)
    }

    @Test func findsTheNearestWord() {
        #expect(["run", "serve", "env"].nearest(to: "serv") == "serve")
        #expect([String]().nearest(to: "serv") == nil)
    }
}
