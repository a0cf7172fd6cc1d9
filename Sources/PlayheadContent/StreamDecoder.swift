import CBrotli
import CZlib
import CZstd
public import NIOCore

/// Takes content codings off octets that come piece by piece, within a bound.
///
/// Gives what ``ContentDecoder`` gives for the whole, in constant memory.
public final class StreamDecoder {
    private let steps: [any DecodingStep]
    private let limit: Int
    private var count = 0

    /// - Parameters:
    ///   - codings: in the order they were applied.
    ///   - limit: how many octets may come out.
    public init(_ codings: [ContentCoding], limit: Int) throws(ContentError) {
        guard codings.count <= ContentDecoder.codingLimit else {
            throw ContentError(
                .tooLarge,
                "\(codings.count) content codings on one body; at most \(ContentDecoder.codingLimit) are read")
        }
        var steps: [any DecodingStep] = []
        for coding in codings.reversed() {
            switch coding {
            case .gzip: steps.append(InflateStep(coding))
            case .deflate: steps.append(InflateStep(coding))
            case .br: steps.append(try BrotliStep())
            case .zstd: steps.append(try ZstdStep())
            }
        }
        self.steps = steps
        self.limit = limit
    }

    /// Decodes the next octets; `body` is called with what comes out, in pieces.
    public func take(_ octets: ByteBuffer, _ body: (ByteBuffer) throws -> Void) throws {
        try self.take(octets, 0, body)
    }

    /// Checks that the data is complete.
    public func finish() throws(ContentError) {
        for step in self.steps where !step.isComplete {
            throw ContentError(.truncated, "the \(step.name) data is cut off")
        }
    }

    private func take(_ octets: ByteBuffer, _ index: Int, _ body: (ByteBuffer) throws -> Void) throws {
        guard index < self.steps.count else { return try body(octets) }
        try self.steps[index].take(octets) { piece in
            self.count += piece.readableBytes
            // Each step's octets count: a bomb inside another one grows in the first step.
            guard self.count <= self.limit * self.steps.count else {
                throw ContentError(.tooLarge, "the data decodes to more than \(self.limit) octets")
            }
            try self.take(piece, index + 1, body)
        }
    }
}

/// One coding of a stream.
private protocol DecodingStep: AnyObject {
    var name: String { get }
    /// Whether the data may end here.
    var isComplete: Bool { get }
    func take(_ octets: ByteBuffer, _ body: (ByteBuffer) throws -> Void) throws
}

/// gzip with one or more members, zlib data, or raw deflate data.
private final class InflateStep: DecodingStep {
    private let coding: ContentCoding
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var isStarted = false
    private(set) var isComplete = false
    /// Held until the two octets are there that tell zlib data from raw data.
    private var head = ByteBuffer()

    init(_ coding: ContentCoding) {
        self.coding = coding
        self.stream.initialize(to: z_stream())
    }

    deinit {
        if self.isStarted { inflateEnd(self.stream) }
        self.stream.deinitialize(count: 1)
        self.stream.deallocate()
    }

    var name: String { self.coding.rawValue }

    func take(_ octets: ByteBuffer, _ body: (ByteBuffer) throws -> Void) throws {
        self.head.writeImmutableBuffer(octets)
        if !self.isStarted {
            guard self.head.readableBytes >= 2 else { return }
            try self.start()
        }
        var input = ByteBuffer()
        swap(&input, &self.head)
        while input.readableBytes > 0 {
            if self.isComplete {
                // Another member of gzip, or garbage.
                guard self.coding == .gzip, inflateReset(self.stream) == Z_OK else {
                    throw ContentError(.trailing, "octets after the end of the \(self.name) data")
                }
                self.isComplete = false
            }
            let (used, output, status) = self.step(input)
            input.moveReaderIndex(forwardBy: used)
            if output.readableBytes > 0 { try body(output) }
            switch status {
            case Z_STREAM_END: self.isComplete = true
            case Z_OK, Z_BUF_ERROR: if used == 0, output.readableBytes == 0 { return }
            default: throw ContentError(.malformed, "this is not \(self.name) data")
            }
        }
    }

    private func start() throws(ContentError) {
        var window: Int32 = 15 + 16
        if self.coding == .deflate {
            let first = self.head.getInteger(at: self.head.readerIndex, as: UInt16.self) ?? 0
            window = first >> 8 & 0x0F == 8 && first % 31 == 0 ? 15 : -15
        }
        guard inflateInit2_(self.stream, window, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw ContentError(.malformed, "zlib could not start")
        }
        self.isStarted = true
    }

    private func step(_ input: ByteBuffer) -> (used: Int, output: ByteBuffer, status: Int32) {
        var output = ByteBuffer()
        var used = 0
        var status: Int32 = Z_OK
        output.writeWithUnsafeMutableBytes(minimumWritableBytes: BoundedSink.step) { space in
            input.withUnsafeReadableBytes { bytes in
                let length = min(bytes.count, 1 << 30)
                let room = min(space.count, 1 << 30)
                self.stream.pointee.next_in = UnsafeMutablePointer(
                    mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
                self.stream.pointee.avail_in = UInt32(length)
                self.stream.pointee.next_out = space.baseAddress?.assumingMemoryBound(to: UInt8.self)
                self.stream.pointee.avail_out = UInt32(room)
                status = CZlib.inflate(self.stream, Z_NO_FLUSH)
                used = length - Int(self.stream.pointee.avail_in)
                return room - Int(self.stream.pointee.avail_out)
            }
        }
        return (used, output, status)
    }
}

private final class BrotliStep: DecodingStep {
    private let state: OpaquePointer
    private(set) var isComplete = false
    let name = "br"

    init() throws(ContentError) {
        guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else {
            throw ContentError(.malformed, "brotli could not start")
        }
        self.state = state
    }

    deinit { BrotliDecoderDestroyInstance(self.state) }

    func take(_ octets: ByteBuffer, _ body: (ByteBuffer) throws -> Void) throws {
        var input = octets
        while input.readableBytes > 0 || BrotliDecoderHasMoreOutput(self.state) != 0 {
            if self.isComplete { throw ContentError(.trailing, "octets after the end of the br data") }
            var output = ByteBuffer()
            var used = 0
            var result = BROTLI_DECODER_RESULT_ERROR
            output.writeWithUnsafeMutableBytes(minimumWritableBytes: BoundedSink.step) { space in
                input.withUnsafeReadableBytes { bytes in
                    var left = bytes.count
                    var next = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    var room = space.count
                    var out = space.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    result = BrotliDecoderDecompressStream(self.state, &left, &next, &room, &out, nil)
                    used = bytes.count - left
                    return space.count - room
                }
            }
            input.moveReaderIndex(forwardBy: used)
            if output.readableBytes > 0 { try body(output) }
            switch result {
            case BROTLI_DECODER_RESULT_SUCCESS: self.isComplete = true
            case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: break
            case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: return
            default: throw ContentError(.malformed, "this is not br data")
            }
        }
    }
}

private final class ZstdStep: DecodingStep {
    private let context: OpaquePointer
    private(set) var isComplete = false
    let name = "zstd"

    init() throws(ContentError) {
        guard let context = ZSTD_createDCtx() else { throw ContentError(.malformed, "zstd could not start") }
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, ZstdCodec.windowLogLimit)
        self.context = context
    }

    deinit { ZSTD_freeDCtx(self.context) }

    func take(_ octets: ByteBuffer, _ body: (ByteBuffer) throws -> Void) throws {
        var input = octets
        var isFull = false
        while input.readableBytes > 0 || isFull {
            var output = ByteBuffer()
            var used = 0
            var hint = 0
            output.writeWithUnsafeMutableBytes(minimumWritableBytes: BoundedSink.step) { space in
                input.withUnsafeReadableBytes { bytes in
                    var source = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
                    var target = ZSTD_outBuffer(dst: space.baseAddress, size: space.count, pos: 0)
                    hint = ZSTD_decompressStream(self.context, &target, &source)
                    used = source.pos
                    isFull = target.pos == target.size
                    return target.pos
                }
            }
            guard ZSTD_isError(hint) == 0 else {
                throw ContentError(.malformed, "this is not zstd data, or it needs too large a window")
            }
            input.moveReaderIndex(forwardBy: used)
            self.isComplete = hint == 0
            if output.readableBytes > 0 { try body(output) }
            if used == 0, output.readableBytes == 0 { return }
        }
    }
}
