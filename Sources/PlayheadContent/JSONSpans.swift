public import NIOCore

/// Where every value of a JSON text lies, so that some can be replaced while all other octets stay.
public struct JSONSpans: Sendable {
    /// One value of the text.
    public struct Span: Sendable, Hashable {
        /// The index of the array or object that holds it; nil for the root.
        public var parent: Int?
        /// Its key, if an object holds it.
        public var key: String?
        /// Its position, if an array holds it.
        public var position: Int?
        /// Its octets, counted from the start of the text; a string includes its quotes.
        public var range: Range<Int>
        /// What it is.
        public var kind: JSONKind
    }

    /// All values in text order; a container comes before what it holds.
    public private(set) var spans: [Span] = []
    private let text: ByteBuffer

    /// Scans the readable octets of `text`.
    public init(_ text: ByteBuffer, limits: JSONLimits = JSONLimits()) throws(ContentError) {
        self.text = text
        let outcome = text.withUnsafeReadableBytes { bytes -> Result<[Span], ContentError> in
            do throws(ContentError) {
                var builder = SpanBuilder(bytes: bytes)
                try JSONScanner.scan(bytes, limits: limits) { event throws(ContentError) in builder.take(event) }
                return .success(builder.spans)
            } catch {
                return .failure(error)
            }
        }
        self.spans = try outcome.get()
    }

    /// The JSONPath of a value in its normalised short form, such as `$.items[0].name` (RFC 9535).
    public func path(of index: Int) -> String {
        var steps: [String] = []
        var current: Int? = index
        while let at = current {
            let span = self.spans[at]
            if let key = span.key {
                steps.append(Self.isPlainName(key) ? ".\(key)" : "[\(JSONText.quoted(key))]")
            } else if let position = span.position {
                steps.append("[\(position)]")
            }
            current = span.parent
        }
        return "$" + steps.reversed().joined()
    }

    /// The text of a string value, without quotes and escapes; nil for other kinds.
    public func string(at index: Int) -> String? {
        let span = self.spans[index]
        guard span.kind == .string else { return nil }
        return self.text.withUnsafeReadableBytes {
            JSONText.unquoted(UnsafeRawBufferPointer(rebasing: $0[span.range]))
        }
    }

    /// The octets of a value as they stand in the text.
    public func source(at index: Int) -> String {
        let range = self.spans[index].range
        return self.text.withUnsafeReadableBytes { String(decoding: $0[range], as: UTF8.self) }
    }

    /// The text with some values replaced; keys of `replacements` are indices into `spans`, values are JSON text.
    ///
    /// A replacement inside a container that is replaced itself is dropped.
    public func replacing(_ replacements: [Int: String]) -> ByteBuffer {
        var result = ByteBuffer()
        result.reserveCapacity(self.text.readableBytes)
        var copied = 0
        self.text.withUnsafeReadableBytes { bytes in
            for index in replacements.keys.sorted() {
                let range = self.spans[index].range
                guard range.lowerBound >= copied, let replacement = replacements[index] else { continue }
                result.writeBytes(UnsafeRawBufferPointer(rebasing: bytes[copied..<range.lowerBound]))
                result.writeString(replacement)
                copied = range.upperBound
            }
            result.writeBytes(UnsafeRawBufferPointer(rebasing: bytes[copied...]))
        }
        return result
    }

    static func isPlainName(_ key: String) -> Bool {
        guard let first = key.utf8.first, first &- 0x30 >= 10 else { return false }
        return key.utf8.allSatisfy { ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == UInt8(ascii: "_") }
    }
}

/// Builds spans from the events of a scanner.
private struct SpanBuilder {
    let bytes: UnsafeRawBufferPointer
    var spans: [JSONSpans.Span] = []
    private var open: [(index: Int, count: Int)] = []
    private var key: String?

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func take(_ event: JSONEvent) {
        switch event {
        case .key(let range): self.key = JSONText.unquoted(UnsafeRawBufferPointer(rebasing: self.bytes[range]))
        case .scalar(let kind, let range): self.add(kind, range)
        case .begin(let kind, let at):
            self.add(kind, at..<at)
            self.open.append((self.spans.count - 1, 0))
        case .end(_, let at):
            let index = self.open.removeLast().index
            self.spans[index].range = self.spans[index].range.lowerBound..<at
        }
    }

    private mutating func add(_ kind: JSONKind, _ range: Range<Int>) {
        var position: Int?
        if let last = self.open.indices.last {
            if self.spans[self.open[last].index].kind == .array { position = self.open[last].count }
            self.open[last].count += 1
        }
        self.spans.append(
            JSONSpans.Span(parent: self.open.last?.index, key: self.key, position: position, range: range, kind: kind))
        self.key = nil
    }
}
