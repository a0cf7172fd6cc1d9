import NIOCore

/// Writes nodes as an XML property list.
///
/// XML cannot hold most control characters; a text that has some is a `data` element with its UTF-8 octets.
struct PlistWriter {
    private(set) var buffer = ByteBuffer()

    mutating func take() -> ByteBuffer {
        defer { self.buffer = ByteBuffer() }
        return self.buffer
    }

    mutating func begin(_ header: [(String, CassetteNode)]) {
        self.buffer.writeStaticString(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>

            """)
        for (key, node) in header { self.pair(key, node, indent: 1) }
        self.element("key", "exchanges", indent: 1)
        self.line("<array>", indent: 1)
    }

    mutating func item(_ node: CassetteNode) { self.value(node, indent: 2) }

    mutating func end() {
        self.line("</array>", indent: 1)
        self.buffer.writeStaticString("</dict>\n</plist>\n")
    }

    private mutating func pair(_ key: String, _ node: CassetteNode, indent: Int) {
        self.element("key", key, indent: indent)
        self.value(node, indent: indent)
    }

    private mutating func value(_ node: CassetteNode, indent: Int) {
        switch node {
        case .integer(let value): self.element("integer", String(value), indent: indent)
        case .bool(let value): self.line(value ? "<true/>" : "<false/>", indent: indent)
        case .time(let text): self.element("string", text, indent: indent)
        case .text(let text):
            if text.unicodeScalars.allSatisfy(Self.isAllowed) {
                self.element("string", text, indent: indent)
            } else {
                self.element("data", Array(text.utf8).withUnsafeBytes { Base64.encode($0) }, indent: indent)
            }
        case .list(let items, _):
            self.line("<array>", indent: indent)
            for item in items { self.value(item, indent: indent + 1) }
            self.line("</array>", indent: indent)
        case .dictionary(let pairs, _):
            self.line("<dict>", indent: indent)
            for (key, node) in pairs { self.pair(key, node, indent: indent + 1) }
            self.line("</dict>", indent: indent)
        }
    }

    private mutating func element(_ name: String, _ text: String, indent: Int) {
        self.buffer.writeRepeatingByte(0x09, count: indent)
        self.buffer.writeString("<\(name)>")
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "&"): self.buffer.writeStaticString("&amp;")
            case UInt8(ascii: "<"): self.buffer.writeStaticString("&lt;")
            case UInt8(ascii: ">"): self.buffer.writeStaticString("&gt;")
            // A reader turns a carriage return into a line feed unless it is written so (XML 1.0 section 2.11).
            case 0x0d: self.buffer.writeStaticString("&#13;")
            default: self.buffer.writeInteger(octet)
            }
        }
        self.buffer.writeString("</\(name)>\n")
    }

    private mutating func line(_ text: String, indent: Int) {
        self.buffer.writeRepeatingByte(0x09, count: indent)
        self.buffer.writeString(text)
        self.buffer.writeStaticString("\n")
    }

    /// The characters of XML 1.0 section 2.2.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0a, 0x0d, 0x20...0xd7ff, 0xe000...0xfffd, 0x10000...0x10ffff: true
        default: false
        }
    }
}
