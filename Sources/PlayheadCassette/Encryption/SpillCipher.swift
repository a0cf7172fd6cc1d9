import COpenSSL
public import NIOCore

/// Keeps a temporary file unreadable for everybody else: AES-256-CTR with a random key that is never written anywhere.
///
/// What spills was not redacted yet, so no octet of it may reach a disk in clear. There is no tag, since nobody else can
/// open the file.
public final class SpillCipher {
    private let context: OpaquePointer?
    private let key: [UInt8]

    /// Makes a cipher with a new random key.
    public convenience init() { self.init(key: AESGCM.random(32)) }

    private init(key: [UInt8]) {
        self.key = key
        self.context = EVP_CIPHER_CTX_new()
        EVP_EncryptInit_ex(self.context, EVP_aes_256_ctr(), nil, key, [UInt8](repeating: 0, count: 16))
    }

    deinit { EVP_CIPHER_CTX_free(self.context) }

    /// A cipher that begins at the file's first octet again.
    public func fromStart() -> SpillCipher { SpillCipher(key: self.key) }

    /// The next octets, coded or in clear: both ways are the same.
    public func apply(_ octets: ByteBuffer) -> ByteBuffer {
        var out = ByteBuffer()
        guard octets.readableBytes > 0 else { return out }
        octets.withUnsafeReadableBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let piece = UnsafeRawBufferPointer(rebasing: bytes[offset..<min(bytes.count, offset + 1 << 20)])
                out.writeWithUnsafeMutableBytes(minimumWritableBytes: piece.count) { space in
                    var count: Int32 = 0
                    EVP_EncryptUpdate(
                        self.context, space.baseAddress?.assumingMemoryBound(to: UInt8.self), &count,
                        piece.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(piece.count))
                    return Int(count)
                }
                offset += piece.count
            }
        }
        return out
    }
}
