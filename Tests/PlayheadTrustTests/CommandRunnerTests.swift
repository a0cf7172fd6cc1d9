import Foundation
import PlayheadTrust
import Testing

struct CommandRunnerTests {
    @Test func carriesInputAndBothOutputsBeyondAPipesSize() throws {
        let input = String(repeating: "0123456789abcdef", count: 40_000)
        let result = try shell(["sh", "-c", "tee /dev/stderr; exit 3"], input: input)
        #expect(result.status == 3)
        #expect(result.text == input)
        #expect(result.errorText == input)
    }

    @Test func survivesACommandThatDoesNotRead() throws {
        let input = String(repeating: "x", count: 1 << 20)
        #expect(try shell(["true"], input: input).status == 0)
    }

    @Test func aMissingCommandIsAnErrorThatNamesIt() {
        let error = #expect(throws: TrustError.self) { try shell(["playhead-no-such-command"]) }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains("playhead-no-such-command") == true)
    }

    @Test func closedInputReadsAsItsEnd() throws {
        #expect(try shell(["cat"]).output.isEmpty)
    }
}
