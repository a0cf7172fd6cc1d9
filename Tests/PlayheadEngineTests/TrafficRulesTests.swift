import PlayheadEngine
import Testing

struct TrafficRulesTests {
    @Test(arguments: [
        ("api.example.com", "API.example.com.", 443, true), ("api.example.com", "x.api.example.com", 443, false),
        ("*.example.com", "a.b.example.com", 1, true), ("*.example.com", "example.com", 443, false),
        ("*.example.com", "badexample.com", 443, false), ("example.com:8443", "example.com", 8443, true),
        ("example.com:8443", "example.com", 443, false), ("*", "anything", 80, true), ("*:80", "anything", 443, false),
        ("[::1]:80", "::1", 80, true), ("::1", "[::1]", 443, true),
    ])
    func matchesHosts(pattern: String, host: String, port: Int, isMatch: Bool) throws {
        #expect(try HostPattern(pattern).matches(host: host, port: port) == isMatch)
    }

    @Test(arguments: [
        "", "a*.test", "*.", "https://a.test", "a.test:0", "a.test:x", "a.test:65536", "a b", "[::1", "u@a.test",
    ])
    func refusesPattern(text: String) {
        #expect(throws: EngineError.self) { try HostPattern(text) }
    }

    @Test func tunnelGoesBeforeIgnoreBeforeTheRest() throws {
        let a = try HostPattern("a.test")
        let rules = TrafficRules(ignore: [a, try HostPattern("b.test")], tunnel: [a])
        #expect(rules.decision(host: "a.test", port: 443) == .tunnel)
        #expect(rules.decision(host: "b.test", port: 443) == .ignore)
        #expect(rules.decision(host: "c.test", port: 443) == .takePart)
    }

    @Test func onlyAndKeywordsLeaveTheOthersOut() throws {
        let rules = TrafficRules(only: [try HostPattern("a.test")], urlKeywords: ["/api/"])
        #expect(rules.decision(host: "b.test", port: 443, url: "https://b.test/other") == .ignore)
        #expect(rules.decision(host: "b.test", port: 443) == .takePart)
        #expect(rules.decision(host: "b.test", port: 443, url: "https://b.test/api/x") == .takePart)
        #expect(rules.decision(host: "a.test", port: 443, url: "https://a.test/other") == .takePart)
    }

    @Test func ignoredKeywordsLeaveOutWhatTheyName() throws {
        let rules = TrafficRules(only: [try HostPattern("a.test")], ignoredKeywords: ["/health"])
        #expect(rules.decision(host: "a.test", port: 443, url: "https://a.test/health?x") == .ignore)
        #expect(rules.decision(host: "a.test", port: 443, url: "https://a.test/other") == .takePart)
        #expect(rules.decision(host: "a.test", port: 443) == .takePart)
    }
}
