import NIOCore

/// The key that a client's payload is XORed with (RFC 6455 section 5.3).
struct WebSocketMask: Sendable {
    /// The key's octets, the first one in the lowest bits.
    private var key: UInt32

    /// Takes the key as a big-endian number.
    init(bigEndian key: UInt32) { self.key = key.byteSwapped }

    /// The octets with the key on, or off again, in a buffer of their own; the next call goes on where this one ended.
    mutating func apply(to octets: ByteBuffer) -> ByteBuffer {
        var result = ByteBuffer()
        let count = octets.readableBytes
        let wide = UInt64(self.key) << 32 | UInt64(self.key)
        result.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { target in
            octets.withUnsafeReadableBytes { source in
                var index = 0
                while index + 8 <= count {
                    let word = UInt64(littleEndian: source.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                    target.storeBytes(of: (word ^ wide).littleEndian, toByteOffset: index, as: UInt64.self)
                    index += 8
                }
                while index < count {
                    target[index] = source[index] ^ UInt8(truncatingIfNeeded: wide >> UInt64((index & 7) * 8))
                    index += 1
                }
            }
            return count
        }
        let shift = UInt32(count & 3) * 8
        if shift > 0 { self.key = self.key >> shift | self.key << (32 - shift) }
        return result
    }
}
