public import PlayheadCassette

/// The recorded failures that answered requests: a surprise for whoever forgot that the network was down then.
public struct ReplayedFailures: Sendable, Equatable {
    /// At most so many are named.
    private static let namedLimit = 3

    /// How many recordings these are.
    public private(set) var count = 0
    /// The first of them, such as `GET https://api.example.test/ (DNS failure)`.
    private var names: [String] = []

    /// Looks through a cassette.
    ///
    /// - Parameters:
    ///   - playCounts: how often each exchange was played to its end.
    ///   - redactor: what masks the URLs.
    public init(_ exchanges: [Exchange], playCounts: [Int], redactor: Redactor) {
        for (exchange, plays) in zip(exchanges, playCounts) where plays > 0 {
            guard case .failure(let failure) = exchange.outcome, failure.kind.isFault else { continue }
            self.count += 1
            guard self.names.count < Self.namedLimit else { continue }
            let (method, url) = (exchange.request.method, redactor.logURL(exchange.request.url))
            self.names.append("\(visible(method)) \(visible(url)) (\(failure.kind.words))")
        }
    }

    /// A sentence that says which, and the command that records them again; nil without any.
    public func warning(cassette: String) -> String? {
        guard self.count > 0 else { return nil }
        let rest = self.count > self.names.count ? " and \(self.count - self.names.count) more" : ""
        return "\(self.count) recorded \(self.count == 1 ? "failure was" : "failures were") replayed: "
            + self.names.joined(separator: ", ") + rest + "; record \(self.count == 1 ? "it" : "them") again with "
            + RecordCommand.text(cassette: cassette, mode: .all)
    }
}

extension RecordedFailure.Kind {
    /// What happened, for people.
    var words: String {
        switch self {
        case .dns: "DNS failure"
        case .refused: "connection refused"
        case .unreachable: "unreachable"
        case .tls: "TLS failure"
        case .timeout: "timeout"
        case .reset: "connection reset"
        case .closed: "connection closed"
        case .malformed: "not valid HTTP"
        case .clientLeft: "the client left"
        case .stopped: "stopped"
        }
    }
}
