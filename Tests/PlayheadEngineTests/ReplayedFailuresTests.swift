import PlayheadCassette
import PlayheadEngine
import Testing

struct ReplayedFailuresTests {
    private func failure(_ kind: RecordedFailure.Kind, _ url: String) -> Exchange {
        var failed = exchange(url)
        failed.outcome = .failure(RecordedFailure(kind: kind, message: "what happened"))
        return failed
    }

    private func warning(_ exchanges: [Exchange], _ plays: [Int], cassette: String = "default") -> String? {
        ReplayedFailures(exchanges, playCounts: plays, redactor: .standard).warning(cassette: cassette)
    }

    @Test func namesWhatWasPlayedAndTheCommandThatRecordsItAgain() {
        let exchanges = [
            exchange("https://a.test/ok"), self.failure(.dns, "https://a.test/1?token=sesame"),
            self.failure(.refused, "https://b.test/"),
        ]
        #expect(
            self.warning(exchanges, [1, 3, 0])
                == "1 recorded failure was replayed: GET https://a.test/1?token=… (DNS failure); record it again with "
                + "playhead run --cassette default --mode all -- COMMAND")
        #expect(self.warning(exchanges, [1, 0, 0]) == nil)
        #expect(
            self.warning(exchanges, [0, 1, 1], cassette: "a b")?
                .hasSuffix(
                    "GET https://b.test/ (connection refused); record them again with "
                        + "playhead run --cassette 'a b' --mode all -- COMMAND") == true)
    }

    @Test func aStreamThatItsClientLeftIsNoFailure() {
        let left = [RecordedFailure.Kind.clientLeft, .stopped].map { self.failure($0, "https://a.test/") }
        #expect(self.warning(left, [1, 1]) == nil)
    }

    @Test func manyAreCountedAndAFewNamed() throws {
        let many = (1...40).map { self.failure(.dns, "https://a.test/\($0)") }
        let text = try #require(self.warning(many, Array(repeating: 1, count: 40)))
        #expect(text.hasPrefix("40 recorded failures were replayed: GET https://a.test/1 (DNS failure), "))
        #expect(text.contains("/3 (DNS failure) and 37 more; record them") && !text.contains("/4"))
    }
}
