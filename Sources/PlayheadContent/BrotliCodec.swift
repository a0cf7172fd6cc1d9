import CBrotli
import NIOCore

/// Brotli through the reference library.
enum BrotliCodec {
    /// Fast enough for replay, and near the size that servers send.
    private static let quality: Int32 = 5

    static func decode(_ input: ByteBuffer, into sink: inout BoundedSink) throws(ContentError) {
        guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else {
            throw ContentError(.malformed, "brotli could not start")
        }
        defer { BrotliDecoderDestroyInstance(state) }
        let outcome = input.withUnsafeReadableBytes { bytes -> Result<Void, ContentError> in
            do throws(ContentError) {
                try self.run(state, over: bytes, into: &sink)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
    }

    private static func run(
        _ state: OpaquePointer, over bytes: UnsafeRawBufferPointer, into sink: inout BoundedSink
    ) throws(ContentError) {
        var left = bytes.count
        var next = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        while true {
            var result = BROTLI_DECODER_RESULT_ERROR
            try sink.fill { space in
                var room = space.count
                var out = space.baseAddress?.assumingMemoryBound(to: UInt8.self)
                result = BrotliDecoderDecompressStream(state, &left, &next, &room, &out, nil)
                return space.count - room
            }
            switch result {
            case BROTLI_DECODER_RESULT_SUCCESS:
                if left == 0 { return }
                throw ContentError(.trailing, "octets after the end of the br data", offset: bytes.count - left)
            case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: continue
            case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT:
                throw ContentError(.truncated, "the br data is cut off", offset: bytes.count)
            default:
                throw ContentError(.malformed, "this is not br data", offset: bytes.count - left)
            }
        }
    }

    static func encode(_ input: ByteBuffer) throws(ContentError) -> ByteBuffer {
        let bound = BrotliEncoderMaxCompressedSize(input.readableBytes)
        guard bound > 0 else { throw ContentError(.cannotEncode, "the body is too large for br") }
        var output = ByteBuffer()
        var done = false
        output.writeWithUnsafeMutableBytes(minimumWritableBytes: bound) { space in
            var size = space.count
            done = input.withUnsafeReadableBytes { bytes in
                BrotliEncoderCompress(
                    self.quality, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_GENERIC, bytes.count,
                    bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), &size,
                    space.baseAddress?.assumingMemoryBound(to: UInt8.self)) != 0
            }
            return done ? size : 0
        }
        guard done else { throw ContentError(.cannotEncode, "brotli could not compress the body") }
        return output
    }
}
