/// The media type of a body (RFC 9110 section 8.3.1).
public struct MediaType: Sendable, Hashable, CustomStringConvertible {
    /// The type in lower case, such as `application`.
    public var type: String
    /// The subtype in lower case, such as `problem+json`.
    public var subtype: String
    /// The parameters in order; names are in lower case, values are unquoted.
    public var parameters: [Parameter]

    /// One parameter of a media type.
    public struct Parameter: Sendable, Hashable {
        /// The name in lower case.
        public var name: String
        /// The value without quotes.
        public var value: String

        /// Creates a parameter.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Creates a media type.
    public init(type: String, subtype: String, parameters: [Parameter] = []) {
        self.type = type
        self.subtype = subtype
        self.parameters = parameters
    }

    /// Reads a `Content-Type` value; nil if it has no type and subtype.
    public static func parse(_ text: String) -> MediaType? {
        var pieces = splitOutsideQuotes(text, at: ";")
        guard !pieces.isEmpty else { return nil }
        let essence = trimmedToken(pieces.removeFirst()[...]).split(separator: "/", omittingEmptySubsequences: false)
        guard essence.count == 2, !essence[0].isEmpty, !essence[1].isEmpty else { return nil }
        let parameters = pieces.compactMap { parameter($0) }
        return MediaType(type: String(essence[0]), subtype: String(essence[1]), parameters: parameters)
    }

    /// The value of the first parameter with this lower-case name.
    public func parameter(_ name: String) -> String? { self.parameters.first { $0.name == name }?.value }

    /// Whether it is JSON: `application/json`, `text/json` or a `+json` suffix (RFC 6839).
    public var isJSON: Bool {
        self.subtype == "json" && (self.type == "application" || self.type == "text") || self.subtype.hasSuffix("+json")
    }

    /// Whether it is an HTML form in a URL-like encoding.
    public var isForm: Bool { self.type == "application" && self.subtype == "x-www-form-urlencoded" }

    /// The boundary if this is a multipart type that names one (RFC 2046 section 5.1).
    public var multipartBoundary: String? {
        guard self.type == "multipart", let boundary = self.parameter("boundary"), !boundary.isEmpty else { return nil }
        return boundary
    }

    /// Whether it is a multipart type.
    public var isMultipart: Bool { self.type == "multipart" }

    /// Whether the octets are text by their type.
    public var isText: Bool {
        if self.type == "text" || self.isJSON || self.isForm { return true }
        if self.subtype.hasSuffix("+xml") { return true }
        return self.type == "application" && Self.textSubtypes.contains(self.subtype)
    }

    /// The type, subtype and parameters as they go into a field.
    public var description: String {
        self.parameters.reduce("\(self.type)/\(self.subtype)") { "\($0); \($1.name)=\($1.value)" }
    }

    private static let textSubtypes: Set<String> = [
        "xml", "javascript", "ecmascript", "x-javascript", "graphql", "x-ndjson", "ndjson", "jsonl", "yaml", "x-yaml",
        "toml", "sql", "x-sh",
    ]

    private static func parameter(_ text: String) -> Parameter? {
        guard let equals = text.firstIndex(of: "=") else { return nil }
        let name = trimmedToken(text[..<equals])
        let value = unquoted(text[text.index(after: equals)...])
        return name.isEmpty ? nil : Parameter(name: name, value: value)
    }
}

/// The pieces between separators that are not inside a quoted string (RFC 9110 section 5.6.4).
func splitOutsideQuotes(_ text: String, at separator: Character) -> [String] {
    var pieces: [String] = []
    var piece = ""
    var isQuoted = false
    var isEscaped = false
    for character in text {
        if isEscaped {
            isEscaped = false
        } else if isQuoted && character == "\\" {
            isEscaped = true
        } else if character == "\"" {
            isQuoted.toggle()
        } else if character == separator && !isQuoted {
            pieces.append(piece)
            piece = ""
            continue
        }
        piece.append(character)
    }
    pieces.append(piece)
    return pieces
}

/// A parameter value without white space around it and without its quotes and backslashes.
func unquoted(_ text: Substring) -> String {
    var rest = text
    while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    guard rest.first == "\"", rest.last == "\"", rest.count >= 2 else { return String(rest) }
    var value = ""
    var isEscaped = false
    for character in rest.dropFirst().dropLast() {
        if character == "\\" && !isEscaped {
            isEscaped = true
        } else {
            value.append(character)
            isEscaped = false
        }
    }
    return value
}
