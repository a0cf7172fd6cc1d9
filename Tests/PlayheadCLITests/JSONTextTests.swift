import Foundation
import Testing

@testable import PlayheadCLI

@Suite struct JSONTextTests {
    @Test(arguments: ["", "plain", "\"\\\n\r\t", "\u{0}\u{1F}\u{7F}\u{2028}", "\u{1F600} ü / </script>"])
    func whatIsWrittenReadsBackTheSame(text: String) throws {
        let json = JSONText.object([("a", JSONText.array([JSONText.string(text)])), (text, "1")])
        let read = try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(read["a"] as? [String] == [text])
        #expect(read[text] as? Int == 1)
    }
}
