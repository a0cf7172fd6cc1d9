import PlayheadCassette
import PlayheadEngine
import Testing

struct LearnedRulesTests {
    private static let json = [("Content-Type", "application/json")]

    @Test func findsWhatVariesAtEveryPlace() {
        let first = [
            exchange("https://a.test/x?page=1&nonce=abc&nonce=d", headers: [("X-Request-No", "1"), ("Accept", "*/*")]),
            exchange(
                "https://a.test/y", method: "POST", headers: Self.json,
                body: #"{"at": 1, "items": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]}"#),
            exchange(
                "https://a.test/z", method: "POST", headers: [("Content-Type", "application/x-www-form-urlencoded")],
                body: "name=a&stamp=1"),
        ]
        let second = [
            exchange("https://a.test/x?nonce=efg&nonce=d&page=1", headers: [("X-Request-No", "2"), ("Accept", "*/*")]),
            exchange(
                "https://a.test/y", method: "POST", headers: Self.json,
                body: #"{"items": [{"id": 7, "name": "a"}, {"id": 8, "name": "b"}], "at": 2}"#),
            exchange(
                "https://a.test/z", method: "POST", headers: [("Content-Type", "application/x-www-form-urlencoded")],
                body: "stamp=2&name=a"),
        ]
        let rules = LearnedRules(first: first, second: second)
        #expect(rules.query == ["nonce"])
        #expect(rules.headers == ["x-request-no"])
        #expect(rules.jsonPaths == ["$.at", "$.items[*].id"])
        #expect(rules.formKeys == ["stamp"])
        #expect(rules.compared == 3 && rules.onlyFirst == [] && rules.onlySecond == [])
    }

    @Test func whatItProposesMakesTheSecondRunMatchTheFirst() throws {
        let first = exchange(
            "https://a.test/y?t=1&k=2", method: "POST", headers: Self.json,
            body: #"{"items": [{"id": 1}, {"id": 2}], "weird.key": 1}"#)
        let second = exchange(
            "https://a.test/y?t=2&k=2", method: "POST", headers: Self.json,
            body: #"{"items": [{"id": 3}, {"id": 4}], "weird.key": 2}"#)
        let learned = LearnedRules(first: [first], second: [second])
        var rules = try MatchRules.parse(list: "default,body")
        let asked = try request(
            "https://a.test/y?t=2&k=2", method: "POST", headers: Self.json,
            body: #"{"items": [{"id": 3}, {"id": 4}], "weird.key": 2}"#)
        var strict = Playback(exchanges: [first], rules: rules)
        #expect(strict.position(asked) == nil)
        rules.ignoredQuery.formUnion(learned.query)
        rules.ignoredJSONPaths += learned.jsonPaths
        try rules.validate()
        var lenient = Playback(exchanges: [first], rules: rules)
        #expect(lenient.position(asked) == 0)
    }

    @Test func thatNothingVariesIsSaid() {
        let one = [exchange("https://a.test/x?a=1"), exchange("https://a.test/x?a=2")]
        #expect(LearnedRules(first: one, second: one).isEmpty)
        #expect(LearnedRules(first: one, second: one).compared == 2)
    }

    @Test func redactedValuesAndVolatileHeadersDoNotCount() {
        let first = [
            exchange("https://a.test/x?token=[REDACTED:token#1]", headers: [("User-Agent", "a"), ("Date", "1")])
        ]
        let second = [
            exchange("https://a.test/x?token=[REDACTED:token#2]", headers: [("User-Agent", "b"), ("Date", "2")])
        ]
        #expect(LearnedRules(first: first, second: second).isEmpty)
    }

    @Test func requestsWithoutACounterpartAreNamed() {
        let rules = LearnedRules(
            first: [exchange("https://a.test/x"), exchange("https://a.test/x"), exchange("https://a.test/gone?a=1")],
            second: [exchange("https://a.test/x"), exchange("https://b.test/new")])
        #expect(rules.onlyFirst == ["GET https://a.test/x", "GET https://a.test/gone"])
        #expect(rules.onlySecond == ["GET https://b.test/new"])
        #expect(rules.compared == 1 && rules.isEmpty)
    }
}
