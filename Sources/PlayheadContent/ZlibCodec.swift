import CZlib
import NIOCore

/// Gzip and deflate through zlib.
enum ZlibCodec {
    private static let zlibWindow: Int32 = 15
    private static let gzipWindow: Int32 = 15 + 16
    private static let rawWindow: Int32 = -15

    /// Inflates one or more gzip members (RFC 1952 section 2.2).
    static func inflateGzip(_ input: ByteBuffer, into sink: inout BoundedSink) throws(ContentError) {
        try self.inflate(input, window: self.gzipWindow, severalMembers: true, into: &sink)
    }

    /// Inflates zlib data, else raw deflate data.
    static func inflateDeflate(_ input: ByteBuffer, into sink: inout BoundedSink) throws(ContentError) {
        do {
            try self.inflate(input, window: self.zlibWindow, severalMembers: false, into: &sink)
        } catch let error where error.code == .malformed {
            sink.clear()
            do {
                try self.inflate(input, window: self.rawWindow, severalMembers: false, into: &sink)
            } catch let second {
                // Neither reading holds; the first is what the RFC asks for, unless it is a bomb in the second.
                throw second.code == .tooLarge ? second : error
            }
        }
    }

    private static func inflate(
        _ input: ByteBuffer, window: Int32, severalMembers: Bool, into sink: inout BoundedSink
    ) throws(ContentError) {
        var stream = z_stream()
        guard inflateInit2_(&stream, window, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw ContentError(.malformed, "zlib could not start")
        }
        defer { inflateEnd(&stream) }
        let outcome = input.withUnsafeReadableBytes { bytes -> Result<Void, ContentError> in
            do throws(ContentError) {
                try self.run(&stream, over: bytes, severalMembers: severalMembers, into: &sink)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
    }

    private static func run(
        _ stream: inout z_stream, over bytes: UnsafeRawBufferPointer, severalMembers: Bool, into sink: inout BoundedSink
    ) throws(ContentError) {
        let name = sink.coding.rawValue
        var consumed = 0
        while true {
            // zlib counts input in 32 bits, so longer input goes in pieces.
            let piece = min(bytes.count - consumed, 1 << 30)
            stream.next_in = UnsafeMutablePointer(
                mutating: bytes.baseAddress?.advanced(by: consumed).assumingMemoryBound(to: UInt8.self))
            stream.avail_in = UInt32(piece)
            var status: Int32 = Z_OK
            try sink.fill { space in
                let room = min(space.count, 1 << 30)
                stream.next_out = space.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.avail_out = UInt32(room)
                status = CZlib.inflate(&stream, Z_NO_FLUSH)
                return room - Int(stream.avail_out)
            }
            let produced = stream.avail_out == 0
            consumed += piece - Int(stream.avail_in)
            switch status {
            case Z_STREAM_END:
                if consumed == bytes.count { return }
                guard severalMembers, bytes.count - consumed >= 2, bytes[consumed] == 0x1f, bytes[consumed + 1] == 0x8b
                else { throw ContentError(.trailing, "octets after the end of the \(name) data", offset: consumed) }
                guard inflateReset(&stream) == Z_OK else { throw ContentError(.malformed, "zlib could not restart") }
            case Z_OK:
                if consumed == bytes.count, !produced {
                    throw ContentError(.truncated, "the \(name) data is cut off", offset: consumed)
                }
            case Z_BUF_ERROR where consumed == bytes.count:
                throw ContentError(.truncated, "the \(name) data is cut off", offset: consumed)
            default:
                throw ContentError(.malformed, "this is not \(name) data", offset: consumed)
            }
        }
    }

    /// Deflates in one go: level 6, no time and no system in the gzip header, so the result depends on the input alone.
    static func deflate(_ input: ByteBuffer, gzip: Bool) throws(ContentError) -> ByteBuffer {
        var stream = z_stream()
        let window = gzip ? self.gzipWindow : self.zlibWindow
        guard
            deflateInit2_(
                &stream, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { throw ContentError(.cannotEncode, "zlib could not start") }
        defer { deflateEnd(&stream) }
        var output = ByteBuffer()
        var header = gz_header()
        header.os = 255
        let done = withUnsafeMutablePointer(to: &header) { header in
            if gzip { deflateSetHeader(&stream, header) }
            return input.withUnsafeReadableBytes { self.run(&stream, over: $0, into: &output) }
        }
        guard done else { throw ContentError(.cannotEncode, "zlib could not compress the body") }
        return output
    }

    private static func run(
        _ stream: inout z_stream, over bytes: UnsafeRawBufferPointer, into output: inout ByteBuffer
    ) -> Bool {
        var consumed = 0
        while true {
            let piece = min(bytes.count - consumed, 1 << 30)
            let isLast = consumed + piece == bytes.count
            stream.next_in = UnsafeMutablePointer(
                mutating: bytes.baseAddress?.advanced(by: consumed).assumingMemoryBound(to: UInt8.self))
            stream.avail_in = UInt32(piece)
            var status: Int32 = Z_OK
            output.writeWithUnsafeMutableBytes(minimumWritableBytes: BoundedSink.step) { space in
                let room = min(space.count, 1 << 30)
                stream.next_out = space.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.avail_out = UInt32(room)
                status = CZlib.deflate(&stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                return room - Int(stream.avail_out)
            }
            consumed += piece - Int(stream.avail_in)
            if status == Z_STREAM_END { return true }
            guard status == Z_OK || status == Z_BUF_ERROR else { return false }
        }
    }
}
