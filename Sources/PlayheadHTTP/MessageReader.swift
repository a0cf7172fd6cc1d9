import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The part of the decoders that is the same for requests and responses: lines, field sections and bodies.
///
/// It is a pull machine without I/O. Nothing is scanned twice, however small the pieces are that come in.
struct MessageReader {
    /// What the next octets are.
    enum Phase {
        case startLine
        case fields
        case fixedBody(remaining: Int)
        case chunkSize
        case chunkData(remaining: Int)
        case chunkDataEnd
        case trailers
        case bodyUntilClose
        /// The octets that follow belong to another protocol, or to nobody yet.
        case stopped
        case failed(HTTP1Error)
    }

    enum Line {
        case complete(start: Int, end: Int)
        case incomplete
        case fault(HTTP1Error.Code)
    }

    enum Fields {
        /// The length of the section, its empty line included.
        case complete(length: Int)
        case incomplete
        case fault(HTTP1Error.Code)
    }

    let limits: HTTP1Limits
    var phase = Phase.startLine
    /// Whether the peer has ended its stream.
    var hasEnded = false
    private(set) var input = ByteBuffer()
    /// Where the current line begins, from the reader index.
    private var lineStart = 0
    /// How far the current line was searched for its LF, from the reader index.
    private var searched = 0
    private(set) var section = FieldSection()
    var extensionBytes = 0

    init(limits: HTTP1Limits) { self.limits = limits }

    mutating func append(_ bytes: ByteBuffer) {
        if self.input.readableBytes == 0 {
            self.input = bytes
        } else {
            var bytes = bytes
            // Without this a consumed front part would stay for as long as the buffer never runs empty.
            if self.input.writableBytes < bytes.readableBytes { self.input.discardReadBytes() }
            self.input.writeBuffer(&bytes)
        }
    }

    mutating func fail(_ error: HTTP1Error) {
        self.phase = .failed(error)
        self.input = ByteBuffer()
        self.section = FieldSection()
    }

    /// Takes all octets that were not consumed.
    mutating func takeInput() -> ByteBuffer {
        let rest = self.input
        self.input = ByteBuffer()
        self.lineStart = 0
        self.searched = 0
        return rest
    }

    mutating func consume(_ count: Int) {
        self.input.moveReaderIndex(forwardBy: count)
        if self.input.readableBytes == 0 { self.input = ByteBuffer() }
    }

    mutating func read(_ count: Int) -> ByteBuffer {
        guard let slice = self.input.readSlice(length: count) else { return ByteBuffer() }
        if self.input.readableBytes == 0 { self.input = ByteBuffer() }
        return slice
    }

    // MARK: Lines

    /// Finds the next line; its end excludes CR LF.
    ///
    /// `limit` bounds the line without its end.
    mutating func nextLine(limit: Int, tooLong: HTTP1Error.Code) -> Line {
        let input = self.input
        return input.withUnsafeReadableBytes { bytes in
            self.findLine(bytes, limit: limit, tooLong: tooLong)
        }
    }

    @inline(__always)
    private mutating func findLine(
        _ bytes: UnsafeRawBufferPointer, limit: Int, tooLong: HTTP1Error.Code
    ) -> Line {
        let start = self.lineStart
        guard let base = bytes.baseAddress, self.searched < bytes.count,
            let hit = memchr(base + self.searched, 0x0A, bytes.count - self.searched)
        else {
            self.searched = bytes.count
            // A CR at the end may belong to the line end that has not come yet.
            let pending = bytes.count - start - (bytes.last == Octets.carriageReturn ? 1 : 0)
            return pending > limit ? .fault(tooLong) : .incomplete
        }
        let lineFeed = UnsafeRawPointer(hit) - base
        let isBare = lineFeed == start || bytes[lineFeed - 1] != Octets.carriageReturn
        let end = isBare ? lineFeed : lineFeed - 1
        if end - start > limit { return .fault(tooLong) }
        if isBare { return .fault(.bareLineFeed) }
        self.lineStart = lineFeed + 1
        self.searched = lineFeed + 1
        return .complete(start: start, end: end)
    }

    /// Drops the lines found so far and begins a new run of lines at the reader index.
    mutating func consumeLines() {
        let count = self.lineStart
        self.lineStart = 0
        self.searched = 0
        self.consume(count)
    }

    /// Reads field lines until the empty one; call again with more input when incomplete.
    mutating func nextFields(totalLimit: Int, tooLong: HTTP1Error.Code) -> Fields {
        let input = self.input
        return input.withUnsafeReadableBytes { bytes in
            while true {
                let rest = totalLimit - self.lineStart
                let line =
                    self.limits.field <= rest
                    ? self.findLine(bytes, limit: self.limits.field, tooLong: .fieldTooLong)
                    : self.findLine(bytes, limit: rest, tooLong: tooLong)
                switch line {
                case .incomplete: return .incomplete
                case .fault(let code): return .fault(code)
                case .complete(let start, let end):
                    if start == end { return .complete(length: end + 2) }
                    if self.section.slots.count == self.limits.fieldCount { return .fault(.tooManyFields) }
                    if let code = self.section.take(bytes, from: start, to: end) { return .fault(code) }
                }
            }
        }
    }

    /// Cuts off the section just read as a header list; its buffer is a slice of the input.
    mutating func takeSection(length: Int) -> (headers: HeaderList, landmarks: FieldSection.Landmarks) {
        let landmarks = self.section.landmarks
        let slots = self.section.slots
        self.section = FieldSection()
        self.lineStart = 0
        self.searched = 0
        return (HeaderList(storage: self.read(length), slots: slots), landmarks)
    }
}
