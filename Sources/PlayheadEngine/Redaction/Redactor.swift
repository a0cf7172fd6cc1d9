import NIOCore
public import PlayheadCassette
import PlayheadHTTP

/// Takes secrets out of exchanges before anything reaches a disk, a log or a miss text (recording.md section 8).
///
/// A value; the numbers of the secrets live in a ``RedactionLedger`` that the caller keeps per cassette.
public struct Redactor: Sendable {
    /// The names of the rules that are on.
    public let rules: [String]
    /// The secrets that the user named by environment variable.
    public let secrets: KnownSecrets
    private let disabled: Set<String>
    private let definitions: [RedactionRule]
    let names: SecretNames
    let text: TextRedaction
    let headers: HeaderRedaction
    let query: PairRedaction
    let form: PairRedaction
    let json: JSONRedaction

    /// All standard rules.
    public static let standard = Redactor()

    /// The names of the rules that are off, sorted.
    public var disabledRules: [String] { self.disabled.sorted() }

    /// Creates a redactor from rules, leaving out those whose names are in `disabled`.
    public init(
        rules: [RedactionRule] = RedactionRule.standard, disabled: Set<String> = [], secrets: KnownSecrets = .none
    ) {
        self.secrets = secrets
        self.disabled = disabled
        self.definitions = rules
        let active = rules.filter { !disabled.contains($0.name) }
        self.rules = active.map { $0.name }
        self.names = SecretNames(active)
        self.text = TextRedaction(names: self.names, rules: active, known: secrets)
        self.headers = HeaderRedaction(names: self.names, text: self.text)
        self.query = PairRedaction(names: self.names, text: self.text, isForm: false)
        self.form = PairRedaction(names: self.names, text: self.text, isForm: true)
        self.json = JSONRedaction(names: self.names, text: self.text)
    }

    /// Creates a redactor from names as in `--no-redact`; `all` switches every rule off.
    ///
    /// - Throws: ``EngineError`` that lists the rules when a name is unknown.
    public static func withoutRules(named names: some Sequence<String>) throws -> Redactor {
        let known = Set(RedactionRule.standard.map { $0.name })
        var disabled: Set<String> = []
        for name in names {
            if name == "all" {
                disabled.formUnion(known)
            } else if known.contains(name) {
                disabled.insert(name)
            } else {
                throw EngineError(
                    .unknownRedactionRule,
                    "unknown redaction rule \"\(name)\"; known: all, \(known.sorted().joined(separator: ", "))")
            }
        }
        return Redactor(disabled: disabled)
    }

    /// The same redactor, which also hides secrets that the user named; they are hidden before any rule is asked.
    public func hiding(_ secrets: KnownSecrets) -> Redactor {
        Redactor(rules: self.definitions, disabled: self.disabled, secrets: secrets)
    }

    /// The exchange without secrets; the same secret gets the same number within one ledger.
    public func redact(_ exchange: Exchange, ledger: inout RedactionLedger) -> Exchange {
        var substitution = SecretSubstitution(ledger: ledger)
        let result = self.redact(exchange, &substitution)
        if let after = substitution.ledger { ledger = after }
        return result
    }

    /// The same with the numbers of a cassette into which others record at the same time.
    public func redact(_ exchange: Exchange, sharing ledger: SharedLedger) -> Exchange {
        var substitution = SecretSubstitution(shared: ledger)
        return self.redact(exchange, &substitution)
    }

    private func redact(_ exchange: Exchange, _ substitution: inout SecretSubstitution) -> Exchange {
        let exchange = self.secrets.hidden(exchange)
        var result = exchange
        result.request = self.redacted(exchange.request, &substitution)
        switch exchange.outcome {
        case .response(let response): result.outcome = .response(self.redacted(response, &substitution))
        case .failure(var failure):
            failure.message = self.redactedText(failure.message, &substitution)
            failure.partial = failure.partial.map { self.redacted($0, &substitution) }
            result.outcome = .failure(failure)
        case .webSocket(var socket):
            socket.response = self.redacted(socket.response, &substitution)
            result.outcome = .webSocket(
                socket.mappingPayloads { self.redacted($0.payload, HeaderList(), &substitution) })
        }
        return result
    }

    /// The request with bare masks in place of secrets; for logs and messages, never for a cassette.
    public func redact(_ request: IncomingRequest) -> IncomingRequest {
        var substitution = SecretSubstitution(ledger: nil)
        var result = request
        result.pathAndQuery = self.redactedTarget(self.secrets.hidden(request.pathAndQuery), &substitution)
        let known = request.headers.replacingValues { _, value in
            let edits = self.secrets.edits(in: value)
            return edits.isEmpty ? nil : TextEdit.apply(edits, to: value)
        }
        result.headers = self.headers.redacted(known, &substitution)
        if case .octets(let octets) = request.body {
            let text = Octets(octets.readableBytesView)
            let body = RecordedBody(.octets(ByteBuffer(bytes: TextEdit.apply(self.secrets.edits(in: text), to: text))))
            if case .octets(let clean) = self.redacted(body, request.headers, &substitution).body.content {
                result.body = .octets(clean)
            }
        }
        return result
    }

    /// A URL with masks in place of its secrets; for messages.
    public func maskURL(_ url: String) -> String {
        var substitution = SecretSubstitution(ledger: nil)
        return self.redactedURL(self.secrets.hidden(url), &substitution)
    }

    /// A URL for logs: masked, and without the values of its query.
    public func logURL(_ url: String) -> String {
        let masked = Octets(self.maskURL(url).utf8)
        guard let mark = masked.firstIndex(of: UInt8(ascii: "?")) else { return displayText(masked) }
        var result = Octets(masked[...mark])
        FieldPairs.forEachRaw(Octets(masked[(mark + 1)...])) { name, value in
            if result.last != UInt8(ascii: "?") { result.append(UInt8(ascii: "&")) }
            result.append(contentsOf: name)
            if !value.isEmpty { result.append(contentsOf: Octets("=…".utf8)) }
        }
        return displayText(result)
    }

    /// A text with masks in place of its secrets; for messages.
    public func maskText(_ text: String) -> String {
        var substitution = SecretSubstitution(ledger: nil)
        return self.redactedText(self.secrets.hidden(text), &substitution)
    }

    /// Whether the value of this header field is a secret by its name.
    public func isSecretHeader(_ name: String) -> Bool { self.names.header(name) != nil }

    /// A difference with masks in place of secrets, whichever side they are on.
    func mask(_ difference: Difference) -> Difference {
        var substitution = SecretSubstitution(ledger: nil)
        func clean(_ value: String?) -> String? {
            guard let value = value.map({ self.secrets.hidden($0) }), !value.isEmpty else { return value }
            let finding: SecretNames.Finding?
            switch difference.part {
            case .query(let name): finding = self.names.query(Octets(name.utf8))
            case .header(let name):
                return self.headers.redacted(name: name, Octets(value.utf8), &substitution).map { displayText($0) }
                    ?? value
            case .form(let name), .multipart(let name): finding = self.names.formField(Octets(name.utf8))
            case .json(let path), .message(let path): finding = self.jsonFinding(path)
            case .uri: return self.redactedURL(value, &substitution)
            case .path: return self.redactedTarget(value, &substitution)
            case .method, .scheme, .host, .port, .body, .rawBody, .custom: finding = nil
            }
            if let finding, value.utf8.count >= finding.minimumLength, !Placeholder.occurs(in: value) {
                return Placeholder.mask(rule: finding.rule)
            }
            return self.redactedText(value, &substitution)
        }
        // Cut only after masking: half a token is not known as one.
        func shown(_ value: String?) -> String? { clean(value).map { $0.count > 200 ? $0.prefix(200) + "…" : $0 } }
        return Difference(
            self.mask(difference.part), recorded: shown(difference.recorded), requested: shown(difference.requested),
            distance: difference.distance)
    }

    /// A part whose name holds no token: keys and names are the peer's text as well.
    private func mask(_ part: Difference.Part) -> Difference.Part {
        switch part {
        case .query(let name): .query(self.maskText(name))
        case .json(let path): .json(self.maskText(path))
        case .form(let name): .form(self.maskText(name))
        case .multipart(let name): .multipart(self.maskText(name))
        case .message(let place): .message(self.maskText(place))
        case .method, .uri, .scheme, .host, .port, .path, .header, .body, .rawBody, .custom: part
        }
    }

    /// The rule for any key of a JSONPath.
    private func jsonFinding(_ path: String) -> SecretNames.Finding? {
        let keys = path.split { $0 == "." || $0 == "[" || $0 == "]" || $0 == "\"" || $0 == "'" }
        return keys.lazy.compactMap { self.names.bodyKey(Octets($0.utf8)) }.first
    }

    private func redacted(_ request: RecordedRequest, _ substitution: inout SecretSubstitution) -> RecordedRequest {
        var result = request
        result.url = self.redactedURL(request.url, &substitution)
        result.headers = self.headers.redacted(request.headers, &substitution)
        result.body = self.redacted(request.body, request.headers, &substitution).body
        result.trailers = self.headers.redacted(request.trailers, &substitution)
        return result
    }

    private func redacted(_ response: RecordedResponse, _ substitution: inout SecretSubstitution) -> RecordedResponse {
        var result = response
        result.headers = self.headers.redacted(response.headers, &substitution)
        let (body, edits) = self.redacted(response.body, response.headers, &substitution)
        result.body = body
        result.chunks = RecordedResponse.Chunk.moved(response.chunks, by: edits)
        result.trailers = self.headers.redacted(response.trailers, &substitution)
        result.reason = self.redactedText(response.reason, &substitution)
        return result
    }

    func redactedText(_ text: String, _ substitution: inout SecretSubstitution) -> String {
        if text.first == "{" || text.first == "[", let edits = self.json.edits(in: Octets(text.utf8), &substitution) {
            return displayText(TextEdit.apply(edits, to: Octets(text.utf8)))
        }
        return self.redactedPlainText(text, &substitution)
    }

    private func redactedPlainText(_ text: String, _ substitution: inout SecretSubstitution) -> String {
        self.text.redacted(Octets(text.utf8), .all, &substitution).map { displayText($0) } ?? text
    }

    func redactedURL(_ url: String, _ substitution: inout SecretSubstitution) -> String {
        let octets = Octets(url.utf8)
        guard let start = firstIndex(of: Octets("://".utf8), in: octets) else {
            return self.redactedTarget(url, &substitution)
        }
        let rest = octets[(start + 3)...]
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? octets.count
        var head = Octets(octets[..<end])
        if let clean = self.text.redacted(head, [], &substitution) { head = clean }
        let target = self.redactedTarget(displayText(octets[end...]), &substitution)
        return displayText(head) + target
    }

    private func redactedTarget(_ target: String, _ substitution: inout SecretSubstitution) -> String {
        let octets = Octets(target.utf8)
        let mark = octets.firstIndex(of: UInt8(ascii: "?")) ?? octets.count
        let path = Octets(octets[..<mark])
        let cleanPath = self.query.redactedPath(path, &substitution)
        guard mark < octets.count else { return cleanPath.map { displayText($0) } ?? target }
        let query = Octets(octets[(mark + 1)...])
        let edits = self.query.edits(in: query, &substitution)
        if cleanPath == nil, edits.isEmpty { return target }
        return displayText(cleanPath ?? path) + "?" + displayText(TextEdit.apply(edits, to: query))
    }
}
