import Testing

@testable import PlayheadProxy

@Suite struct PercentCodingTests {
    @Test func decodesWhatItEncodes() {
        for text in ["", "plain-._~", "a b+c/ü%", "\u{0}\n", "日本"] {
            #expect(PercentCoding.decode(PercentCoding.encode(text)) == text)
        }
        #expect(PercentCoding.encode("a b/ü\n") == "a%20b%2F%C3%BC%0A")
    }

    @Test func aPlusIsASpaceInFormsOnly() {
        #expect(PercentCoding.decode("a+b") == "a+b")
        #expect(PercentCoding.decode("a+b", plusIsSpace: true) == "a b")
    }

    @Test(arguments: ["%", "%1", "%g0", "%0g", "%C3"])
    func refusesBrokenEscapes(_ text: String) { #expect(PercentCoding.decode(text) == nil) }
}
