package import NIOCore
import PlayheadCassette
package import PlayheadHTTP
import Synchronization

/// An answer that the user made up.
package struct MockRule: Sendable {
    package var pattern: RequestPattern
    package var status: Int
    /// End-to-end fields; framing is added when it is sent.
    package var headers: HeaderList
    package var body: ByteBuffer
    /// How many milliseconds the answer waits.
    package var delay: Int
    /// How many requests it answers; nil means all.
    package var times: Int?

    package init(
        pattern: RequestPattern, status: Int, headers: HeaderList, body: ByteBuffer, delay: Int = 0, times: Int? = nil
    ) {
        self.pattern = pattern
        self.status = status
        self.headers = headers
        self.body = body
        self.delay = delay
        self.times = times
    }
}

extension MockRule {
    /// The exchange that comes of a request, for those who look on.
    func exchange(answering request: ProxiedRequest, at moment: Timestamp) -> Exchange {
        Exchange(
            id: "", recordedAt: moment,
            request: RecordedRequest(method: request.head.method, url: request.url, headers: request.head.headers),
            outcome: .response(
                RecordedResponse(
                    status: self.status, headers: self.headers,
                    body: self.body.readableBytes == 0 ? RecordedBody() : RecordedBody(.octets(self.body)))))
    }
}

/// A trouble that the user wants to see.
package struct FaultRule: Sendable {
    /// What happens to the request.
    package enum Kind: String, Sendable, CaseIterable {
        /// It waits, and then goes its usual way.
        case delay
        /// The client gets an error status.
        case status
        /// The connection ends without a response.
        case close
        /// The connection is reset.
        case reset
        /// Nothing comes, until the client gives up.
        case hang
    }

    package var pattern: RequestPattern
    package var kind: Kind
    /// The status of the kind `status`.
    package var status: Int
    /// How many milliseconds it takes until the fault strikes.
    package var delay: Int
    /// How many of the matching requests it strikes, from 0 to 1.
    package var probability: Double
    /// How many requests it strikes at most; nil means all.
    package var times: Int?

    package init(
        pattern: RequestPattern, kind: Kind, status: Int = 503, delay: Int = 0, probability: Double = 1,
        times: Int? = nil
    ) {
        self.pattern = pattern
        self.kind = kind
        self.status = status
        self.delay = delay
        self.probability = probability
        self.times = times
    }
}

/// What the rules make of one request.
enum StagedAction: Sendable {
    case mock(MockRule)
    case fault(FaultRule)
}

/// The mocks and faults that are set, with how often each was used; all event loops ask it.
package final class StagedRules: Sendable {
    /// A rule with the number of its uses.
    package struct Counted<Rule: Sendable>: Sendable {
        package var rule: Rule
        package var hits = 0
    }

    private struct State {
        var mocks: [Counted<MockRule>] = []
        var faults: [Counted<FaultRule>] = []
        var mocked = 0
        var faulted = 0
    }

    /// At most so many of each kind.
    package static let limit = 1000

    private let state = Mutex(State())
    /// Asked by every request; the lock is taken only when there is a rule.
    private let isEmpty = Atomic(true)
    /// A number from 0 up to 1, without 1.
    private let chance: @Sendable () -> Double

    /// No rules.
    package init(chance: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }) { self.chance = chance }

    /// The mocks, in the order in which they are asked.
    package var mocks: [Counted<MockRule>] { self.state.withLock { $0.mocks } }

    /// The faults, in the order in which they are asked.
    package var faults: [Counted<FaultRule>] { self.state.withLock { $0.faults } }

    /// How many requests mocks answered, and how many faults struck, since the start.
    package var totals: (mocked: Int, faulted: Int) { self.state.withLock { ($0.mocked, $0.faulted) } }

    /// Puts other mocks in the place of those that are set.
    package func setMocks(_ rules: [MockRule]) {
        self.change { $0.mocks = rules.map { Counted(rule: $0) } }
    }

    /// Puts other faults in the place of those that are set.
    package func setFaults(_ rules: [FaultRule]) {
        self.change { $0.faults = rules.map { Counted(rule: $0) } }
    }

    private func change(_ body: (inout State) -> Void) {
        self.state.withLock { state in
            body(&state)
            self.isEmpty.store(state.mocks.isEmpty && state.faults.isEmpty, ordering: .releasing)
        }
    }

    /// What is to be done with a request in place of its usual way; nil for nothing.
    ///
    /// Counts as a use.
    ///
    /// The first fault that matches strikes; else the first mock that matches answers.
    func action(for request: ProxiedRequest, session: String) -> StagedAction? {
        if self.isEmpty.load(ordering: .acquiring) { return nil }
        let path = RoutePath(target: request.head.target)
        return self.state.withLock { state in
            for index in state.faults.indices {
                let rule = state.faults[index].rule
                guard state.faults[index].hits < rule.times ?? .max,
                    rule.pattern.matches(request, session: session, path: path),
                    rule.probability >= 1 || self.chance() < rule.probability
                else { continue }
                state.faults[index].hits += 1
                state.faulted += 1
                return .fault(rule)
            }
            return self.mock(for: request, session: session, path, &state)
        }
    }

    /// The mock that answers a request which a fault only delayed.
    func mock(for request: ProxiedRequest, session: String) -> MockRule? {
        let path = RoutePath(target: request.head.target)
        return self.state.withLock { state in
            guard case .mock(let rule)? = self.mock(for: request, session: session, path, &state) else { return nil }
            return rule
        }
    }

    private func mock(
        for request: ProxiedRequest, session: String, _ path: RoutePath?, _ state: inout State
    ) -> StagedAction? {
        for index in state.mocks.indices {
            let rule = state.mocks[index].rule
            guard state.mocks[index].hits < rule.times ?? .max,
                rule.pattern.matches(request, session: session, path: path)
            else { continue }
            state.mocks[index].hits += 1
            state.mocked += 1
            return .mock(rule)
        }
        return nil
    }
}
