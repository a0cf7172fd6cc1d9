import NIOCore

/// Reads an XML property list into nodes with lines.
///
/// Only what property lists need of XML: no entity declarations, so no expansion and no outside file.
struct PlistReader {
    private let bytes: [UInt8]
    private let fileName: String
    private var position = 0
    private var line = 1
    private var nodes = 0

    static func parse(_ buffer: ByteBuffer, fileName: String) throws(CassetteError) -> YAMLNode {
        guard let text = buffer.withUnsafeReadableBytes({ String(validating: $0, as: UTF8.self) }) else {
            throw CassetteError(.malformed, "the file is not UTF-8 text", file: fileName, line: 1)
        }
        var reader = PlistReader(bytes: Array(text.utf8), fileName: fileName)
        let outcome: Result<YAMLNode, CassetteError>
        do throws(CassetteError) {
            outcome = .success(try reader.document())
        } catch {
            let conflict = buffer.withUnsafeReadableBytes { ConflictMarker.found(in: $0, fileName: fileName) }
            outcome = .failure(conflict ?? error)
        }
        return try outcome.get()
    }

    private init(bytes: [UInt8], fileName: String) {
        self.bytes = bytes
        self.fileName = fileName
    }

    /// A tag: its name, and whether it closes or is empty.
    private struct Tag {
        var name: String
        var isEnd: Bool
        var isEmpty: Bool
    }

    private mutating func document() throws(CassetteError) -> YAMLNode {
        var tag = try self.tag()
        guard tag.name == "plist", !tag.isEnd, !tag.isEmpty else { throw self.error("the file is not a property list") }
        tag = try self.tag()
        let root = try self.value(tag, depth: 64)
        tag = try self.tag()
        guard tag.name == "plist", tag.isEnd else { throw self.error("the property list must end in </plist>") }
        try self.skipSpace()
        guard self.position == self.bytes.count else { throw self.error("the file goes on after </plist>") }
        return root
    }

    private mutating func value(_ tag: Tag, depth: Int) throws(CassetteError) -> YAMLNode {
        let line = self.line
        self.nodes += 1
        guard depth > 0, self.nodes <= 100_000_000 else {
            throw self.error("values are nested too deeply or there are too many", .tooLarge)
        }
        guard !tag.isEnd else { throw self.error("a value is missing before </\(tag.name)>") }
        switch tag.name {
        case "true", "false":
            if !tag.isEmpty { try self.end(of: tag.name) }
            return YAMLNode(.scalar(tag.name, isPlain: true), line: line)
        case "string", "date": return YAMLNode(.scalar(try self.text(tag), isPlain: false), line: line)
        case "integer", "real": return YAMLNode(.scalar(try self.text(tag), isPlain: true), line: line)
        case "data":
            guard let octets = Base64.decode(try self.text(tag)), let text = String(validating: octets, as: UTF8.self)
            else { throw self.error("a <data> element must be base64 of UTF-8 text") }
            return YAMLNode(.scalar(text, isPlain: false), line: line)
        case "array":
            var items: [YAMLNode] = []
            while !tag.isEmpty {
                let next = try self.tag()
                if next.isEnd, next.name == "array" { break }
                items.append(try self.value(next, depth: depth - 1))
            }
            return YAMLNode(.sequence(items), line: line)
        case "dict": return YAMLNode(.mapping(try self.entries(tag, depth: depth)), line: line)
        default: throw self.error("<\(tag.name)> is not an element of a property list")
        }
    }

    private mutating func entries(_ tag: Tag, depth: Int) throws(CassetteError) -> [YAMLNode.Entry] {
        var entries = EntryList()
        while !tag.isEmpty {
            let next = try self.tag()
            if next.isEnd, next.name == "dict" { break }
            guard next.name == "key", !next.isEnd else { throw self.error("a <key> is missing before <\(next.name)>") }
            let line = self.line
            let key = try self.text(next)
            let value = try self.value(try self.tag(), depth: depth - 1)
            try entries.append(key, line, value, fileName: self.fileName)
        }
        return entries.entries
    }

    /// The text up to the end tag of an element.
    private mutating func text(_ tag: Tag) throws(CassetteError) -> String {
        if tag.isEmpty { return "" }
        var octets: [UInt8] = []
        while let octet = self.peek() {
            switch octet {
            case UInt8(ascii: "<"):
                try self.end(of: tag.name)
                return String(decoding: octets, as: UTF8.self)
            case UInt8(ascii: "&"): octets.append(contentsOf: try self.reference())
            case 0x0d:
                self.step()
                if self.peek() != 0x0a { octets.append(0x0a) }
            default:
                octets.append(octet)
                self.step()
            }
        }
        throw self.error("the file is cut off inside <\(tag.name)>")
    }

    private mutating func end(of name: String) throws(CassetteError) {
        let tag = try self.tag()
        guard tag.isEnd, tag.name == name else { throw self.error("</\(name)> is missing") }
    }

    private mutating func reference() throws(CassetteError) -> [UInt8] {
        self.step()
        var name = ""
        while let octet = self.peek(), octet != UInt8(ascii: ";"), name.utf8.count < 12 {
            name.unicodeScalars.append(Unicode.Scalar(octet))
            self.step()
        }
        guard self.peek() == UInt8(ascii: ";") else { throw self.error("'&' begins no character reference") }
        self.step()
        switch name {
        case "amp": return [UInt8(ascii: "&")]
        case "lt": return [UInt8(ascii: "<")]
        case "gt": return [UInt8(ascii: ">")]
        case "quot": return [UInt8(ascii: "\"")]
        case "apos": return [UInt8(ascii: "'")]
        default:
            let value = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
            guard name.hasPrefix("#"), let value, value != 0, let scalar = Unicode.Scalar(value),
                let octets = UTF8.encode(scalar)
            else { throw self.error("'&\(name);' is not a character reference") }
            return Array(octets)
        }
    }

    /// The next tag, after white space, comments, the XML declaration and a document type without declarations.
    private mutating func tag() throws(CassetteError) -> Tag {
        try self.skipSpace()
        guard self.peek() == UInt8(ascii: "<") else {
            throw self.error(self.peek() == nil ? "the file is cut off" : "there is text where an element should be")
        }
        self.step()
        var text: [UInt8] = []
        while let octet = self.peek(), octet != UInt8(ascii: ">") {
            guard text.count < 200 else { throw self.error("a tag is too long") }
            text.append(octet)
            self.step()
        }
        guard self.peek() != nil else { throw self.error("the file is cut off inside a tag") }
        self.step()
        let isEnd = text.first == UInt8(ascii: "/")
        let isEmpty = text.last == UInt8(ascii: "/")
        let inner = String(decoding: text.dropFirst(isEnd ? 1 : 0).dropLast(isEmpty ? 1 : 0), as: UTF8.self)
        let name = inner.split { $0 == " " || $0 == "\n" || $0 == "\t" }.first.map(String.init) ?? ""
        return Tag(name: name, isEnd: isEnd, isEmpty: isEmpty)
    }

    private mutating func skipSpace() throws(CassetteError) {
        while let octet = self.peek() {
            if octet == 0x20 || octet == 0x09 || octet == 0x0a || octet == 0x0d {
                self.step()
            } else if self.starts(with: "<!--") {
                try self.skip(past: "-->")
            } else if self.starts(with: "<?") {
                try self.skip(past: "?>")
            } else if self.starts(with: "<!") {
                let start = self.position
                try self.skip(past: ">")
                guard self.starts(with: "<!DOCTYPE", at: start),
                    !self.bytes[start..<self.position].contains(UInt8(ascii: "["))
                else { throw self.error("a property list must not declare anything") }
            } else {
                return
            }
        }
    }

    private func starts(with text: String, at start: Int? = nil) -> Bool {
        self.bytes[(start ?? self.position)...].starts(with: text.utf8)
    }

    private mutating func skip(past text: String) throws(CassetteError) {
        while self.peek() != nil {
            if self.starts(with: text) {
                for _ in text.utf8 { self.step() }
                return
            }
            self.step()
        }
        throw self.error("the file is cut off")
    }

    private func peek() -> UInt8? { self.position < self.bytes.count ? self.bytes[self.position] : nil }

    private mutating func step() {
        if self.bytes[self.position] == 0x0a { self.line += 1 }
        self.position += 1
    }

    private func error(_ message: String, _ code: CassetteError.Code = .malformed) -> CassetteError {
        CassetteError(code, message, file: self.fileName, line: self.line)
    }
}
