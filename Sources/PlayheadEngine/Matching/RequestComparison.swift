import PlayheadHTTP
import PlayheadCassette

/// Compares a request with recordings by a session's rules.
struct RequestComparison: Sendable {
    let rules: MatchRules
    let parts: RequiredParts
    /// One comparison per `headers` matcher; there may be several with names.
    private let headers: [HeaderComparison]
    private let ignoredQuery: Set<Octets>
    /// What is left out when bodies are compared.
    let ignoredPlaces: IgnoredPlaces

    init(rules: MatchRules) {
        self.rules = rules
        self.ignoredPlaces = IgnoredPlaces(rules)
        self.parts = RequiredParts(rules.required)
        self.headers = rules.required.compactMap { matcher in
            guard case .headers(let names) = matcher else { return nil }
            return HeaderComparison(names: names, ignored: rules.ignoredHeaders)
        }
        self.ignoredQuery = Set(rules.ignoredQuery.map { Octets($0.utf8) })
    }

    /// Whether everything required but the body holds.
    ///
    /// - Parameter recorded: the request of the recording; only looked at when a matcher needs more than the target.
    func headMatches(
        _ request: IncomingRequest, target: RecordedTarget, recorded: @autoclosure () -> RecordedRequest
    ) -> Bool {
        self.targetMatches(request, target)
            // Only a WebSocket's request keeps the field: it and a request for a page are never the same.
            && request.headers.contains("upgrade") == target.isUpgrade
            && (!self.parts.contains(.headers)
                || self.headers.allSatisfy {
                    $0.differences(recorded: recorded().headers, requested: request.headers).isEmpty
                })
            && (!self.parts.contains(.custom) || self.customDifferences(request, recorded()).isEmpty)
    }

    private func targetMatches(_ request: IncomingRequest, _ target: RecordedTarget) -> Bool {
        if self.parts.contains(.method), request.method != target.method { return false }
        let wholeURL = self.parts.contains(.uri)
        if wholeURL || self.parts.contains(.port), request.origin.port != target.origin.port { return false }
        if wholeURL || self.parts.contains(.host), request.origin.host != target.origin.host { return false }
        if wholeURL || self.parts.contains(.scheme), request.origin.scheme != target.origin.scheme { return false }
        if request.pathAndQuery == target.pathAndQuery { return true }
        return self.targetDifferences(request, target).isEmpty
    }

    /// Every required part in which a request differs from a recording, and how many matchers passed.
    func differences(
        _ request: IncomingRequest, body: ComparableBody, target: RecordedTarget, exchange: Exchange
    ) -> (passed: Int, differences: [Difference]) {
        var found: [Difference] = []
        var passed = 0
        let (old, new) = (exchange.request.headers.first("upgrade"), request.headers.first("upgrade"))
        if (old == nil) != (new == nil) {
            found.append(Difference(.header("upgrade"), recorded: old, requested: new))
        }
        for matcher in self.rules.required {
            let own = self.differences(of: matcher, request, body, target, exchange)
            if own.isEmpty { passed += 1 }
            found.append(contentsOf: own)
        }
        return (passed, found)
    }

    private func differences(
        of matcher: Matcher, _ request: IncomingRequest, _ body: ComparableBody, _ target: RecordedTarget,
        _ exchange: Exchange
    ) -> [Difference] {
        func differ(_ part: Difference.Part, _ recorded: String, _ requested: String) -> [Difference] {
            recorded == requested ? [] : [Difference(part, recorded: recorded, requested: requested)]
        }
        switch matcher {
        case .method: return differ(.method, target.method, request.method)
        case .scheme: return differ(.scheme, target.origin.scheme, request.origin.scheme)
        case .host: return differ(.host, target.origin.host, request.origin.host)
        case .port: return differ(.port, "\(target.origin.port)", "\(request.origin.port)")
        case .uri:
            if request.origin == target.origin, self.sameText(request, target) { return [] }
            return [Difference(.uri, recorded: exchange.request.url, requested: request.url)]
        case .path: return self.pathDifference(request, target)
        case .query: return self.queryDifferences(request, target)
        case .headers(let names):
            let comparison = HeaderComparison(names: names, ignored: self.rules.ignoredHeaders)
            return comparison.differences(recorded: exchange.request.headers, requested: request.headers).map {
                Difference(.header($0.name), recorded: joined($0.recorded), requested: joined($0.requested))
            }
        case .body:
            return body.differences(from: ComparableBody(recorded: exchange.request), ignoring: self.ignoredPlaces)
        case .rawBody:
            return ComparableBody.rawMatches(request, exchange.request)
                ? [] : [Difference(.rawBody, recorded: nil, requested: nil)]
        case .custom(let name):
            return self.customDifferences(request, exchange.request).contains(name)
                ? [Difference(.custom(name), recorded: nil, requested: nil)] : []
        }
    }

    private func targetDifferences(_ request: IncomingRequest, _ target: RecordedTarget) -> [Difference] {
        var found: [Difference] = []
        if self.parts.contains(.uri), !self.sameText(request, target) {
            found.append(Difference(.uri, recorded: nil, requested: nil))
        }
        if self.parts.contains(.path) { found.append(contentsOf: self.pathDifference(request, target)) }
        if self.parts.contains(.query) { found.append(contentsOf: self.queryDifferences(request, target)) }
        return found
    }

    /// The `uri` matcher after the origin: text against text, ignored names left out.
    private func sameText(_ request: IncomingRequest, _ target: RecordedTarget) -> Bool {
        func text(_ target: String) -> Octets {
            guard !self.ignoredQuery.isEmpty else { return Octets(target.utf8) }
            var (text, query) = RecordedTarget.split(target)
            FieldPairs.forEachRaw(query) { name, value in
                guard !self.ignoredQuery.contains(PercentText.decoded(name)) else { return }
                text.append(UInt8(ascii: "&"))
                text.append(contentsOf: name)
                text.append(UInt8(ascii: "="))
                text.append(contentsOf: value)
            }
            return text
        }
        return Placeholder.matches(text(target.pathAndQuery), text(request.pathAndQuery))
    }

    private func pathDifference(_ request: IncomingRequest, _ target: RecordedTarget) -> [Difference] {
        let recorded = RecordedTarget.split(target.pathAndQuery).path
        let requested = RecordedTarget.split(request.pathAndQuery).path
        if Placeholder.matches(PercentText.normalizedPath(recorded), PercentText.normalizedPath(requested)) {
            return []
        }
        return [Difference(.path, recorded: displayText(recorded), requested: displayText(requested))]
    }

    private func queryDifferences(_ request: IncomingRequest, _ target: RecordedTarget) -> [Difference] {
        let recorded = FieldPairs(RecordedTarget.split(target.pathAndQuery).query)
        let requested = FieldPairs(RecordedTarget.split(request.pathAndQuery).query)
        return FieldPairs.differences(
            recorded: recorded, requested: requested, isIgnored: { self.ignoredQuery.contains($0) }
        ).map {
            Difference(
                .query(displayText($0.name)), recorded: joined($0.recorded), requested: joined($0.requested))
        }
    }

    private func customDifferences(_ request: IncomingRequest, _ recorded: RecordedRequest) -> [String] {
        self.rules.required.compactMap { matcher in
            guard case .custom(let name) = matcher else { return nil }
            // A required matcher that is not registered cannot hold.
            guard let custom = self.rules.customMatchers[name] else { return name }
            return custom.isMatch(request, recorded) ? nil : name
        }
    }
}

/// Values of one name as one text.
private func joined(_ values: [Octets]?) -> String? {
    values.map { $0.map { displayText($0) }.joined(separator: ", ") }
}
