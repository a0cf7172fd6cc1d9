/// How requests are compared with recordings: what must be equal, what is never looked at, what is preferred.
public struct MatchRules: Sendable {
    /// What must be equal.
    public var required: [Matcher]
    /// Query names that are left out of every comparison; letter case counts.
    public var ignoredQuery: Set<String>
    /// Header names that are left out of every comparison; letter case does not count.
    public var ignoredHeaders: Set<String>
    /// JSONPaths that are left out when JSON bodies are compared; see ``JSONPathPattern`` for what they may say.
    ///
    /// One that cannot be read leaves nothing out; ``validate()`` refuses it, so call that on what a user wrote.
    public var ignoredJSONPaths: [String]
    /// Names of form fields and multipart parts that are left out when bodies are compared.
    public var ignoredFormKeys: Set<String>
    /// Header names that decide which of several matching recordings answers.
    public var preferredHeaders: [String]
    /// Registered matchers by name; `required` says which of them are used.
    public var customMatchers: [String: CustomMatcher]

    /// Creates rules.
    public init(
        required: [Matcher] = MatchRules.standardMatchers, ignoredQuery: Set<String> = [],
        ignoredHeaders: Set<String> = [], ignoredJSONPaths: [String] = [], ignoredFormKeys: Set<String> = [],
        preferredHeaders: [String] = MatchRules.standardPreferredHeaders,
        customMatchers: [CustomMatcher] = []
    ) {
        self.required = required
        self.ignoredQuery = ignoredQuery
        self.ignoredHeaders = Set(ignoredHeaders.map { asciiLowercased($0) })
        self.ignoredJSONPaths = ignoredJSONPaths
        self.ignoredFormKeys = ignoredFormKeys
        self.preferredHeaders = preferredHeaders.map { asciiLowercased($0) }
        self.customMatchers = Dictionary(customMatchers.map { ($0.name, $0) }) { _, last in last }
    }

    /// The default rules: method, scheme, host, port, path and query.
    public static let standard = MatchRules()

    /// Method, scheme, host, port, path and query.
    public static let standardMatchers: [Matcher] = [.method, .scheme, .host, .port, .path, .query]

    /// The named sets of the libraries this tool follows.
    public static let namedSets: [String: [Matcher]] = [
        "default": standardMatchers,
        "method_uri": [.method, .uri],
        "method_uri_body": [.method, .uri, .body],
        "method_uri_headers": [.method, .uri, .headers(nil)],
    ]

    /// The fields that choose among matching recordings when nothing else is said.
    public static let standardPreferredHeaders = [
        "accept", "accept-language", "content-type", "range", "if-none-match", "if-modified-since",
    ]

    /// Fields that change from run to run and mean nothing for the answer; `headers` without names skips them.
    ///
    /// Hop-by-hop and framing fields, client identity, tracing and caching validators of the hour.
    public static let volatileHeaders: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "trailer", "transfer-encoding",
        "upgrade", "sec-websocket-key", "sec-websocket-version", "sec-websocket-extensions", "content-length", "expect",
        "host", "via", "date", "user-agent", "accept-encoding", "age",
        "origin", "referer", "forwarded", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "x-real-ip",
        "traceparent", "tracestate", "baggage", "b3", "x-b3-traceid", "x-b3-spanid", "x-b3-parentspanid",
        "x-b3-sampled", "x-request-id", "request-id", "x-correlation-id", "x-amzn-trace-id", "x-cloud-trace-context",
        "x-amz-date", "x-amz-content-sha256", "amz-sdk-invocation-id", "amz-sdk-request", "x-ms-client-request-id",
        "x-ms-date", "x-datadog-trace-id", "x-datadog-parent-id", "x-datadog-sampling-priority", "sentry-trace",
        "x-stainless-retry-count", "x-client-request-id", "idempotency-key", "http2-settings",
    ]

    /// Reads a list as in `--match`: `method,path,query`, `method,headers(accept content-type)`, or a named set.
    ///
    /// - Throws: ``EngineError`` that names the unknown matcher and lists the known ones.
    public static func parse(list: String, customMatchers: [CustomMatcher] = []) throws -> MatchRules {
        var rules = MatchRules(required: [], customMatchers: customMatchers)
        for part in list.split(separator: ",") {
            let name = part.drop { $0 == " " }
            let text = String(name.reversed().drop { $0 == " " }.reversed())
            guard !text.isEmpty else { continue }
            if let set = namedSets[text] {
                for matcher in set where !rules.required.contains(matcher) { rules.required.append(matcher) }
                continue
            }
            let matcher = try rules.matcher(named: text)
            if !rules.required.contains(matcher) { rules.required.append(matcher) }
        }
        guard !rules.required.isEmpty else {
            throw EngineError(.unknownMatcher, "the matcher list is empty; known: \(known(rules))")
        }
        return rules
    }

    /// Refuses rules that could not have their effect: an unreadable JSONPath, a matcher that is not registered.
    ///
    /// - Throws: ``EngineError`` that names what to change.
    public func validate() throws {
        for path in self.ignoredJSONPaths { _ = try JSONPathPattern(path) }
        for case .custom(let name) in self.required where self.customMatchers[name] == nil {
            throw EngineError(.unknownMatcher, "unknown matcher \"\(name)\"; known: \(MatchRules.known(self))")
        }
    }

    private func matcher(named text: String) throws -> Matcher {
        switch text {
        case "method": return .method
        case "uri", "url": return .uri
        case "scheme": return .scheme
        case "host": return .host
        case "port": return .port
        case "path": return .path
        case "query": return .query
        case "headers": return .headers(nil)
        case "body": return .body
        case "raw_body", "raw-body": return .rawBody
        default: break
        }
        for opening in ["headers(", "headers:"] where text.hasPrefix(opening) {
            let inner = text.dropFirst(opening.count)
            let closed = opening == "headers(" ? (inner.last == ")" ? inner.dropLast() : "") : inner
            let names = closed.split { $0 == " " || $0 == "+" || $0 == "|" }.map { asciiLowercased(String($0)) }
            if !names.isEmpty { return .headers(names) }
        }
        if self.customMatchers[text] != nil { return .custom(text) }
        throw EngineError(.unknownMatcher, "unknown matcher \"\(text)\"; known: \(MatchRules.known(self))")
    }

    private static func known(_ rules: MatchRules) -> String {
        let sets = namedSets.keys.sorted()
        return (Matcher.names + sets + rules.customMatchers.keys.sorted()).joined(separator: ", ")
    }

    /// The list as `parse` reads it; what a cassette keeps under `matchers`.
    public var list: [String] { self.required.map { $0.description } }
}
