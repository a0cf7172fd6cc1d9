public import PlayheadCassette
import PlayheadHTTP

/// What is changed in exchanges before they are stored, and in requests before they are compared (recording.md section 3).
///
/// The live client never sees any of it. The order is fixed: host, path, query, headers, bodies, text, patterns; redaction
/// follows, and then ``beforeRecord``.
public struct FilterChain: Sendable {
    /// What becomes of a value.
    public enum Change: Sendable {
        /// This text takes its place.
        case replace(String)
        /// It goes away, with its name.
        case remove
        /// What a closure makes of it; nil removes it.
        case transform(@Sendable (String) -> String?)

        /// The new value; nil if it goes away.
        func value(for old: String) -> String? {
            switch self {
            case .replace(let text): text
            case .remove: nil
            case .transform(let closure): closure(old)
            }
        }
    }

    /// A name or a text to look for, and what becomes of it.
    public struct Rule: Sendable {
        /// A header, query or form name, a JSON key or JSONPath, or a text.
        public var name: String
        /// What becomes of the value, or of the text itself.
        public var change: Change

        /// Creates a rule.
        public init(_ name: String, _ change: Change) {
            self.name = name
            self.change = change
        }
    }

    /// Hosts as of ``HostPattern``; the new host may have a port.
    public var hosts: [(pattern: HostPattern, host: String)] = []
    /// Texts in the path.
    public var path: [Rule] = []
    /// Names of the query.
    public var query: [Rule] = []
    /// Names of request fields and trailer fields, in any letter case.
    public var requestHeaders: [Rule] = []
    /// Names of response fields and trailer fields, in any letter case.
    public var responseHeaders: [Rule] = []
    /// JSON keys at any depth, JSONPaths and form names in request bodies.
    public var requestBody: BodyFilter = BodyFilter()
    /// The same in response bodies.
    public var responseBody: BodyFilter = BodyFilter()
    /// Texts anywhere: URL, header values, bodies, failure messages.
    public var text: [Rule] = []
    /// Patterns anywhere.
    public var patterns: [TextPattern] = []
    /// The last word on what is stored, after redaction; nil leaves the exchange out.
    public var beforeRecord: (@Sendable (Exchange) -> Exchange?)?

    /// Creates a chain that changes nothing.
    public init() {}

    /// Whether requests and exchanges pass unchanged.
    public var isEmpty: Bool { self.leavesRequests && self.leavesResponses && self.beforeRecord == nil }

    /// Whether requests pass unchanged.
    var leavesRequests: Bool {
        self.hosts.isEmpty && self.path.isEmpty && self.query.isEmpty && self.requestHeaders.isEmpty
            && self.requestBody.isEmpty && self.leavesText
    }

    private var leavesResponses: Bool {
        self.responseHeaders.isEmpty && self.responseBody.isEmpty && self.leavesText
    }

    /// Whether no text is looked for in bodies.
    var leavesText: Bool { self.text.isEmpty && self.patterns.isEmpty }

    /// Whether bodies of requests, or those of responses, have to be read as a whole.
    public func needsWholeBody(ofRequest isRequest: Bool) -> Bool {
        !(isRequest ? self.requestBody : self.responseBody).isEmpty
    }

    /// The exchange as it is stored, before redaction.
    public func filtered(_ exchange: Exchange) -> Exchange {
        guard !self.leavesRequests || !self.leavesResponses else { return exchange }
        var result = exchange
        let request = exchange.request
        result.request.url = self.filtered(url: request.url)
        result.request.headers = self.hostField(
            FilterChain.filtered(request.headers, self.requestHeaders), from: request.url, to: result.request.url)
        result.request.trailers = FilterChain.filtered(request.trailers, self.requestHeaders)
        (result.request.body, _) = self.requestBody.filtered(request.body, request.headers)
        switch exchange.outcome {
        case .response(let response): result.outcome = .response(self.filtered(response))
        case .failure(var failure):
            failure.partial = failure.partial.map { self.filtered($0) }
            result.outcome = .failure(failure)
        case .webSocket(var socket):
            socket.response = self.filtered(socket.response)
            result.outcome = .webSocket(
                socket.mappingPayloads {
                    ($0.sender == .client ? self.requestBody : self.responseBody).filtered($0.payload, HeaderList())
                })
        }
        if !self.leavesText {
            let edits: (Octets, ExchangeRewrite.Place) -> [TextEdit] = { text, _ in self.textEdits(in: text) }
            result = ExchangeRewrite(request: edits, response: edits).apply(to: result)
        }
        FilterChain.repairLength(&result.request.headers, old: request.body, new: result.request.body)
        if case .response(var new) = result.outcome, case .response(let old) = exchange.outcome {
            FilterChain.repairLength(&new.headers, old: old.body, new: new.body)
            result.outcome = .response(new)
        }
        return result
    }

    private func filtered(_ response: RecordedResponse) -> RecordedResponse {
        var result = response
        result.headers = FilterChain.filtered(response.headers, self.responseHeaders)
        result.trailers = FilterChain.filtered(response.trailers, self.responseHeaders)
        let (body, edits) = self.responseBody.filtered(response.body, response.headers)
        result.body = body
        result.chunks = RecordedResponse.Chunk.moved(response.chunks, by: edits)
        return result
    }

    /// Header fields with some values replaced or some fields gone.
    static func filtered(_ headers: HeaderList, _ rules: [Rule]) -> HeaderList {
        guard !rules.isEmpty else { return headers }
        let changes = Dictionary(rules.map { (asciiLowercased($0.name), $0.change) }) { $1 }
        var removed: Set<Int> = []
        for index in headers.indices {
            if let change = changes[asciiLowercased(headers.name(at: index))],
                change.value(for: headers.value(at: index)) == nil
            {
                removed.insert(index)
            }
        }
        var kept = headers
        kept.removeAll { removed.contains($1) }
        return kept.replacingValues { name, value in
            changes[asciiLowercased(name)].flatMap { $0.value(for: displayText(value)) }.map { Octets($0.utf8) }
        }
    }

    /// The edits of the text rules and patterns.
    func textEdits(in text: Octets) -> [TextEdit] {
        var found: [TextEdit] = []
        func add(_ range: Range<Int>, _ replacement: String) {
            guard !found.contains(where: { $0.range.overlaps(range) }) else { return }
            found.append(TextEdit(range: range, replacement: Octets(replacement.utf8)))
        }
        for rule in self.text {
            let needle = Octets(rule.name.utf8)
            var start = 0
            while !needle.isEmpty, let place = firstIndex(of: needle, in: text, from: start) {
                start = place + needle.count
                add(place..<start, rule.change.value(for: rule.name) ?? "")
            }
        }
        for pattern in self.patterns { for hit in pattern.hits(in: text) { add(hit.range, hit.replacement) } }
        return found.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    private static func repairLength(_ headers: inout HeaderList, old: RecordedBody, new: RecordedBody) {
        guard old != new, new.coding.isEmpty, headers.contains("content-length") else { return }
        headers.set("Content-Length", "\(new.count)")
    }
}
