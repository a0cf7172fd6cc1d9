import CYAML
import NIOCore

/// One step of a YAML document; lines are counted from 1.
enum YAMLEvent {
    case scalar(String, isPlain: Bool)
    case sequenceStart, sequenceEnd, mappingStart, mappingEnd
    case documentStart, documentEnd, streamStart, streamEnd
}

/// Owns a libyaml parser over octets that stay in place for as long as it lives.
final class YAMLEventReader {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let bytes: UnsafeRawBufferPointer
    let fileName: String
    /// The line of the event read last.
    private(set) var line = 1
    /// Whether a document began with `---` or ended with `...`, which a piece of a file must not have.
    private(set) var hasDocumentMark = false

    private init(_ bytes: UnsafeRawBufferPointer, fileName: String) throws(CassetteError) {
        self.parser = .allocate(capacity: 1)
        self.bytes = bytes
        self.fileName = fileName
        guard yaml_parser_initialize(self.parser) == 1 else {
            self.parser.initialize(to: yaml_parser_t())
            throw CassetteError(.unreadable, "out of memory", file: fileName)
        }
        yaml_parser_set_encoding(self.parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(
            self.parser, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? Self.nothing, bytes.count)
    }

    deinit {
        yaml_parser_delete(self.parser)
        self.parser.deallocate()
    }

    /// Where an empty input begins; libyaml wants a pointer.
    ///
    /// Unsafe in name only: made once, of length zero, never read, written or freed.
    nonisolated(unsafe) private static let nothing = UnsafePointer(UnsafeMutablePointer<UInt8>.allocate(capacity: 1))

    /// Calls `body` with a reader that is only good inside the call.
    static func reading<Result>(
        _ buffer: ByteBuffer, fileName: String, _ body: (YAMLEventReader) throws(CassetteError) -> Result
    ) throws(CassetteError) -> Result {
        let outcome = buffer.withUnsafeReadableBytes { bytes -> Swift.Result<Result, CassetteError> in
            do throws(CassetteError) {
                let reader = try YAMLEventReader(bytes, fileName: fileName)
                return .success(try body(reader))
            } catch {
                return .failure(ConflictMarker.found(in: bytes, fileName: fileName) ?? error)
            }
        }
        return try outcome.get()
    }

    /// Goes to the root value; false if there is none.
    func beginDocument() throws(CassetteError) -> Bool {
        guard case .streamStart = try self.next() else { throw self.error("the file is not YAML") }
        switch try self.next() {
        case .documentStart: return true
        default: return false
        }
    }

    /// Makes sure that nothing but comments comes after the root value.
    func endDocument() throws(CassetteError) {
        guard case .documentEnd = try self.next() else { throw self.error("the file goes on after its root value") }
        guard case .streamEnd = try self.next() else {
            throw self.error("the file holds a second document; keep one per file")
        }
    }

    /// Reads the next value whole.
    func node(limits: YAMLDocument.Limits) throws(CassetteError) -> YAMLNode {
        var left = limits.nodes
        return try self.node(startingWith: try self.next(), depth: limits.depth, left: &left)
    }

    /// Reads a value whose first event was read already.
    func node(startingWith event: YAMLEvent, limits: YAMLDocument.Limits) throws(CassetteError) -> YAMLNode {
        var left = limits.nodes
        return try self.node(startingWith: event, depth: limits.depth, left: &left)
    }

    private func node(
        startingWith event: YAMLEvent, depth: Int, left: inout Int
    ) throws(CassetteError) -> YAMLNode {
        left -= 1
        guard left >= 0 else { throw self.error("there are too many values", .tooLarge) }
        let line = self.line
        switch event {
        case .scalar(let text, let isPlain): return YAMLNode(.scalar(text, isPlain: isPlain), line: line)
        case .sequenceStart:
            guard depth > 0 else { throw self.error("values are nested too deeply", .tooLarge) }
            var items: [YAMLNode] = []
            while true {
                let event = try self.next()
                if case .sequenceEnd = event { return YAMLNode(.sequence(items), line: line) }
                items.append(try self.node(startingWith: event, depth: depth - 1, left: &left))
            }
        case .mappingStart:
            guard depth > 0 else { throw self.error("values are nested too deeply", .tooLarge) }
            var entries = EntryList()
            while true {
                let event = try self.next()
                if case .mappingEnd = event { return YAMLNode(.mapping(entries.entries), line: line) }
                let (key, keyLine) = (try self.key(event), self.line)
                let value = try self.node(startingWith: try self.next(), depth: depth - 1, left: &left)
                try entries.append(key, keyLine, value, fileName: self.fileName)
            }
        case .sequenceEnd, .mappingEnd, .documentStart, .documentEnd, .streamStart, .streamEnd:
            throw self.error("a value is missing")
        }
    }

    /// The text of a key whose event was read.
    func key(_ event: YAMLEvent) throws(CassetteError) -> String {
        guard case .scalar(let key, _) = event else { throw self.error("a key must be a single value") }
        return key
    }

    /// Reads the next event; tags, anchors and aliases are refused here.
    func next() throws(CassetteError) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(self.parser, &event) == 1 else { throw self.parserError() }
        defer { yaml_event_delete(&event) }
        self.line = Int(event.start_mark.line) + 1
        switch event.type {
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            try self.refuse(anchor: scalar.anchor, tag: scalar.tag)
            let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            return .scalar(text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
        case YAML_SEQUENCE_START_EVENT:
            try self.refuse(anchor: event.data.sequence_start.anchor, tag: event.data.sequence_start.tag)
            return .sequenceStart
        case YAML_MAPPING_START_EVENT:
            try self.refuse(anchor: event.data.mapping_start.anchor, tag: event.data.mapping_start.tag)
            return .mappingStart
        case YAML_ALIAS_EVENT: throw self.error("an alias ('*name') is not allowed; write the value out")
        case YAML_SEQUENCE_END_EVENT: return .sequenceEnd
        case YAML_MAPPING_END_EVENT: return .mappingEnd
        case YAML_DOCUMENT_START_EVENT:
            if event.data.document_start.implicit == 0 { self.hasDocumentMark = true }
            return .documentStart
        case YAML_DOCUMENT_END_EVENT:
            if event.data.document_end.implicit == 0 { self.hasDocumentMark = true }
            return .documentEnd
        case YAML_STREAM_START_EVENT: return .streamStart
        default: return .streamEnd
        }
    }

    /// An error at the event read last.
    func error(_ message: String, _ code: CassetteError.Code = .malformed) -> CassetteError {
        CassetteError(code, message, file: self.fileName, line: self.line)
    }

    private func refuse(
        anchor: UnsafeMutablePointer<yaml_char_t>?, tag: UnsafeMutablePointer<yaml_char_t>?
    ) throws(CassetteError) {
        if anchor != nil { throw self.error("an anchor ('&name') is not allowed; write the value out") }
        if tag != nil { throw self.error("a tag ('!name') is not allowed; remove it") }
    }

    private func parserError() -> CassetteError {
        let problem = self.parser.pointee.problem.map { String(cString: $0) } ?? "it is not YAML"
        if self.parser.pointee.error == YAML_MEMORY_ERROR {
            return CassetteError(.unreadable, "out of memory", file: self.fileName)
        }
        if self.parser.pointee.error == YAML_READER_ERROR {
            let offset = min(Int(self.parser.pointee.problem_offset), self.bytes.count)
            let line = 1 + self.bytes[..<offset].count { $0 == 0x0a }
            return CassetteError(.malformed, "\(problem); the file must be UTF-8 text", file: self.fileName, line: line)
        }
        let line = Int(self.parser.pointee.problem_mark.line) + 1
        let context = self.parser.pointee.context.map { String(cString: $0) + ": " } ?? ""
        let isAtEnd = self.parser.pointee.problem_mark.index >= self.bytes.count
        let hint = isAtEnd ? "; the file seems to be cut off" : ""
        return CassetteError(.malformed, "\(context)\(problem)\(hint)", file: self.fileName, line: line)
    }
}

/// The entries of a dictionary while they are read; refuses a repeated key.
struct EntryList {
    private(set) var entries: [YAMLNode.Entry] = []
    /// Only filled for large dictionaries, where looking at each entry would be slow.
    private var keys: Set<String> = []

    mutating func append(_ key: String, _ line: Int, _ value: YAMLNode, fileName: String) throws(CassetteError) {
        let isRepeated: Bool
        if self.entries.count < 16 {
            isRepeated = self.entries.contains { $0.key == key }
        } else {
            if self.keys.isEmpty { self.keys = Set(self.entries.map(\.key)) }
            isRepeated = !self.keys.insert(key).inserted
        }
        guard !isRepeated else {
            throw CassetteError(
                .malformed, "the key '\(key)' is there twice; remove one of them", file: fileName, line: line)
        }
        self.entries.append(YAMLNode.Entry(key: key, line: line, value: value))
    }
}

/// Finds what a version control system leaves in a file that two sides changed.
enum ConflictMarker {
    static func found(in bytes: UnsafeRawBufferPointer, fileName: String) -> CassetteError? {
        let marker = Array("<<<<<<< ".utf8)
        var line = 1
        var start = 0
        while start < bytes.count {
            if bytes[start] == marker[0], bytes[start...].starts(with: marker) {
                return CassetteError(
                    .malformed,
                    "a merge conflict is not resolved: keep one side and remove the '<<<<<<<', '=======' "
                        + "and '>>>>>>>' lines", file: fileName, line: line)
            }
            guard let end = bytes[start...].firstIndex(of: 0x0a) else { return nil }
            start = end + 1
            line += 1
        }
        return nil
    }
}
