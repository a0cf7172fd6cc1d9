import NIOCore

/// Reads a YAML cassette piece by piece: large files on several threads, and only edited exchanges with libyaml.
///
/// A line that begins with `- ` ends the exchange before it, as long as that one is complete by itself. Where that does
/// not hold, and at any error, it gives up, and the caller reads the whole file with libyaml, which knows the line.
struct YAMLParts {
    /// Files of fewer octets are not worth a second thread.
    static let threadLimit = 1 << 20

    private let bytes: ByteBuffer
    private let partCount: Int

    init(_ bytes: ByteBuffer, parts: Int? = nil) {
        self.bytes = bytes
        let isLarge = bytes.readableBytes >= Self.threadLimit
        self.partCount = parts ?? (isLarge ? Parallel.partCount : 1)
    }

    /// The cassette, or nil if it is not one that can be read in pieces.
    func cassette() -> Cassette? {
        guard let (builder, start) = self.header(), let first = self.firstItem(from: start) else { return nil }
        let ranges = self.ranges(from: first)
        let bytes = self.bytes
        let version = builder.version
        let parts = Parallel.map(ranges.count) { YAMLPart.read(bytes, ranges[$0], version: version) }
        var whole = builder
        for part in parts {
            guard let part, whole.take(part) else { return nil }
        }
        return try? whole.finish()
    }

    /// What stands before the exchanges, and where it ends.
    ///
    /// Nil if the file has it in an unusual form.
    func header() -> (CassetteBuilder, end: Int)? {
        self.bytes.withUnsafeReadableBytes { bytes -> (CassetteBuilder, end: Int)? in
            var reader = CanonicalYAML(bytes, from: 0, to: bytes.count)
            var entries = reader.header()
            var end = reader.position
            if entries == nil {
                guard let mark = Self.exchangesLine(bytes) else { return nil }
                end = mark.upperBound
                let head = ByteBuffer(bytes: UnsafeRawBufferPointer(rebasing: bytes[..<mark.upperBound]))
                entries = YAMLPart.alone(head)?.mapping
                guard entries?.last?.key == "exchanges", entries?.popLast()?.value.isNull == true else { return nil }
            }
            guard let entries else { return nil }
            do throws(CassetteError) {
                var builder = CassetteBuilder(fileName: "")
                for entry in entries {
                    try builder.begin(entry.key, line: entry.line)
                    try builder.take(entry.key, entry.value, line: entry.line)
                }
                try builder.begin("exchanges", line: 0)
                return (builder, end)
            } catch {
                // Read again by the caller, who knows the line.
                return nil
            }
        }
    }

    /// The first item after comments and empty lines.
    private func firstItem(from start: Int) -> Int? {
        self.bytes.withUnsafeReadableBytes { bytes in
            let first = YAMLPart.skipComments(bytes, from: start, to: bytes.count)
            return YAMLPart.isItem(bytes, at: first, end: bytes.count) ? first : nil
        }
    }

    private func ranges(from first: Int) -> [Range<Int>] {
        self.bytes.withUnsafeReadableBytes { bytes in
            var ranges: [Range<Int>] = []
            var start = first
            for part in 1..<max(2, self.partCount) where self.partCount > 1 {
                let wanted = first + (bytes.count - first) / self.partCount * part
                let cut = YAMLPart.nextItem(bytes, after: max(wanted, start), end: bytes.count)
                guard cut < bytes.count else { break }
                ranges.append(start..<cut)
                start = cut
            }
            ranges.append(start..<bytes.count)
            return ranges
        }
    }

    /// The line `exchanges:` at column 0, with its line end.
    private static func exchangesLine(_ bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        let line = Array("exchanges:\n".utf8)
        var start = 0
        while start + line.count <= bytes.count {
            if bytes[start] == line[0], bytes[start..<start + line.count].elementsEqual(line) {
                return start..<start + line.count
            }
            // The exchanges come after few lines; an item before them means that there is no such line.
            guard !YAMLPart.isItem(bytes, at: start, end: bytes.count),
                let end = bytes[start...].firstIndex(of: 0x0a)
            else { return nil }
            start = end + 1
        }
        return nil
    }
}

/// The exchanges of one run of whole items.
struct YAMLPart: Sendable {
    private(set) var exchanges: [Exchange] = []
    /// How many of them were not in the form that we write.
    private(set) var edited = 0

    /// Reads the items in a range that begins at one; nil at anything that is not a whole, legal exchange.
    static func read(_ buffer: ByteBuffer, _ range: Range<Int>, version: Int) -> YAMLPart? {
        buffer.withUnsafeReadableBytes { bytes -> YAMLPart? in
            var part = YAMLPart()
            var decoder = CassetteDecoder(fileName: "")
            var reader = CanonicalYAML(bytes, from: range.lowerBound, to: range.upperBound)
            do throws(CassetteError) {
                while !reader.isAtEnd {
                    let start = Self.skipComments(bytes, from: reader.position, to: range.upperBound)
                    if start == range.upperBound { break }
                    reader = CanonicalYAML(bytes, from: start, to: range.upperBound)
                    var node = reader.item()
                    if node == nil || !Self.endsItem(bytes, at: reader.position, end: range.upperBound) {
                        guard Self.isItem(bytes, at: start, end: range.upperBound) else { return nil }
                        let end = Self.nextItem(bytes, after: start, end: range.upperBound)
                        node = Self.item(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                        reader = CanonicalYAML(bytes, from: end, to: range.upperBound)
                        part.edited += 1
                    }
                    guard let node else { return nil }
                    part.exchanges.append(try decoder.exchange(CassetteVersions.upgraded(node, from: version)))
                }
            } catch {
                // Read again by the caller, who knows the line.
                return nil
            }
            return part
        }
    }

    /// Where the next item begins behind a position, or the end.
    static func nextItem(_ bytes: UnsafeRawBufferPointer, after start: Int, end: Int) -> Int {
        var index = start
        while index < end {
            guard let lineEnd = bytes[index..<end].firstIndex(of: 0x0a) else { return end }
            index = lineEnd + 1
            if self.isItem(bytes, at: index, end: end) { return index }
        }
        return end
    }

    static func isItem(_ bytes: UnsafeRawBufferPointer, at index: Int, end: Int) -> Bool {
        index + 1 < end && bytes[index] == UInt8(ascii: "-") && bytes[index + 1] == 0x20
    }

    /// Passes over empty lines and comments at column 0.
    static func skipComments(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int {
        var index = start
        while index < end, bytes[index] == 0x0a || bytes[index] == UInt8(ascii: "#") {
            guard let lineEnd = bytes[index..<end].firstIndex(of: 0x0a) else { return index }
            // Other characters may be an error, or a line end, to libyaml.
            guard let text = String(validating: bytes[index..<lineEnd], as: UTF8.self),
                text.unicodeScalars.allSatisfy(YAMLStyle.isPrintable)
            else { return index }
            index = lineEnd + 1
        }
        return index
    }

    /// Whether what follows a canonical item cannot go on with it.
    private static func endsItem(_ bytes: UnsafeRawBufferPointer, at index: Int, end: Int) -> Bool {
        index == end || bytes[index] == UInt8(ascii: "#") || self.isItem(bytes, at: index, end: end)
    }

    /// One item that stands alone as a list of one.
    private static func item(_ bytes: UnsafeRawBufferPointer) -> YAMLNode? {
        // A text without its last line end may be cut off.
        guard bytes.last == 0x0a, let list = self.alone(ByteBuffer(bytes: bytes))?.sequence, list.count == 1 else {
            return nil
        }
        return list.first
    }

    /// A piece of the file that is a whole document by itself, without document marks.
    static func alone(_ piece: ByteBuffer) -> YAMLNode? {
        do throws(CassetteError) {
            return try YAMLEventReader.reading(piece, fileName: "") { reader throws(CassetteError) -> YAMLNode? in
                guard try reader.beginDocument() else { return nil }
                let root = try reader.node(limits: YAMLDocument.Limits())
                try reader.endDocument()
                return reader.hasDocumentMark ? nil : root
            }
        } catch {
            return nil
        }
    }
}
