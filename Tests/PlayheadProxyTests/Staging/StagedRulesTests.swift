import NIOCore
import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

@Suite struct StagedRulesTests {
    private static func request(
        _ target: String = "/users/7?x=1", method: String = "GET", host: String = "a.test"
    ) -> ProxiedRequest {
        ProxiedRequest(
            head: RequestHead(method: method, target: target), clientVersion: .http1_1, framing: .none, scheme: "https",
            host: host, port: 443)
    }

    private static func mock(_ pattern: RequestPattern, status: Int = 200, times: Int? = nil) -> MockRule {
        MockRule(pattern: pattern, status: status, headers: HeaderList(), body: ByteBuffer(), times: times)
    }

    private static func status(_ action: StagedAction?) -> Int? {
        if case .mock(let rule)? = action { rule.status } else { nil }
    }

    @Test(arguments: [
        (RequestPattern(), true), (RequestPattern(method: "GET"), true), (RequestPattern(method: "POST"), false),
        (RequestPattern(path: "/users/{id}"), true), (RequestPattern(path: "/users"), false),
        (RequestPattern(path: "/{rest...}"), true), (RequestPattern(session: "default"), true),
        (RequestPattern(session: "lease-1"), false),
    ])
    func aPatternTakesWhatItNames(_ pattern: RequestPattern, _ matches: Bool) {
        let rules = StagedRules()
        rules.setMocks([Self.mock(pattern)])
        #expect((rules.action(for: Self.request(), session: "default") != nil) == matches)
    }

    @Test func hostsAreComparedAsPatterns() throws {
        let rules = StagedRules()
        rules.setMocks([Self.mock(RequestPattern(host: try HostPattern("*.a.test")))])
        #expect(rules.action(for: Self.request(), session: "s") == nil)
        #expect(rules.action(for: Self.request(host: "b.a.test"), session: "s") != nil)
    }

    /// A path that cannot be decoded has no parts that a pattern could take.
    @Test func aBrokenPathIsTakenByRulesWithoutPath() {
        let rules = StagedRules()
        rules.setMocks([Self.mock(RequestPattern(path: "/{rest...}"), status: 201), Self.mock(RequestPattern())])
        #expect(Self.status(rules.action(for: Self.request("/%zz"), session: "s")) == 200)
    }

    @Test func theFirstWithUsesLeftAnswers() {
        let rules = StagedRules()
        rules.setMocks([
            Self.mock(RequestPattern(), status: 201, times: 2), Self.mock(RequestPattern(), status: 202),
        ])
        let statuses = (0..<4).map { _ in Self.status(rules.action(for: Self.request(), session: "s")) }
        #expect(statuses == [201, 201, 202, 202])
        #expect(rules.mocks.map(\.hits) == [2, 2])
        #expect(rules.totals.mocked == 4)
        rules.setMocks([])
        #expect(rules.action(for: Self.request(), session: "s") == nil)
        #expect(rules.totals.mocked == 4)
    }

    @Test func faultsStrikeBeforeMocksAsOftenAsTheyShould() {
        let rules = StagedRules(chance: { 0.5 })
        rules.setMocks([Self.mock(RequestPattern())])
        rules.setFaults([
            FaultRule(pattern: RequestPattern(), kind: .reset, probability: 0.5),
            FaultRule(pattern: RequestPattern(), kind: .close, probability: 0.51, times: 1),
        ])
        guard case .fault(let rule)? = rules.action(for: Self.request(), session: "s") else {
            Issue.record("no fault")
            return
        }
        #expect(rule.kind == .close, "0.5 is not below 0.5")
        #expect(Self.status(rules.action(for: Self.request(), session: "s")) == 200)
        #expect(rules.faults.map(\.hits) == [0, 1])
        #expect(rules.totals.mocked == 1 && rules.totals.faulted == 1)
    }
}
