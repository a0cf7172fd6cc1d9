import NIOCore

/// Writes nodes as YAML that people read and other YAML libraries take the same way.
///
/// Written by hand rather than through libyaml's emitter: the same exchanges must give the same octets with every version
/// of the library, and exchanges are appended one by one without a document in memory. What it writes is YAML 1.1 and 1.2
/// alike; the tests read it back with libyaml.
struct YAMLWriter {
    private(set) var buffer = ByteBuffer()

    /// Gives away what was written so far.
    mutating func take() -> ByteBuffer {
        defer { self.buffer = ByteBuffer() }
        return self.buffer
    }

    /// Writes `key: value` lines at an indentation.
    mutating func pairs(_ pairs: [(String, CassetteNode)], indent: Int, skippingFirstIndent: Bool = false) {
        for (index, pair) in pairs.enumerated() {
            if index > 0 || !skippingFirstIndent { self.indent(indent) }
            self.key(pair.0)
            self.value(pair.1, indent: indent)
        }
    }

    /// Writes one item of a list at an indentation.
    mutating func item(_ node: CassetteNode, indent: Int) {
        self.indent(indent)
        self.buffer.writeStaticString("-")
        if case .dictionary(let pairs, isInline: false) = node, !pairs.isEmpty {
            self.buffer.writeStaticString(" ")
            self.pairs(pairs, indent: indent + 2, skippingFirstIndent: true)
        } else {
            self.value(node, indent: indent)
        }
    }

    mutating func literally(_ text: StaticString) { self.buffer.writeStaticString(text) }

    /// Writes what follows `key:` or `-`, with its line end.
    private mutating func value(_ node: CassetteNode, indent: Int) {
        switch node {
        case .list(let items, isInline: false) where !items.isEmpty:
            self.buffer.writeStaticString("\n")
            for item in items { self.item(item, indent: indent) }
        case .dictionary(let pairs, isInline: false) where !pairs.isEmpty:
            self.buffer.writeStaticString("\n")
            self.pairs(pairs, indent: indent + 2)
        case .text(let text):
            self.buffer.writeStaticString(" ")
            self.text(text, indent: indent + 2)
            self.buffer.writeStaticString("\n")
        case .integer, .bool, .time, .list, .dictionary:
            self.buffer.writeStaticString(" ")
            self.inline(node)
            self.buffer.writeStaticString("\n")
        }
    }

    private mutating func inline(_ node: CassetteNode) {
        switch node {
        case .integer(let value): self.buffer.writeString(String(value))
        case .bool(let value): self.buffer.writeString(value ? "true" : "false")
        case .time(let text): self.buffer.writeString(text)
        case .text(let text): self.scalar(text, isInline: true)
        case .list(let items, _):
            self.buffer.writeStaticString("[")
            for (index, item) in items.enumerated() {
                if index > 0 { self.buffer.writeStaticString(", ") }
                self.inline(item)
            }
            self.buffer.writeStaticString("]")
        case .dictionary(let pairs, _):
            self.buffer.writeStaticString("{")
            for (index, pair) in pairs.enumerated() {
                if index > 0 { self.buffer.writeStaticString(", ") }
                self.key(pair.0)
                self.buffer.writeStaticString(" ")
                self.inline(pair.1)
            }
            self.buffer.writeStaticString("}")
        }
    }

    private mutating func key(_ key: String) {
        self.scalar(key, isInline: true)
        self.buffer.writeStaticString(":")
    }

    /// Writes text in the form that reads best and gives the same octets back.
    private mutating func text(_ text: String, indent: Int) {
        switch YAMLStyle.best(for: text, isInline: false) {
        case .literal(let header):
            self.buffer.writeString(header)
            self.lines(text, indent: indent)
        case .double: self.double(text, indent: indent)
        case .plain: self.buffer.writeString(text)
        case .single: self.single(text)
        }
    }

    private mutating func scalar(_ text: String, isInline: Bool) {
        switch YAMLStyle.best(for: text, isInline: isInline) {
        case .plain: self.buffer.writeString(text)
        case .single: self.single(text)
        case .double, .literal: self.double(text, indent: nil)
        }
    }

    private mutating func single(_ text: String) {
        self.buffer.writeStaticString("'")
        self.buffer.writeString(text)
        self.buffer.writeStaticString("'")
    }

    /// The lines of a literal block; the last line end is written by the caller.
    private mutating func lines(_ text: String, indent: Int) {
        var text = text
        text.withUTF8 { utf8 in
            var rest = UnsafeRawBufferPointer(utf8)
            if rest.last == 0x0a { rest = UnsafeRawBufferPointer(rebasing: rest.dropLast()) }
            while true {
                let end = rest.firstIndex(of: 0x0a) ?? rest.count
                self.buffer.writeStaticString("\n")
                if end > 0 {
                    self.indent(indent)
                    self.buffer.writeBytes(UnsafeRawBufferPointer(rebasing: rest[..<end]))
                }
                guard end < rest.count else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
            }
        }
    }

    /// Writes a quoted text; with an indentation, a line of the text gets a line of the file.
    ///
    /// Runs of octets that stand for themselves are copied as they are; only what is between them is looked at.
    private mutating func double(_ text: String, indent: Int?) {
        self.buffer.writeStaticString("\"")
        var text = text
        text.withUTF8 { octets in
            var rest = UnsafeRawBufferPointer(octets)
            while true {
                let run = rest.firstIndex(where: { !Self.isVerbatim($0) }) ?? rest.endIndex
                self.buffer.writeBytes(UnsafeRawBufferPointer(rebasing: rest[..<run]))
                guard run < rest.endIndex else { return }
                let width = self.special(UnsafeRawBufferPointer(rebasing: rest[run...]), indent: indent)
                rest = UnsafeRawBufferPointer(rebasing: rest[(run + width)...])
            }
        }
        self.buffer.writeStaticString("\"")
    }

    /// Whether an octet of a quoted text is an ASCII character that needs no escape.
    private static func isVerbatim(_ octet: UInt8) -> Bool {
        octet >= 0x20 && octet < 0x7f && octet != UInt8(ascii: "\"") && octet != UInt8(ascii: "\\")
    }

    /// Writes the first character of a text that is not verbatim.
    ///
    /// - Returns: how many octets it has.
    private mutating func special(_ rest: UnsafeRawBufferPointer, indent: Int?) -> Int {
        switch rest[0] {
        case UInt8(ascii: "\""): self.buffer.writeStaticString("\\\"")
        case UInt8(ascii: "\\"): self.buffer.writeStaticString("\\\\")
        case 0x0a:
            self.buffer.writeStaticString("\\n")
            guard let indent, rest.count > 1 else { return 1 }
            // An escaped line end and the spaces after it are not part of the text (YAML 1.2 section 7.3.1).
            self.buffer.writeStaticString("\\\n")
            self.indent(indent)
            if rest[1] == 0x20 { self.buffer.writeStaticString("\\") }
        case 0x0d: self.buffer.writeStaticString("\\r")
        case 0x09: self.buffer.writeStaticString("\\t")
        case let octet where octet < 0x80: self.escape(UInt32(octet))
        default: return self.beyondASCII(rest)
        }
        return 1
    }

    /// Writes the character beyond ASCII that a text begins with.
    ///
    /// - Returns: how many octets it has.
    private mutating func beyondASCII(_ rest: UnsafeRawBufferPointer) -> Int {
        // The octets are those of a String, so a character is whole.
        guard let scalar = String(decoding: rest.prefix(4), as: UTF8.self).unicodeScalars.first else {
            return rest.count
        }
        let width = min(UTF8.width(scalar), rest.count)
        if YAMLStyle.isPrintable(scalar) {
            self.buffer.writeBytes(UnsafeRawBufferPointer(rebasing: rest.prefix(width)))
        } else {
            self.escape(scalar.value)
        }
        return width
    }

    private mutating func escape(_ value: UInt32) {
        let (mark, width) = value <= 0xff ? ("x", 2) : value <= 0xffff ? ("u", 4) : ("U", 8)
        let digits = String(value, radix: 16)
        self.buffer.writeString("\\\(mark)" + String(repeating: "0", count: width - digits.utf8.count) + digits)
    }

    private mutating func indent(_ count: Int) { self.buffer.writeRepeatingByte(0x20, count: count) }
}
