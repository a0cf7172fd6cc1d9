import CZlib

/// The CRC-32 of zlib and gzip (RFC 1952 section 8), to find torn or damaged records.
public enum Checksum {
    /// The checksum of `bytes`.
    public static func crc32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var value: UInt = 0
        var rest = bytes
        while !rest.isEmpty {
            let piece = min(rest.count, 1 << 30)
            value = CZlib.crc32(value, rest.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(piece))
            rest = UnsafeRawBufferPointer(rebasing: rest[piece...])
        }
        return UInt32(truncatingIfNeeded: value)
    }
}
