public import NIOCore

/// The parts of a multipart body (RFC 2046 section 5.1, RFC 7578 for forms).
public struct MultipartBody: Sendable, Equatable {
    /// How many parts are read at most.
    public static let partLimit = 10_000

    /// One part.
    public struct Part: Sendable, Equatable {
        /// A header field of a part.
        public struct Field: Sendable, Equatable {
            /// The name as sent.
            public var name: String
            /// The value as sent.
            public var value: String
        }

        /// The header fields in order.
        public var headers: [Field]
        /// The `name` of its `Content-Disposition`.
        public var name: String?
        /// The `filename` of its `Content-Disposition`.
        public var filename: String?
        /// The octets of the part.
        public var bytes: ByteBuffer
        /// Where the octets lie, counted from the start of the body.
        public var range: Range<Int>

        /// The media type of the part, if it names one.
        public var mediaType: MediaType? {
            self.headers.first { $0.name.lowercased() == "content-type" }.flatMap { MediaType.parse($0.value) }
        }
    }

    /// The parts in order.
    public var parts: [Part] = []

    /// Reads a body with the boundary of its media type.
    public init(_ body: ByteBuffer, boundary: String) throws(ContentError) {
        let text = Array(body.readableBytesView)
        let marks = Self.marks(in: text, boundary: Array("--\(boundary)".utf8))
        guard let first = marks.first, !first.isLast || marks.count == 1 else {
            throw ContentError(.malformed, "the multipart body does not have its boundary")
        }
        guard marks.contains(where: \.isLast) else {
            throw ContentError(.truncated, "the multipart body has no closing boundary")
        }
        guard marks.count <= Self.partLimit else {
            throw ContentError(.tooLarge, "the multipart body has more than \(Self.partLimit) parts")
        }
        for (mark, next) in zip(marks, marks.dropFirst()) {
            if mark.isLast { break }
            self.parts.append(try Self.part(body, text, mark.after..<max(mark.after, next.before)))
        }
    }

    /// A boundary line: where the octets before it end and those after it begin.
    private struct Mark {
        var before: Int
        var after: Int
        var isLast: Bool
    }

    private static func marks(in text: [UInt8], boundary: [UInt8]) -> [Mark] {
        var marks: [Mark] = []
        var lineStart = 0
        while lineStart <= text.count {
            let lineEnd = text[lineStart...].firstIndex(of: 0x0a) ?? text.count
            if text[lineStart..<lineEnd].starts(with: boundary) {
                var rest = text[(lineStart + boundary.count)..<lineEnd]
                let isLast = rest.starts(with: [0x2d, 0x2d])
                if isLast { rest = rest.dropFirst(2) }
                if rest.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) {
                    // The line end before a boundary belongs to the boundary.
                    var before = max(0, lineStart - 1)
                    if before > 0, text[before - 1] == 0x0d { before -= 1 }
                    marks.append(Mark(before: before, after: min(text.count, lineEnd + 1), isLast: isLast))
                    if isLast || marks.count > self.partLimit { break }
                }
            }
            lineStart = lineEnd + 1
        }
        return marks
    }

    private static func part(
        _ body: ByteBuffer, _ text: [UInt8], _ range: Range<Int>
    ) throws(ContentError) -> Part {
        var headers: [Part.Field] = []
        var position = range.lowerBound
        while position < range.upperBound {
            let end = text[position..<range.upperBound].firstIndex(of: 0x0a) ?? range.upperBound
            var line = text[position..<end]
            if line.last == 0x0d { line.removeLast() }
            position = min(range.upperBound, end + 1)
            if line.isEmpty { break }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
                throw ContentError(
                    .malformed, "a part of the multipart body has a header without ':'", offset: position)
            }
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
            headers.append(
                Part.Field(name: String(decoding: line[..<colon], as: UTF8.self), value: unquotedSpace(value)))
        }
        let disposition = headers.first { $0.name.lowercased() == "content-disposition" }?.value
        let parameters = disposition.map { splitOutsideQuotes($0, at: ";").dropFirst() } ?? []
        func parameter(_ name: String) -> String? {
            for text in parameters {
                guard let equals = text.firstIndex(of: "="), trimmedToken(text[..<equals]) == name else { continue }
                return unquoted(text[text.index(after: equals)...])
            }
            return nil
        }
        let octets = position..<range.upperBound
        let slice = body.getSlice(at: body.readerIndex + octets.lowerBound, length: octets.count) ?? ByteBuffer()
        return Part(
            headers: headers, name: parameter("name"), filename: parameter("filename"), bytes: slice, range: octets)
    }

    private static func unquotedSpace(_ text: String) -> String {
        var rest = text[...]
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return String(rest)
    }
}
