import PlayheadCassette
import PlayheadEngine

/// Reads `filters:` of `playhead.yaml`: per kind a dictionary of name and replacement, where null removes.
///
/// ```yaml
/// filters:
///   host: {staging.example.com: api.example.com}
///   path: {/users/4711: /users/1}
///   query: {session: SESSION, utm_source: ~}
///   request_headers: {X-Tenant: tenant, User-Agent: ~}
///   response_headers: {Server: ~}
///   request_body: {$.user.email: ann@example.com, nonce: ~}
///   response_body: {created_at: "2026-01-01T00:00:00Z"}
///   text: {alice@example.com: ann@example.com}
///   regex: {'"etag-[0-9a-f]+': etag-0}
/// ```
struct FilterSettings {
    /// The key in the file.
    static let key = "filters"
    static let kinds = [
        "host", "path", "query", "request_headers", "response_headers", "request_body", "response_body", "text",
        "regex",
    ]

    /// The file, for messages.
    let path: String

    /// - Throws: `CommandFailure` that names the line of what cannot be read.
    func chain(_ node: YAMLNode) throws -> FilterChain {
        var chain = FilterChain()
        if node.isNull { return chain }
        guard let kinds = node.mapping else {
            throw self.failure(node.line, "filters is a dictionary of \(Self.kinds.joined(separator: ", "))")
        }
        for kind in kinds {
            let name = kind.key.replacing("-", with: "_")
            guard Self.kinds.contains(name) else {
                let near = Spelling.nearest(to: name, in: Self.kinds).map { "Did you mean \($0)?" }
                throw self.failure(
                    kind.line,
                    "unknown filter \(kind.key). \(near ?? "Known are \(Self.kinds.joined(separator: ", "))")")
            }
            let rules = try self.rules(kind.value, name)
            switch name {
            case "host": chain.hosts = try rules.map { try self.host($0.rule, line: $0.line) }
            case "path": chain.path = rules.map(\.rule)
            case "query": chain.query = rules.map(\.rule)
            case "request_headers": chain.requestHeaders = rules.map(\.rule)
            case "response_headers": chain.responseHeaders = rules.map(\.rule)
            case "request_body": chain.requestBody = try self.body(rules)
            case "response_body": chain.responseBody = try self.body(rules)
            case "text": chain.text = rules.map(\.rule)
            default:
                chain.patterns = try rules.map { rule, line in
                    try self.engine(line) { try TextPattern(rule.name, replacement: rule.change.text) }
                }
            }
        }
        return chain
    }

    private func rules(_ node: YAMLNode, _ kind: String) throws -> [(rule: FilterChain.Rule, line: Int)] {
        if node.isNull { return [] }
        guard let entries = node.mapping else {
            throw self.failure(node.line, "the filter \(kind) is a dictionary of a name and what takes its place")
        }
        return try entries.map { entry in
            if entry.value.isNull { return (FilterChain.Rule(entry.key, .remove), entry.line) }
            guard let text = entry.value.text else {
                throw self.failure(
                    entry.value.line, "\(entry.key) takes a plain value, or ~ to remove it, and has \(entry.value.kind)"
                )
            }
            guard !entry.key.isEmpty else { throw self.failure(entry.line, "the filter \(kind) has an empty name") }
            return (FilterChain.Rule(entry.key, .replace(text)), entry.line)
        }
    }

    private func host(_ rule: FilterChain.Rule, line: Int) throws -> (pattern: HostPattern, host: String) {
        guard case .replace(let host) = rule.change,
            (try? IncomingRequest(method: "GET", url: "http://\(host)/"))?.pathAndQuery == "/"
        else { throw self.failure(line, "the host \(rule.name) takes another host, as in api.example.com") }
        return (try self.engine(line) { try HostPattern(rule.name) }, host)
    }

    private func body(_ rules: [(rule: FilterChain.Rule, line: Int)]) throws -> BodyFilter {
        // Each by itself first, so that the message can name the line.
        for (rule, line) in rules { _ = try self.engine(line) { try BodyFilter([rule]) } }
        return try BodyFilter(rules.map(\.rule))
    }

    private func engine<Value>(_ line: Int, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as EngineError { throw self.failure(line, error.message) }
    }

    private func failure(_ line: Int, _ message: String) -> CommandFailure {
        CommandFailure(.badConfiguration, "\(self.path), line \(line): \(message).")
    }
}

extension FilterChain.Change {
    /// The replacement; empty if the text goes away.
    fileprivate var text: String {
        guard case .replace(let text) = self else { return "" }
        return text
    }
}
