public import PlayheadCassette
import PlayheadContent
import PlayheadHTTP

/// Values that take the place of others in the JSON of responses: `isPremium=true`, `$.user.name="Ann"`.
///
/// The cassette stays as it is.
public struct JSONOverrides: Sendable {
    private let filter: BodyFilter

    /// No override.
    public static let none = JSONOverrides(filter: BodyFilter())

    private init(filter: BodyFilter) { self.filter = filter }

    /// Reads `KEY=VALUE` texts: a key at any depth or a JSONPath, and JSON; what is no JSON is a string.
    ///
    /// - Throws: ``EngineError`` when there is no `=`, or the key is no JSONPath.
    public init(_ texts: [String]) throws {
        let rules = try texts.map { text -> FilterChain.Rule in
            guard let (key, value) = JSONOverrides.split(text) else {
                throw EngineError(.badFilter, "\"\(text)\" is no KEY=VALUE, as in isPremium=true")
            }
            return FilterChain.Rule(key, .replace(JSONEdit.literal(value)))
        }
        self.filter = try BodyFilter(rules, areJSON: true)
    }

    /// Whether nothing is replaced.
    public var isEmpty: Bool { self.filter.isEmpty }

    /// The edits that put the values into a text.
    func edits(in text: Octets) -> [TextEdit] { self.filter.edits(in: text, contentType: nil) }

    /// The exchange with the values in its response.
    public func applied(to exchange: Exchange) -> Exchange {
        guard !self.isEmpty, case .response(var response) = exchange.outcome else { return exchange }
        let (body, edits) = self.filter.filtered(response.body, response.headers)
        guard !edits.isEmpty else { return exchange }
        response.body = body
        response.chunks = RecordedResponse.Chunk.moved(response.chunks, by: edits)
        var result = exchange
        result.outcome = .response(response)
        return result
    }

    /// At the first `=` outside brackets and quotes: a JSONPath may hold one in a key.
    private static func split(_ text: String) -> (key: String, value: String)? {
        var depth = 0
        var quote: Character?
        for index in text.indices {
            let letter = text[index]
            if let open = quote {
                if letter == open { quote = nil }
            } else if depth > 0, letter == "'" || letter == "\"" {
                quote = letter
            } else if letter == "[" {
                depth += 1
            } else if letter == "]" {
                depth -= 1
            } else if letter == "=", depth == 0 {
                guard index > text.startIndex else { return nil }
                return (String(text[..<index]), String(text[text.index(after: index)...]))
            }
        }
        return nil
    }
}
