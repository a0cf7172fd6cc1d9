public import NIOCore

/// A JSON value for comparing: the order of keys is free, numbers are equal by value.
public indirect enum JSONValue: Sendable {
    /// `null`
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A number in canonical text: `1.0` and `1e0` are `1`; no digit is lost.
    case number(String)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// The members in text order; repeated keys stay.
    case object([Member])

    /// One member of an object.
    public struct Member: Sendable, Hashable {
        /// The key.
        public var key: String
        /// The value.
        public var value: JSONValue

        /// Creates a member.
        public init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// Reads a JSON text (RFC 8259) within bounds.
    public static func parse(_ text: ByteBuffer, limits: JSONLimits = JSONLimits()) throws(ContentError) -> JSONValue {
        let outcome = text.withUnsafeReadableBytes { bytes -> Result<JSONValue, ContentError> in
            do throws(ContentError) {
                var builder = ValueBuilder(bytes: bytes)
                try JSONScanner.scan(bytes, limits: limits) { event throws(ContentError) in builder.take(event) }
                return .success(builder.root)
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// The value of the first member with this key, if this is an object that has it.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// The value as JSON text on one line.
    public var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let text): text
        case .string(let text): JSONText.quoted(text)
        case .array(let items): "[" + items.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { JSONText.quoted($0.key) + ":" + $0.value.text }.joined(separator: ",") + "}"
        }
    }
}

extension JSONValue: Hashable {
    /// Equal by value: key order is free, numbers were made canonical when read.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.number(let a), .number(let b)): a == b
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)): a.count == b.count && sorted(a) == sorted(b)
        case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): false
        }
    }

    /// Feeds the value, with sorted keys.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .number(let text), .string(let text): hasher.combine(text)
        case .array(let items): hasher.combine(items)
        case .object(let members): hasher.combine(Self.sorted(members))
        }
    }

    /// By key, repeats in text order.
    private static func sorted(_ members: [Member]) -> [Member] {
        members.enumerated().sorted { ($0.element.key, $0.offset) < ($1.element.key, $1.offset) }.map(\.element)
    }
}

/// Builds a value from the events of a scanner, with its own stack.
private struct ValueBuilder {
    let bytes: UnsafeRawBufferPointer
    var root = JSONValue.null
    private var open: [(key: String?, items: [JSONValue], members: [JSONValue.Member])] = []
    private var key: String?

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func take(_ event: JSONEvent) {
        switch event {
        case .key(let range): self.key = JSONText.unquoted(UnsafeRawBufferPointer(rebasing: self.bytes[range]))
        case .scalar(let kind, let range):
            self.add(self.scalar(kind, UnsafeRawBufferPointer(rebasing: self.bytes[range])))
        case .begin:
            self.open.append((self.key, [], []))
            self.key = nil
        case .end(let kind, _):
            let container = self.open.removeLast()
            self.key = container.key
            self.add(kind == .object ? .object(container.members) : .array(container.items))
        }
    }

    private func scalar(_ kind: JSONKind, _ source: UnsafeRawBufferPointer) -> JSONValue {
        switch kind {
        case .null, .array, .object: .null
        case .bool: .bool(source.first == UInt8(ascii: "t"))
        case .number: .number(JSONNumber.canonical(source))
        case .string: .string(JSONText.unquoted(source))
        }
    }

    private mutating func add(_ value: JSONValue) {
        guard let last = self.open.indices.last else { return self.root = value }
        if let key = self.key {
            self.open[last].members.append(JSONValue.Member(key, value))
            self.key = nil
        } else {
            self.open[last].items.append(value)
        }
    }
}
