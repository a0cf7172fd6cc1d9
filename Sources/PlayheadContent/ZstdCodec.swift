import CZstd
import NIOCore

/// Zstandard through the reference library.
enum ZstdCodec {
    /// The largest window of the `zstd` content coding: 8 MiB (RFC 9659 section 3).
    static let windowLogLimit: Int32 = 23
    private static let level: Int32 = 3

    static func decode(_ input: ByteBuffer, into sink: inout BoundedSink) throws(ContentError) {
        guard let context = ZSTD_createDCtx() else { throw ContentError(.malformed, "zstd could not start") }
        defer { ZSTD_freeDCtx(context) }
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, self.windowLogLimit)
        let outcome = input.withUnsafeReadableBytes { bytes -> Result<Void, ContentError> in
            do throws(ContentError) {
                try self.run(context, over: bytes, into: &sink)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
    }

    private static func run(
        _ context: OpaquePointer, over bytes: UnsafeRawBufferPointer, into sink: inout BoundedSink
    ) throws(ContentError) {
        var source = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
        while true {
            var hint = 0
            var isFull = false
            try sink.fill { space in
                var target = ZSTD_outBuffer(dst: space.baseAddress, size: space.count, pos: 0)
                hint = ZSTD_decompressStream(context, &target, &source)
                isFull = target.pos == target.size
                return target.pos
            }
            if ZSTD_isError(hint) != 0 {
                // A frame that decoded leaves the context ready for the next (RFC 8878 section 3.1); else it is garbage.
                throw ContentError(
                    .malformed, "this is not zstd data, or it needs too large a window", offset: source.pos)
            }
            if hint == 0, source.pos == source.size { return }
            if source.pos == source.size, !isFull {
                throw ContentError(.truncated, "the zstd data is cut off", offset: source.pos)
            }
        }
    }

    static func encode(_ input: ByteBuffer) throws(ContentError) -> ByteBuffer {
        var output = ByteBuffer()
        var failed = false
        output.writeWithUnsafeMutableBytes(minimumWritableBytes: ZSTD_compressBound(input.readableBytes)) { space in
            let size = input.withUnsafeReadableBytes {
                ZSTD_compress(space.baseAddress, space.count, $0.baseAddress, $0.count, self.level)
            }
            failed = ZSTD_isError(size) != 0
            return failed ? 0 : size
        }
        guard !failed else { throw ContentError(.cannotEncode, "zstd could not compress the body") }
        return output
    }
}
