public import NIOCore

/// A value of a YAML or JSON document, with the line where it stands.
///
/// Tags, anchors and aliases do not exist here: the reader refuses them.
public struct YAMLNode: Sendable {
    /// What the value is.
    public enum Content: Sendable {
        /// Text; plain means without quotes, so it may be meant as a number, a truth value or null.
        case scalar(String, isPlain: Bool)
        /// A list.
        case sequence([YAMLNode])
        /// A dictionary in file order; no key is repeated.
        case mapping([Entry])
    }

    /// One `key: value`.
    public struct Entry: Sendable {
        /// The key.
        public var key: String
        /// The line of the key, counted from 1.
        public var line: Int
        /// The value.
        public var value: YAMLNode
    }

    /// The value.
    public var content: Content
    /// The line where it begins, counted from 1.
    public var line: Int

    /// Creates a node.
    public init(_ content: Content, line: Int) {
        self.content = content
        self.line = line
    }

    /// The text of a scalar.
    public var text: String? {
        guard case .scalar(let text, _) = self.content else { return nil }
        return text
    }

    /// Whether this is an empty value, `~` or `null` (YAML 1.2 section 10.3.2).
    public var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = self.content else { return false }
        return text.isEmpty || text == "~" || text == "null" || text == "Null" || text == "NULL"
    }

    /// The value as a whole number in decimal digits.
    public var integer: Int? {
        guard let text = self.text, text.utf8.first.map({ $0 &- 0x30 < 10 || $0 == 0x2d }) == true else { return nil }
        return Int(text)
    }

    /// The value as `true` or `false`, also spelled `yes`, `no`, `on`, `off` (YAML 1.1).
    public var bool: Bool? {
        guard case .scalar(let text, isPlain: true) = self.content else { return nil }
        return switch text.lowercased() {
        case "true", "yes", "on": true
        case "false", "no", "off": false
        default: nil
        }
    }

    /// The items of a list.
    public var sequence: [YAMLNode]? {
        guard case .sequence(let items) = self.content else { return nil }
        return items
    }

    /// The entries of a dictionary.
    public var mapping: [Entry]? {
        guard case .mapping(let entries) = self.content else { return nil }
        return entries
    }

    /// The value under a key, if this is a dictionary that has it.
    public subscript(key: String) -> YAMLNode? { self.mapping?.first { $0.key == key }?.value }

    /// What kind of value this is, for messages.
    public var kind: String {
        switch self.content {
        case .scalar: self.isNull ? "nothing" : "a single value"
        case .sequence: "a list"
        case .mapping: "a dictionary"
        }
    }
}

/// Reads a whole YAML document into nodes, within bounds.
public enum YAMLDocument {
    /// Bounds against documents that are made to exhaust memory.
    public struct Limits: Sendable {
        /// How deeply lists and dictionaries may nest.
        public var depth: Int
        /// How many values there may be.
        public var nodes: Int

        /// Creates bounds; the defaults are 64 levels and a million values.
        public init(depth: Int = 64, nodes: Int = 1_000_000) {
            self.depth = depth
            self.nodes = nodes
        }
    }

    /// The root value; nil if the document is empty or only comments.
    ///
    /// `fileName` goes into errors. Tags, anchors, aliases and repeated keys are refused.
    public static func parse(
        _ bytes: ByteBuffer, fileName: String, limits: Limits = Limits()
    ) throws(CassetteError) -> YAMLNode? {
        try YAMLEventReader.reading(bytes, fileName: fileName) { reader throws(CassetteError) in
            guard try reader.beginDocument() else { return nil }
            let root = try reader.node(limits: limits)
            try reader.endDocument()
            return root
        }
    }
}
