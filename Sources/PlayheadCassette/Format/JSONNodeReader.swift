import NIOCore
import PlayheadContent

/// Reads a JSON document into nodes with lines, so that one decoder serves all formats.
enum JSONNodeReader {
    static func parse(
        _ bytes: ByteBuffer, fileName: String, limits: JSONLimits
    ) throws(CassetteError) -> YAMLNode {
        let outcome = bytes.withUnsafeReadableBytes { bytes -> Result<YAMLNode, CassetteError> in
            var builder = NodeBuilder(bytes: bytes, fileName: fileName)
            do throws(ContentError) {
                try JSONScanner.scan(bytes, limits: limits) { event throws(ContentError) in builder.take(event) }
            } catch {
                if let conflict = ConflictMarker.found(in: bytes, fileName: fileName) { return .failure(conflict) }
                let offset = min(error.offset ?? 0, bytes.count)
                let line = 1 + bytes[..<offset].count { $0 == 0x0a }
                let isTooLarge = error.code == .tooLarge || error.code == .tooDeep
                let hint = error.code == .truncated ? "; the file seems to be cut off" : ""
                return .failure(
                    CassetteError(
                        isTooLarge ? .tooLarge : .malformed, error.message + hint, file: fileName, line: line))
            }
            if let failure = builder.failure { return .failure(failure) }
            return .success(builder.root)
        }
        return try outcome.get()
    }
}

/// Builds nodes from the events of a scanner, counting lines as it goes.
private struct NodeBuilder {
    private struct Container {
        var line: Int
        var key: String?
        var keyLine: Int
        var items: [YAMLNode] = []
        var entries = EntryList()
    }

    let bytes: UnsafeRawBufferPointer
    let fileName: String
    var root = YAMLNode(.scalar("", isPlain: true), line: 1)
    var failure: CassetteError?
    private var open: [Container] = []
    private var key: String?
    private var keyLine = 1
    private var line = 1
    private var counted = 0

    init(bytes: UnsafeRawBufferPointer, fileName: String) {
        self.bytes = bytes
        self.fileName = fileName
    }

    mutating func take(_ event: JSONEvent) {
        guard self.failure == nil else { return }
        switch event {
        case .key(let range):
            self.count(to: range.lowerBound)
            self.key = JSONText.unquoted(UnsafeRawBufferPointer(rebasing: self.bytes[range]))
            self.keyLine = self.line
        case .scalar(let kind, let range):
            self.count(to: range.lowerBound)
            let source = UnsafeRawBufferPointer(rebasing: self.bytes[range])
            let text = kind == .string ? JSONText.unquoted(source) : String(decoding: source, as: UTF8.self)
            self.add(YAMLNode(.scalar(text, isPlain: kind != .string), line: self.line))
        case .begin(_, let at):
            self.count(to: at)
            self.open.append(Container(line: self.line, key: self.key, keyLine: self.keyLine))
            self.key = nil
        case .end(let kind, _):
            let container = self.open.removeLast()
            (self.key, self.keyLine) = (container.key, container.keyLine)
            let isObject = kind == .object
            self.add(
                YAMLNode(
                    isObject ? .mapping(container.entries.entries) : .sequence(container.items), line: container.line))
        }
    }

    private mutating func add(_ node: YAMLNode) {
        guard let last = self.open.indices.last else { return self.root = node }
        guard let key = self.key else { return self.open[last].items.append(node) }
        self.key = nil
        do throws(CassetteError) {
            try self.open[last].entries.append(key, self.keyLine, node, fileName: self.fileName)
        } catch {
            self.failure = error
        }
    }

    private mutating func count(to offset: Int) {
        self.line += self.bytes[self.counted..<offset].count { $0 == 0x0a }
        self.counted = offset
    }
}
