/// Reads YAML in the exact form that ``YAMLWriter`` gives, many times as fast as a full parser.
///
/// It knows a small, strict part of YAML, in which libyaml sees the same values; the tests hold both against each other.
/// For anything else, down to a comment or a space too many, it gives up, and the caller asks libyaml. So it finds no
/// errors of its own, and needs no lines.
struct CanonicalYAML {
    private let bytes: UnsafeRawBufferPointer
    private(set) var position: Int
    private let end: Int
    private let fileName = ""

    /// Begins at `position`, which must be the start of a line.
    init(_ bytes: UnsafeRawBufferPointer, from position: Int, to end: Int) {
        self.bytes = bytes
        self.position = position
        self.end = end
    }

    /// Reads `key: value` lines at column 0 up to and with the line `exchanges:`; nil if that does not come.
    mutating func header() -> [YAMLNode.Entry]? {
        var entries = EntryList()
        while self.position < self.end {
            guard let key = self.key() else { return nil }
            if key == "exchanges" {
                guard self.take(0x0a) else { return nil }
                return entries.entries
            }
            guard let value = self.value(indent: 0), self.add(key, value, to: &entries) else { return nil }
        }
        return nil
    }

    /// Reads one `- ` item at column 0.
    mutating func item() -> YAMLNode? {
        guard self.take(UInt8(ascii: "-")), self.take(0x20) else { return nil }
        return self.mapping(indent: 2, isAtKey: true)
    }

    var isAtEnd: Bool { self.position == self.end }

    private mutating func mapping(indent: Int, isAtKey: Bool) -> YAMLNode? {
        var entries = EntryList()
        var isAtKey = isAtKey
        while isAtKey || self.indentation() == indent {
            if !isAtKey { self.position += indent }
            isAtKey = false
            guard let key = self.key(), let value = self.value(indent: indent), self.add(key, value, to: &entries)
            else { return nil }
        }
        guard self.indentation() < indent, !entries.entries.isEmpty else { return nil }
        return YAMLNode(.mapping(entries.entries), line: 0)
    }

    private mutating func sequence(indent: Int) -> YAMLNode? {
        var items: [YAMLNode] = []
        while self.isItem(indent) {
            self.position += indent + 2
            if let first = self.peek(), (first | 0x20) &- 0x61 < 26, first < 0x80 {
                guard let item = self.mapping(indent: indent + 2, isAtKey: true) else { return nil }
                items.append(item)
                continue
            }
            guard let item = self.flow(), self.take(0x0a) else { return nil }
            items.append(item)
        }
        return YAMLNode(.sequence(items), line: 0)
    }

    /// What follows `key:`, with its line end.
    private mutating func value(indent: Int) -> YAMLNode? {
        if self.take(0x0a) {
            if self.isItem(indent) { return self.sequence(indent: indent) }
            return self.indentation() == indent + 2 ? self.mapping(indent: indent + 2, isAtKey: false) : nil
        }
        guard self.take(0x20), let first = self.peek() else { return nil }
        switch first {
        case UInt8(ascii: "|"): return self.literal(indent: indent + 2)
        case UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "\""), UInt8(ascii: "'"):
            guard let node = self.flow(), self.take(0x0a) else { return nil }
            return node
        default: return self.plainLine()
        }
    }

    /// A list, dictionary or text on one line.
    private mutating func flow(depth: Int = 4) -> YAMLNode? {
        guard let first = self.peek(), depth > 0 else { return nil }
        switch first {
        case UInt8(ascii: "\""): return self.double()
        case UInt8(ascii: "'"): return self.single()
        case UInt8(ascii: "["):
            self.position += 1
            var items: [YAMLNode] = []
            while !self.take(UInt8(ascii: "]")) {
                guard items.isEmpty || self.separator(), let item = self.flow(depth: depth - 1) else { return nil }
                items.append(item)
            }
            return YAMLNode(.sequence(items), line: 0)
        case UInt8(ascii: "{"):
            self.position += 1
            var entries = EntryList()
            while !self.take(UInt8(ascii: "}")) {
                guard entries.entries.isEmpty || self.separator(), let key = self.key(), self.take(0x20),
                    let value = self.flow(depth: depth - 1), self.add(key, value, to: &entries)
                else { return nil }
            }
            return YAMLNode(.mapping(entries.entries), line: 0)
        default: return self.plainInline()
        }
    }

    /// A key of letters, digits, `_` and `-`, with its colon.
    private mutating func key() -> String? {
        let start = self.position
        guard let first = self.peek(), (first | 0x20) &- 0x61 < 26, first < 0x80 else { return nil }
        while let octet = self.peek(), Self.isNameOctet(octet) { self.position += 1 }
        let key = self.text(start..<self.position)
        guard self.take(UInt8(ascii: ":")), let next = self.peek(), next == 0x20 || next == 0x0a else { return nil }
        return key
    }

    /// A plain text up to the end of the line.
    private mutating func plainLine() -> YAMLNode? {
        let start = self.position
        guard self.isPlainStart() else { return nil }
        var previous: UInt8 = 0
        while let octet = self.peek(), octet != 0x0a {
            guard octet >= 0x20, octet < 0x7f, previous != UInt8(ascii: ":") || octet != 0x20,
                previous != 0x20 || octet != UInt8(ascii: "#")
            else { return nil }
            previous = octet
            self.position += 1
        }
        guard previous != 0x20, previous != UInt8(ascii: ":"), self.take(0x0a) else { return nil }
        // A line that is indented more would go on with the same text.
        return YAMLNode(.scalar(self.text(start..<self.position - 1), isPlain: true), line: 0)
    }

    /// A plain text inside a list or dictionary on one line.
    private mutating func plainInline() -> YAMLNode? {
        let start = self.position
        guard self.isPlainStart() else { return nil }
        var previous: UInt8 = 0
        scan: while let octet = self.peek() {
            switch octet {
            case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): break scan
            case 0x20 where previous == UInt8(ascii: ":"), UInt8(ascii: "?") where previous == UInt8(ascii: ":"):
                return nil
            case UInt8(ascii: "#") where previous == 0x20: return nil
            case UInt8(ascii: "["), UInt8(ascii: "{"), 0..<0x20, 0x7f...: return nil
            default: break
            }
            previous = octet
            self.position += 1
        }
        guard previous != 0x20, previous != UInt8(ascii: ":"), previous != 0 else { return nil }
        return YAMLNode(.scalar(self.text(start..<self.position), isPlain: true), line: 0)
    }

    /// A single-quoted text on one line without a quote in it.
    private mutating func single() -> YAMLNode? {
        self.position += 1
        let start = self.position
        while let octet = self.peek(), octet != UInt8(ascii: "'") {
            guard octet >= 0x20 else { return nil }
            self.position += 1
        }
        let range = start..<self.position
        guard self.take(UInt8(ascii: "'")), self.peek() != UInt8(ascii: "'"), let text = self.printable(range) else {
            return nil
        }
        return YAMLNode(.scalar(text, isPlain: false), line: 0)
    }

    /// A double-quoted text with the escapes that the writer uses.
    private mutating func double() -> YAMLNode? {
        self.position += 1
        let start = self.position
        var octets: [UInt8] = []
        var hasEscape = false
        while let octet = self.peek(), octet != UInt8(ascii: "\"") {
            guard octet >= 0x20 else { return nil }
            self.position += 1
            if octet == UInt8(ascii: "\\") {
                if !hasEscape { octets = Array(self.bytes[start..<self.position - 1]) }
                hasEscape = true
                guard self.escape(into: &octets) else { return nil }
            } else if hasEscape {
                octets.append(octet)
            }
        }
        let range = start..<self.position
        guard self.take(UInt8(ascii: "\"")) else { return nil }
        guard hasEscape else {
            return self.printable(range).map { YAMLNode(.scalar($0, isPlain: false), line: 0) }
        }
        // What stands in the file must be printable; what an escape makes need not be.
        guard self.bytes[range].allSatisfy({ $0 < 0x7f }) || self.printable(range) != nil,
            let text = String(validating: octets, as: UTF8.self)
        else { return nil }
        return YAMLNode(.scalar(text, isPlain: false), line: 0)
    }

    /// What follows a backslash.
    private mutating func escape(into octets: inout [UInt8]) -> Bool {
        guard let mark = self.peek() else { return false }
        self.position += 1
        switch mark {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x20: octets.append(mark)
        case UInt8(ascii: "n"): octets.append(0x0a)
        case UInt8(ascii: "r"): octets.append(0x0d)
        case UInt8(ascii: "t"): octets.append(0x09)
        case UInt8(ascii: "x"): return self.codePoint(2, into: &octets)
        case UInt8(ascii: "u"): return self.codePoint(4, into: &octets)
        case UInt8(ascii: "U"): return self.codePoint(8, into: &octets)
        case 0x0a:
            while self.take(0x20) {}
            guard let next = self.peek(), next > 0x20 else { return false }
        default: return false
        }
        return true
    }

    private mutating func codePoint(_ count: Int, into octets: inout [UInt8]) -> Bool {
        guard self.position + count <= self.end else { return false }
        let digits = self.text(self.position..<self.position + count)
        guard let value = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(value),
            let encoded = UTF8.encode(scalar)
        else { return false }
        octets.append(contentsOf: encoded)
        self.position += count
        return true
    }

    /// The octets as text if libyaml would take each character as it is; line ends by escape are let through.
    private func printable(_ range: Range<Int>) -> String? {
        self.literalText(Array(self.bytes[range]))
    }

    /// A literal block whose lines have at least `indent` spaces.
    private mutating func literal(indent: Int) -> YAMLNode? {
        self.position += 1
        let hasIndicator = self.take(UInt8(ascii: "2"))
        let isStripped = self.take(UInt8(ascii: "-"))
        let isKept = !isStripped && self.take(UInt8(ascii: "+"))
        guard self.take(0x0a) else { return nil }
        var octets: [UInt8] = []
        octets.reserveCapacity(1024)
        var isFirst = true
        while self.position < self.end {
            if self.take(0x0a) {
                if isFirst, !hasIndicator { return nil }
                octets.append(0x0a)
                isFirst = false
                continue
            }
            let spaces = self.indentation()
            if spaces < indent { break }
            // Without an indicator the first line says how far the block is indented.
            if isFirst, !hasIndicator, spaces != indent { return nil }
            let start = self.position + indent
            guard let lineEnd = self.lineEnd(from: start) else { return nil }
            octets.append(contentsOf: UnsafeRawBufferPointer(rebasing: self.bytes[start..<lineEnd + 1]))
            if isFirst, !hasIndicator, self.bytes[start] == 0x09 { return nil }
            self.position = lineEnd + 1
            isFirst = false
        }
        guard octets.popLast() == 0x0a else { return nil }
        // An empty last line is kept or not by the header alone.
        if !isKept, octets.last == 0x0a { return nil }
        if !isStripped { octets.append(0x0a) }
        return self.literalText(octets).map { YAMLNode(.scalar($0, isPlain: false), line: 0) }
    }

    /// The octets as text if libyaml would take each character as it is.
    private func literalText(_ octets: [UInt8]) -> String? {
        var isASCII = true
        for octet in octets {
            if octet < 0x20, octet != 0x0a, octet != 0x09 { return nil }
            if octet == 0x7f { return nil }
            if octet >= 0x80 { isASCII = false }
        }
        if isASCII { return String(decoding: octets, as: UTF8.self) }
        guard let text = String(validating: octets, as: UTF8.self),
            text.unicodeScalars.allSatisfy({ YAMLStyle.isPrintable($0) || $0 == "\n" || $0 == "\t" })
        else { return nil }
        return text
    }

    private func isPlainStart() -> Bool {
        guard let first = self.peek() else { return false }
        return (first | 0x20) &- 0x61 < 26 && first < 0x80 || first &- 0x30 < 10 || first == UInt8(ascii: "/")
    }

    private mutating func separator() -> Bool { self.take(UInt8(ascii: ",")) && self.take(0x20) }

    private func add(_ key: String, _ value: YAMLNode, to entries: inout EntryList) -> Bool {
        do throws(CassetteError) {
            try entries.append(key, 0, value, fileName: self.fileName)
            return true
        } catch {
            return false
        }
    }

    /// The spaces at the start of the line; at the end of the text there are fewer than any.
    private func indentation() -> Int {
        var index = self.position
        while index < self.end, self.bytes[index] == 0x20 { index += 1 }
        return index == self.end ? -1 : index - self.position
    }

    private func isItem(_ indent: Int) -> Bool {
        let mark = self.position + indent
        guard self.indentation() == indent, mark + 1 < self.end else { return false }
        // At column 0 this is the next exchange, never a list of a key.
        return indent > 0 && self.bytes[mark] == UInt8(ascii: "-") && self.bytes[mark + 1] == 0x20
    }

    private func lineEnd(from start: Int) -> Int? {
        var index = start
        while index < self.end {
            if self.bytes[index] == 0x0a { return index }
            index += 1
        }
        return nil
    }

    private mutating func take(_ octet: UInt8) -> Bool {
        guard self.position < self.end, self.bytes[self.position] == octet else { return false }
        self.position += 1
        return true
    }

    private func peek() -> UInt8? { self.position < self.end ? self.bytes[self.position] : nil }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: UnsafeRawBufferPointer(rebasing: self.bytes[range]), as: UTF8.self)
    }

    private static func isNameOctet(_ octet: UInt8) -> Bool {
        (octet | 0x20) &- 0x61 < 26 && octet < 0x80 || octet &- 0x30 < 10 || octet == UInt8(ascii: "_")
            || octet == UInt8(ascii: "-")
    }
}
