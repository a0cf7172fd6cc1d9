import NIOCore
import PlayheadContent

/// Writes nodes as JSON with two spaces per level; what is inline in YAML is on one line here too.
struct JSONWriter {
    private(set) var buffer = ByteBuffer()

    mutating func take() -> ByteBuffer {
        defer { self.buffer = ByteBuffer() }
        return self.buffer
    }

    mutating func begin(_ header: [(String, CassetteNode)]) {
        self.buffer.writeStaticString("{\n")
        for (key, node) in header {
            self.key(key, indent: 2)
            self.value(node, indent: 2)
            self.buffer.writeStaticString(",\n")
        }
        self.buffer.writeStaticString("  \"exchanges\": [")
    }

    mutating func item(_ node: CassetteNode, isFirst: Bool) {
        self.buffer.writeString(isFirst ? "\n    " : ",\n    ")
        self.value(node, indent: 4)
    }

    mutating func end(isEmpty: Bool) { self.buffer.writeString(isEmpty ? "]\n}\n" : "\n  ]\n}\n") }

    private mutating func value(_ node: CassetteNode, indent: Int) {
        switch node {
        case .integer(let value): self.buffer.writeString(String(value))
        case .bool(let value): self.buffer.writeString(value ? "true" : "false")
        case .time(let text), .text(let text): self.buffer.writeString(JSONText.quoted(text))
        case .list(let items, let isInline):
            self.collection(items.count, "[", "]", isInline: isInline, indent: indent) { writer, index in
                writer.value(items[index], indent: indent + 2)
            }
        case .dictionary(let pairs, let isInline):
            self.collection(pairs.count, "{", "}", isInline: isInline, indent: indent) { writer, index in
                writer.key(pairs[index].0, indent: 0)
                writer.value(pairs[index].1, indent: indent + 2)
            }
        }
    }

    private mutating func collection(
        _ count: Int, _ start: StaticString, _ end: StaticString, isInline: Bool, indent: Int,
        _ write: (inout JSONWriter, Int) -> Void
    ) {
        self.buffer.writeStaticString(start)
        for index in 0..<count {
            if index > 0 { self.buffer.writeStaticString(isInline ? ", " : ",") }
            if !isInline { self.line(indent + 2) }
            write(&self, index)
        }
        if !isInline, count > 0 { self.line(indent) }
        self.buffer.writeStaticString(end)
    }

    private mutating func key(_ key: String, indent: Int) {
        self.buffer.writeRepeatingByte(0x20, count: indent)
        self.buffer.writeString(JSONText.quoted(key))
        self.buffer.writeStaticString(": ")
    }

    private mutating func line(_ indent: Int) {
        self.buffer.writeStaticString("\n")
        self.buffer.writeRepeatingByte(0x20, count: indent)
    }
}
