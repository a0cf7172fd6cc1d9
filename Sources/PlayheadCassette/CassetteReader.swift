public import NIOCore
import PlayheadContent

/// Reads cassette files.
public enum CassetteReader {
    /// The default bound of a file: 1 GiB.
    public static let defaultLimit = 1 << 30

    /// The cassette at a location; nil if there is no file.
    ///
    /// A file of length zero is an empty cassette, as a lock-step `touch` makes it. Anything else that is not a whole
    /// cassette is an error, so that a damaged file is never taken for an empty one and overwritten.
    public static func read(_ location: CassetteLocation, limit: Int = defaultLimit) throws(CassetteError) -> Cassette?
    {
        guard let folder = try location.openParent(creating: false) else { return nil }
        if location.isFolder { return try FolderReader(location, in: folder, limit: limit)?.cassette() }
        guard let file = try folder.openToRead(location.fileName) else { return nil }
        var bytes = try file.readAll(limit: limit)
        if bytes.readableBytes == 0 { return Cassette(recordedWith: "") }
        bytes = try SealedFile.opened(bytes, key: location.key, file: location.file)
        return try self.parse(bytes, format: location.name.format, fileName: location.file)
    }

    /// The cassette at a location without its exchanges, which are not even looked at; nil if there is no file.
    public static func readHeader(
        _ location: CassetteLocation, limit: Int = defaultLimit
    ) throws(CassetteError) -> Cassette? {
        guard let folder = try location.openParent(creating: false) else { return nil }
        if location.isFolder { return try FolderReader(location, in: folder, limit: limit)?.header() }
        guard let file = try folder.openToRead(location.fileName) else { return nil }
        var start = try file.read(upTo: min(self.headerLimit, limit))
        if start.readableBytes == 0 { return Cassette(recordedWith: "") }
        if location.key != nil || SealedFile.isSealed(start.readableBytesView) {
            file.rewind()
            start = try SealedFile.opened(
                try file.readAll(limit: limit), key: location.key, file: location.file)
        }
        if let header = self.header(start, format: location.name.format) { return header }
        var whole = try self.read(location, limit: limit)
        whole?.exchanges = []
        return whole
    }

    /// What stands before the exchanges takes at most this many octets in files that we write.
    private static let headerLimit = 256 << 10

    /// The header at the start of a file that has the form in which we write it.
    static func header(_ start: ByteBuffer, format: CassetteFormat) -> Cassette? {
        if format == .yaml { return YAMLParts(start).header().flatMap { try? $0.0.finish() } }
        let isJSON = format == .json
        let mark = isJSON ? "\n  \"exchanges\": [" : "\n\t<key>exchanges</key>\n\t<array>\n"
        let text = String(buffer: start)
        guard let range = text.range(ofFirst: mark) else { return nil }
        let end = isJSON ? "]}" : "</array></dict></plist>"
        return try? self.parse(ByteBuffer(string: text[..<range.upperBound] + end), format: format, fileName: "")
    }

    /// Whether the cassette on the disk is encrypted; nil if there is none.
    public static func isEncrypted(_ location: CassetteLocation) throws(CassetteError) -> Bool? {
        guard let folder = try location.openParent(creating: false) else { return nil }
        let inner = location.isFolder ? try folder.subfolder(location.fileName, creating: false) : folder
        let name = location.isFolder ? FolderLayout.headerName : location.fileName
        guard let file = try inner?.openToRead(name) else { return nil }
        return SealedFile.isSealed(try file.read(upTo: SealedFile.magic.count).readableBytesView)
    }

    /// Makes a cassette from the octets of a file; `fileName` goes into errors.
    public static func parse(
        _ bytes: ByteBuffer, format: CassetteFormat = .yaml, fileName: String
    ) throws(CassetteError) -> Cassette {
        var bytes = bytes
        // Some editors begin a file with U+FEFF.
        if bytes.readableBytesView.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.moveReaderIndex(forwardBy: 3) }
        switch format {
        case .yaml:
            if let cassette = YAMLParts(bytes).cassette() { return cassette }
            return try self.parseYAML(bytes, fileName: fileName)
        case .json:
            return try self.cassette(
                from: JSONNodeReader.parse(
                    bytes, fileName: fileName,
                    limits: JSONLimits(depth: 64, octets: self.defaultLimit, values: 100_000_000)),
                fileName: fileName)
        case .plist: return try self.cassette(from: PlistReader.parse(bytes, fileName: fileName), fileName: fileName)
        }
    }

    /// Reads exchange by exchange with libyaml, so the nodes of one are gone before the next is read.
    static func parseYAML(_ bytes: ByteBuffer, fileName: String) throws(CassetteError) -> Cassette {
        try YAMLEventReader.reading(bytes, fileName: fileName) { reader throws(CassetteError) in
            guard try reader.beginDocument() else {
                throw CassetteError(.malformed, "the file holds no cassette", file: fileName, line: 1)
            }
            let start = try reader.next()
            guard case .mappingStart = start else {
                throw reader.error("a cassette must be a dictionary that begins with 'playhead: 1'")
            }
            var builder = CassetteBuilder(fileName: fileName)
            let limits = YAMLDocument.Limits()
            while true {
                let event = try reader.next()
                if case .mappingEnd = event { break }
                let (key, line) = (try reader.key(event), reader.line)
                try builder.begin(key, line: line)
                guard key == "exchanges" else {
                    try builder.take(key, reader.node(limits: limits), line: line)
                    continue
                }
                let list = try reader.next()
                guard case .sequenceStart = list else {
                    throw reader.error("'exchanges' must be a list; write [] if there are none")
                }
                while true {
                    let event = try reader.next()
                    if case .sequenceEnd = event { break }
                    try builder.takeExchange(reader.node(startingWith: event, limits: limits))
                }
            }
            try reader.endDocument()
            try self.requireLastLine(bytes, fileName: fileName)
            return try builder.finish()
        }
    }

    private static func cassette(from root: YAMLNode, fileName: String) throws(CassetteError) -> Cassette {
        guard let entries = root.mapping else {
            throw CassetteError(
                .malformed, "a cassette must be a dictionary that begins with 'playhead'", file: fileName,
                line: root.line)
        }
        var builder = CassetteBuilder(fileName: fileName)
        for entry in entries {
            try builder.begin(entry.key, line: entry.line)
            guard entry.key == "exchanges" else {
                try builder.take(entry.key, entry.value, line: entry.line)
                continue
            }
            guard let items = entry.value.sequence else {
                throw CassetteError(
                    .malformed, "'exchanges' must be a list; write [] if there are none", file: fileName,
                    line: entry.line)
            }
            for item in items { try builder.takeExchange(item) }
        }
        return try builder.finish()
    }

    /// YAML can be cut off in the middle of a value and still be YAML; a last line without its end gives that away.
    private static func requireLastLine(_ bytes: ByteBuffer, fileName: String) throws(CassetteError) {
        let view = bytes.readableBytesView
        guard let last = view.last, last != 0x0a, last != UInt8(ascii: "]"), last != UInt8(ascii: "}") else { return }
        throw CassetteError(
            .malformed, "the last line has no line end, so the file may be cut off; add a line end if it is whole",
            file: fileName, line: 1 + view.count { $0 == 0x0a })
    }
}

extension String {
    /// Where another text first begins and ends in this one, octet by octet.
    fileprivate func range(ofFirst other: String) -> Range<String.Index>? {
        let wanted = Array(other.utf8)
        guard let first = wanted.first else { return nil }
        var rest = self.utf8[...]
        while let start = rest.firstIndex(of: first) {
            rest = rest[start...]
            if rest.starts(with: wanted) { return start..<rest.index(start, offsetBy: wanted.count) }
            rest = rest.dropFirst()
        }
        return nil
    }
}

/// Collects a cassette from its top-level keys, in the order of the file.
struct CassetteBuilder {
    private let fileName: String
    private var decoder: CassetteDecoder
    private var statedVersion: Int?
    private var seen: Set<String> = []
    private var cassette = Cassette(recordedWith: "")

    init(fileName: String) {
        self.fileName = fileName
        self.decoder = CassetteDecoder(fileName: fileName)
    }

    /// Checks a key before its value is read.
    mutating func begin(_ key: String, line: Int) throws(CassetteError) {
        guard self.statedVersion != nil || key == "playhead" else {
            throw self.error("a cassette must begin with its format version, 'playhead: 1'", line)
        }
        guard CassetteDecoder.cassetteKeys.contains(key) else {
            let near = Spelling.nearest(to: key, in: CassetteDecoder.cassetteKeys).map { "; did you mean '\($0)'?" }
            let known = "; known are \(CassetteDecoder.cassetteKeys.joined(separator: ", "))"
            throw self.error("the cassette has the unknown key '\(key)'\(near ?? known)", line)
        }
        guard self.seen.insert(key).inserted else {
            throw self.error("the key '\(key)' is there twice; remove one of them", line)
        }
    }

    mutating func take(_ key: String, _ node: YAMLNode, line: Int) throws(CassetteError) {
        switch key {
        case "playhead": self.statedVersion = try self.decoder.version(node)
        case "recorded_with":
            guard let text = node.text else { throw self.error("'recorded_with' must be text", line) }
            self.cassette.recordedWith = text
        case "metadata": self.cassette.metadata = try self.decoder.metadata(node)
        case "matchers": self.cassette.matchers = try self.decoder.texts(node, "matchers")
        default: throw self.error("the key '\(key)' is not known", line)
        }
    }

    mutating func takeExchange(_ node: YAMLNode) throws(CassetteError) {
        let current = try CassetteVersions.upgraded(node, from: self.version)
        self.cassette.exchanges.append(try self.decoder.exchange(current))
    }

    /// The format version that the file states.
    var version: Int { self.statedVersion ?? Cassette.currentVersion }

    /// Adds exchanges that were read apart; false if an id is there twice.
    mutating func take(_ part: YAMLPart) -> Bool {
        self.cassette.exchanges.append(contentsOf: part.exchanges)
        return self.decoder.claim(part.exchanges)
    }

    func finish() throws(CassetteError) -> Cassette {
        guard self.statedVersion != nil else { throw self.error("the cassette has no 'playhead: 1'", 1) }
        guard self.seen.contains("exchanges") else {
            throw self.error("the cassette has no 'exchanges'; the file seems to be cut off", nil)
        }
        return self.cassette
    }

    private func error(_ message: String, _ line: Int?) -> CassetteError {
        CassetteError(.malformed, message, file: self.fileName, line: line)
    }
}

/// Brings exchanges of older formats up to the current one, step by step.
enum CassetteVersions {
    /// Entry `n` turns an exchange of version `n` into one of version `n + 1`.
    ///
    /// Version 1 is the first and the current one, so there is no step yet; a new version adds its step here and a golden
    /// file to the tests.
    static let steps: [Int: @Sendable (YAMLNode) throws(CassetteError) -> YAMLNode] = [:]

    static func upgraded(
        _ node: YAMLNode, from version: Int, to newest: Int = Cassette.currentVersion,
        by steps: [Int: @Sendable (YAMLNode) throws(CassetteError) -> YAMLNode] = steps
    ) throws(CassetteError) -> YAMLNode {
        var current = node
        for step in version..<max(version, newest) {
            guard let convert = steps[step] else {
                throw CassetteError(
                    .malformed, "format \(step) has no way to format \(step + 1); use the playhead that wrote the file",
                    line: node.line)
            }
            current = try convert(current)
        }
        return current
    }
}
