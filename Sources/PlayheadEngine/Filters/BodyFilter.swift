import NIOCore
import PlayheadCassette
import PlayheadContent
import PlayheadHTTP

/// Changes values in bodies by their keys: JSON by key name at any depth or by JSONPath, forms by field name.
///
/// In event streams and JSON lines every line is looked at by itself. All octets that are not meant stay.
public struct BodyFilter: Sendable {
    private let rules: [FilterChain.Rule]
    private let paths: [(path: JSONPathPattern, change: FilterChain.Change)]
    /// Whether the new values are JSON text, which takes the place of any kind of value.
    private let areJSON: Bool

    /// Creates a filter that changes nothing.
    public init() {
        self.rules = []
        self.paths = []
        self.areJSON = false
    }

    /// Creates a filter.
    ///
    /// - Throws: ``EngineError`` when a JSONPath cannot be read.
    public init(_ rules: [FilterChain.Rule]) throws { try self.init(rules, areJSON: false) }

    init(_ rules: [FilterChain.Rule], areJSON: Bool) throws {
        self.rules = rules
        self.areJSON = areJSON
        self.paths = try rules.map { (try JSONPathPattern($0.name), $0.change) }
    }

    /// Whether it changes nothing.
    public var isEmpty: Bool { self.rules.isEmpty }

    /// The body with other values, and the edits that were made.
    func filtered(_ body: RecordedBody, _ headers: HeaderList) -> (body: RecordedBody, edits: [TextEdit]) {
        guard !self.isEmpty, case .octets(let octets) = body.content else { return (body, []) }
        let text = Octets(octets.readableBytesView)
        let edits = self.edits(in: text, contentType: headers.first("content-type"))
        guard !edits.isEmpty else { return (body, []) }
        var result = body
        result.content = .octets(ByteBuffer(bytes: TextEdit.apply(edits, to: text)))
        return (result, edits)
    }

    /// The edits in a body without content coding.
    func edits(in text: Octets, contentType: String?) -> [TextEdit] {
        guard !self.isEmpty, !text.isEmpty else { return [] }
        let type = contentType.flatMap { MediaType.parse($0) }
        if let type, type.isForm, !self.areJSON {
            guard var form = FormBody(ByteBuffer(bytes: text)) else { return [] }
            let old = form
            form.apply(self.rules)
            return form == old ? [] : [TextEdit(range: 0..<text.count, replacement: Octets(form.text.utf8))]
        }
        if let edits = self.json(text) { return edits }
        return self.lines(text)
    }

    private func json(_ text: Octets) -> [TextEdit]? {
        let first = text.first { $0 > 0x20 }
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
            let json = try? JSONSpans(ByteBuffer(bytes: text))
        else { return nil }
        var edit = JSONEdit(json: json, text: text)
        for (index, path) in edit.paths.enumerated() {
            guard let rule = self.paths.first(where: { $0.path.matches(path) }) else { continue }
            let old = json.string(at: index) ?? json.source(at: index)
            guard let value = rule.change.value(for: old) else {
                edit.remove(index)
                continue
            }
            if self.areJSON {
                edit.replace(index, withJSON: value)
            } else if value != old {
                edit.replace(index, with: value)
            }
        }
        return edit.edits()
    }

    /// `data: {…}` of an event stream, or one JSON text per line.
    private func lines(_ text: Octets) -> [TextEdit] {
        var edits: [TextEdit] = []
        var start = 0
        while start < text.count {
            let end = text[start...].firstIndex { $0 == 0x0A } ?? text.count
            var json = start
            if text[start..<end].starts(with: "data:".utf8) { json += 5 }
            let shift = json
            for edit in self.json(Octets(text[json..<end])) ?? [] {
                let range = edit.range.lowerBound + shift..<edit.range.upperBound + shift
                edits.append(TextEdit(range: range, replacement: edit.replacement))
            }
            start = end + 1
        }
        return edits
    }
}
