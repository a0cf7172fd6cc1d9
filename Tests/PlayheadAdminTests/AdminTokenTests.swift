import Testing

@testable import PlayheadAdmin

@Suite struct AdminTokenTests {
    private struct Counter: RandomNumberGenerator {
        var value: UInt64 = 0
        mutating func next() -> UInt64 {
            self.value += 1
            return self.value
        }
    }

    @Test func hasAllDigitsOf256Bits() {
        var generator = Counter()
        let token = AdminToken.random(using: &generator)
        #expect(token.text == (1...4).map { String(repeating: "0", count: 15) + "\($0)" }.joined())
    }

    @Test func equalsOnlyItself() throws {
        let token = try #require(AdminToken("0123456789abcdef"))
        #expect(token.equals("0123456789abcdef"))
        for other in ["", "0123456789abcdeF", "0123456789abcde", "0123456789abcdef0", "x123456789abcdef"] {
            #expect(!token.equals(other), "\(other)")
        }
    }

    @Test(arguments: ["", "short", "sixteen octets +", "0123456789abcde\u{7F}", "0123456789abcdé"])
    func refusesWhatIsNoToken(_ text: String) { #expect(AdminToken(text) == nil) }
}
