import NIOCore
import PlayheadCassette
import PlayheadContent
import PlayheadHTTP

/// Lets a replayed response mirror the values of the request at hand: where the recorded response holds a value of the
/// recorded request (an id, a nonce, an idempotency key), the value that the new request has there takes its place.
public struct ValueEcho: Sendable {
    /// A shorter value is echoed only if the user named it, in octets: it would be found by chance.
    public static let minimumLength = 8

    /// No echo.
    public static let none = ValueEcho(names: [], paths: [], echoesAll: false)

    /// Header fields that say what a client can do, or where to, rather than what it asks.
    private static let ignoredHeaders: Set<String> = [
        "host", "user-agent", "accept", "accept-language", "accept-encoding", "accept-charset", "connection", "date",
        "content-type", "content-length", "content-encoding", "transfer-encoding", "cache-control", "pragma", "te",
        "via", "origin", "referer", "expect",
    ]

    private let names: Set<String>
    private let paths: [JSONPathPattern]
    private let echoesAll: Bool

    private init(names: Set<String>, paths: [JSONPathPattern], echoesAll: Bool) {
        self.names = names
        self.paths = paths
        self.echoesAll = echoesAll
    }

    /// Takes names of queries, fields, form fields or JSON keys in any letter case, JSONPaths, or `all`.
    ///
    /// - Throws: ``EngineError`` when a JSONPath cannot be read.
    public init(_ names: [String]) throws {
        self.names = Set(names.filter { $0.first != "$" && $0 != "all" }.map { asciiLowercased($0) })
        self.paths = try names.filter { $0.first == "$" }.map { try JSONPathPattern($0) }
        self.echoesAll = names.contains("all")
    }

    /// Whether nothing is echoed.
    public var isEmpty: Bool { self.names.isEmpty && self.paths.isEmpty && !self.echoesAll }

    /// The recording with the values of this request in its response.
    func applied(to exchange: Exchange, for request: IncomingRequest) -> Exchange {
        let values = self.values(exchange.request, request)
        guard !values.isEmpty else { return exchange }
        let type: String? =
            if case .response(let response) = exchange.outcome { response.headers.first("content-type") } else { nil }
        let isOpaque = type.flatMap { MediaType.parse($0) }.map {
            ["image", "audio", "video", "font"].contains($0.type)
        }
        return ExchangeRewrite(
            request: { _, _ in [] },
            response: { text, place in
                switch place {
                case .header(let name):
                    asciiLowercased(name).hasPrefix("content-") ? [] : Self.edits(in: text, values)
                case .body: isOpaque == true ? [] : Self.bodyEdits(in: text, values)
                case .url, .message: []
                }
            }
        ).apply(to: exchange)
    }

    // MARK: what differs between the two requests

    /// A value of the recorded request and what the new one has in its place.
    private struct Value {
        var old: Octets
        var new: String
    }

    private func values(_ recorded: RecordedRequest, _ request: IncomingRequest) -> [Value] {
        var pairs: [(old: String, new: String)] = []
        func add(_ name: String, _ old: String, _ new: String, isNamed: Bool = false) {
            guard old != new, !old.isEmpty else { return }
            let isNamed = isNamed || self.names.contains(asciiLowercased(name))
            guard isNamed || self.echoesAll && old.utf8.count >= Self.minimumLength else { return }
            pairs.append((old, new))
        }
        func addPairs(_ old: FormBody, _ new: FormBody) {
            var left = Dictionary(grouping: new.pairs) { $0.name }
            for pair in old.pairs {
                guard var values = left[pair.name], !values.isEmpty else { continue }
                add(pair.name, pair.value, values.removeFirst().value)
                left[pair.name] = values
            }
        }
        addPairs(Self.query(RecordedTarget(recorded).pathAndQuery), Self.query(request.pathAndQuery))
        for index in recorded.headers.indices {
            let name = asciiLowercased(recorded.headers.name(at: index))
            guard !Self.ignoredHeaders.contains(name), let new = request.headers.first(name) else { continue }
            add(name, recorded.headers.value(at: index), new)
        }
        if case .octets(let body) = recorded.body.content, case .octets(let sent) = request.body {
            let new = ComparableBody.decoded(sent, request.headers)
            let type = recorded.headers.first("content-type").flatMap { MediaType.parse($0) }
            if type?.isForm == true, let old = FormBody(body), let new = FormBody(new) {
                addPairs(old, new)
            } else if let old = try? JSONSpans(body), let new = try? JSONSpans(new) {
                self.compare(old, body, new) { add($0, $1, $2, isNamed: $3) }
            }
        }
        var seen: Set<String> = []
        return pairs.filter { seen.insert($0.old).inserted }.map { Value(old: Octets($0.old.utf8), new: $0.new) }
            .sorted { $0.old.count > $1.old.count }
    }

    private func compare(
        _ old: JSONSpans, _ text: ByteBuffer, _ new: JSONSpans, _ add: (String, String, String, Bool) -> Void
    ) {
        var places: [String: Int] = [:]
        for index in new.spans.indices { places[new.path(of: index)] = index }
        let paths = self.paths.isEmpty ? [] : JSONEdit(json: old, text: Octets(text.readableBytesView)).paths
        for (index, span) in old.spans.enumerated() where span.kind == .string || span.kind == .number {
            guard let other = places[old.path(of: index)] else { continue }
            let isNamed = !paths.isEmpty && self.paths.contains { $0.matches(paths[index]) }
            add(
                span.key ?? "", old.string(at: index) ?? old.source(at: index),
                new.string(at: other) ?? new.source(at: other), isNamed)
        }
    }

    private static func query(_ target: String) -> FormBody {
        FormBody(displayText(RecordedTarget.split(target).query))
    }

    // MARK: in the response

    private static func bodyEdits(in text: Octets, _ values: [Value]) -> [TextEdit] {
        guard let json = try? JSONSpans(ByteBuffer(bytes: text)) else { return Self.edits(in: text, values) }
        return json.spans.indices.compactMap { index in
            let span = json.spans[index]
            switch span.kind {
            case .string:
                guard let string = json.string(at: index) else { return nil }
                let edits = Self.edits(in: Octets(string.utf8), values)
                guard !edits.isEmpty else { return nil }
                let new = displayText(TextEdit.apply(edits, to: Octets(string.utf8)))
                return TextEdit(range: span.range, replacement: Octets(JSONText.quoted(new).utf8))
            case .number:
                let source = Octets(json.source(at: index).utf8)
                guard let value = values.first(where: { $0.old == source }) else { return nil }
                return TextEdit(range: span.range, replacement: Octets(JSONEdit.literal(value.new).utf8))
            case .null, .bool, .array, .object: return nil
            }
        }
    }

    /// The places of old values that stand by themselves, not inside a longer word.
    private static func edits(in text: Octets, _ values: [Value]) -> [TextEdit] {
        var found: [TextEdit] = []
        for value in values {
            var start = 0
            while let place = firstIndex(of: value.old, in: text, from: start) {
                let range = place..<place + value.old.count
                start = range.upperBound
                let isWhole =
                    !(place > 0 && TokenShape.isWord(text[place - 1]) && TokenShape.isWord(value.old[0]))
                    && !(start < text.count && TokenShape.isWord(text[start])
                        && TokenShape.isWord(value.old[value.old.count - 1]))
                guard isWhole, !found.contains(where: { $0.range.overlaps(range) }) else { continue }
                found.append(TextEdit(range: range, replacement: Octets(value.new.utf8)))
            }
        }
        return found.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }
}
