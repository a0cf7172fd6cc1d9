import NIOCore
import PlayheadCassette
import PlayheadContent
import PlayheadHTTP

/// Texts such as `{{request.query.name}}` in responses, filled in when they are replayed.
///
/// A template that is not known stays as it is. What is filled in is not searched for templates again.
public struct Templates: Sendable {
    /// The variables that `{{env.NAME}}` may name, with their values.
    private let environment: [String: String]

    /// Takes the variables that responses may tell.
    public init(allowing names: [String] = [], environment: [String: String] = [:]) {
        self.environment = Dictionary(names.map { ($0, environment[$0] ?? "") }) { $1 }
    }

    /// What a template is filled with.
    struct Moment {
        var request: IncomingRequest
        var now: Timestamp
        var random: () -> UInt64
    }

    /// Whether octets may hold a template.
    public static func occurs(in octets: some RandomAccessCollection<UInt8>) -> Bool {
        firstIndex(of: Octets("{{".utf8), in: octets) != nil
    }

    /// The exchange with its response's templates filled in.
    func applied(to exchange: Exchange, _ moment: Moment) -> Exchange {
        let source = Source(moment: moment, environment: self.environment)
        return ExchangeRewrite(
            request: { _, _ in [] },
            response: { text, place in
                guard Self.occurs(in: text) else { return [] }
                switch place {
                case .header: return Self.edits(in: text, source, isJSON: false)
                case .body:
                    return Self.edits(in: text, source, isJSON: Self.looksLikeJSON(text))
                case .url, .message: return []
                }
            }
        ).apply(to: exchange)
    }

    /// Whether a text begins as an object or array, rather than with a template.
    private static func looksLikeJSON(_ text: Octets) -> Bool {
        guard let start = text.firstIndex(where: { $0 > 0x20 }) else { return false }
        if text[start] == UInt8(ascii: "[") { return true }
        return text[start] == UInt8(ascii: "{") && text.dropFirst(start + 1).first != UInt8(ascii: "{")
    }

    /// - Parameter isJSON: whether what is filled in is written as JSON: escaped in a string, a value elsewhere.
    private static func edits(in text: Octets, _ source: Source, isJSON: Bool) -> [TextEdit] {
        var edits: [TextEdit] = []
        var isInString = false
        var index = 0
        while index < text.count {
            if text[index] == UInt8(ascii: "{"), let (name, end) = Self.template(in: text, at: index),
                let value = source.value(name)
            {
                let new = isJSON ? (isInString ? String(value.quoted.dropFirst().dropLast()) : value.json) : value.text
                edits.append(TextEdit(range: index..<end, replacement: Octets(new.utf8)))
                index = end
                continue
            }
            if text[index] == UInt8(ascii: "\\"), isInString {
                index += 1
            } else if text[index] == UInt8(ascii: "\"") {
                isInString.toggle()
            }
            index += 1
        }
        return edits
    }

    /// The name in `{{ name }}` at a place, and where it ends.
    private static func template(in text: Octets, at start: Int) -> (name: String, end: Int)? {
        guard start + 1 < text.count, text[start + 1] == UInt8(ascii: "{") else { return nil }
        var index = start + 2
        while index < text.count, index - start <= 256 {
            let octet = text[index]
            if octet == UInt8(ascii: "}") {
                guard index + 1 < text.count, text[index + 1] == octet else { return nil }
                let name = String(decoding: text[(start + 2)..<index], as: UTF8.self)
                return (String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()), index + 2)
            }
            guard octet >= 0x20, octet != UInt8(ascii: "\""), octet != UInt8(ascii: "{") else { return nil }
            index += 1
        }
        return nil
    }
}

/// What templates are filled with at one moment.
private struct Source {
    /// A text, or JSON that came as JSON.
    struct Value {
        var text: String
        var value: JSONValue?

        /// The text as a string of JSON.
        var quoted: String { JSONText.quoted(self.text) }
        /// The value as JSON: numbers that came as JSON stay numbers.
        var json: String { self.value?.text ?? self.quoted }
    }

    let moment: Templates.Moment
    let environment: [String: String]

    /// The value of a template; nil if there is none of this name.
    func value(_ name: String) -> Value? {
        let steps = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let rest = steps.dropFirst(2).joined(separator: ".")
        switch (steps.first, steps.dropFirst().first) {
        case ("now", nil): return Value(text: self.moment.now.description)
        case ("now", "unix") where rest.isEmpty:
            let seconds = self.moment.now.milliseconds / 1000
            return Value(text: "\(seconds)", value: .number("\(seconds)"))
        case ("now", "http") where rest.isEmpty: return Value(text: HTTPDate.text(self.moment.now))
        case ("uuid", nil): return Value(text: self.uuid())
        case ("env", let variable?) where rest.isEmpty: return self.environment[variable].map { Value(text: $0) }
        case ("request", "query") where !rest.isEmpty: return Value(text: self.query(rest))
        case ("request", "header") where !rest.isEmpty:
            return Value(text: self.moment.request.headers.first(rest) ?? "")
        case ("request", "path"):
            guard let number = Int(rest), number >= 0 else { return nil }
            return Value(text: self.segment(number))
        case ("request", "json") where !rest.isEmpty: return self.member(steps.dropFirst(2))
        default: return nil
        }
    }

    private func query(_ name: String) -> String {
        let query = RecordedTarget.split(self.moment.request.pathAndQuery).query
        return FormBody(displayText(query)).pairs.first { $0.name == name }?.value ?? ""
    }

    private func segment(_ number: Int) -> String {
        let path = RecordedTarget.split(self.moment.request.pathAndQuery).path
        let segments = displayText(path).split(separator: "/")
        guard segments.indices.contains(number) else { return "" }
        // A plus is a plus in a path.
        return FormBody.decoded(segments[number].replacing("+", with: "%2B"))
    }

    private func member(_ steps: ArraySlice<String>) -> Value {
        guard case .octets(let octets) = self.moment.request.body,
            var value = try? JSONValue.parse(ComparableBody.decoded(octets, self.moment.request.headers))
        else { return Value(text: "", value: .null) }
        for step in steps {
            if case .array(let items) = value, let position = Int(step), items.indices.contains(position) {
                value = items[position]
            } else if let member = value[step] {
                value = member
            } else {
                return Value(text: "", value: .null)
            }
        }
        if case .string(let text) = value { return Value(text: text, value: value) }
        return Value(text: value.text, value: value)
    }

    /// A random UUID (RFC 9562 section 5.4).
    private func uuid() -> String {
        let high = self.moment.random() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = self.moment.random() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        let digits = Array((Self.hexadecimal(high) + Self.hexadecimal(low)).utf8)
        let parts = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
        return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    }

    private static func hexadecimal(_ value: UInt64) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: 16 - text.utf8.count) + text
    }
}
