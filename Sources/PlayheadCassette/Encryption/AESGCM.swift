import COpenSSL
import NIOCore

/// AES-256-GCM (NIST SP 800-38D) through OpenSSL, one message at a time.
final class AESGCM {
    static let nonceLength = 12
    static let tagLength = 16

    private let context: OpaquePointer?
    private let key: [UInt8]

    init(key: [UInt8]) {
        self.context = EVP_CIPHER_CTX_new()
        self.key = key
    }

    deinit { EVP_CIPHER_CTX_free(self.context) }

    /// Appends the coded octets and their tag.
    func seal(_ plain: UnsafeRawBufferPointer, nonce: [UInt8], covering: [UInt8], into out: inout ByteBuffer) {
        self.start(encrypting: true, nonce: nonce, covering: covering)
        self.update(plain, into: &out)
        var count: Int32 = 0
        var tag = [UInt8](repeating: 0, count: Self.tagLength)
        EVP_CipherFinal_ex(self.context, &tag, &count)
        EVP_CIPHER_CTX_ctrl(self.context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagLength), &tag)
        out.writeBytes(tag)
    }

    /// Appends the octets that were sealed; false, and nothing appended, if they were changed.
    func open(_ sealed: UnsafeRawBufferPointer, nonce: [UInt8], covering: [UInt8], into out: inout ByteBuffer) -> Bool {
        let length = sealed.count - Self.tagLength
        guard length >= 0 else { return false }
        let start = out.writerIndex
        self.start(encrypting: false, nonce: nonce, covering: covering)
        self.update(UnsafeRawBufferPointer(rebasing: sealed[..<length]), into: &out)
        var tag = Array(sealed[length...])
        EVP_CIPHER_CTX_ctrl(self.context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagLength), &tag)
        var count: Int32 = 0
        var nothing = [UInt8](repeating: 0, count: Self.tagLength)
        guard EVP_CipherFinal_ex(self.context, &nothing, &count) == 1 else {
            out.moveWriterIndex(to: start)
            return false
        }
        return true
    }

    private func start(encrypting: Bool, nonce: [UInt8], covering: [UInt8]) {
        EVP_CipherInit_ex(self.context, EVP_aes_256_gcm(), nil, self.key, nonce, encrypting ? 1 : 0)
        var count: Int32 = 0
        EVP_CipherUpdate(self.context, nil, &count, covering, Int32(covering.count))
    }

    private func update(_ bytes: UnsafeRawBufferPointer, into out: inout ByteBuffer) {
        var offset = 0
        while offset < bytes.count {
            // OpenSSL takes a length that fits in 32 bits.
            let piece = UnsafeRawBufferPointer(rebasing: bytes[offset..<min(bytes.count, offset + 1 << 26)])
            out.writeWithUnsafeMutableBytes(minimumWritableBytes: piece.count) { space in
                var count: Int32 = 0
                EVP_CipherUpdate(
                    self.context, space.baseAddress?.assumingMemoryBound(to: UInt8.self), &count,
                    piece.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(piece.count))
                return Int(count)
            }
            offset += piece.count
        }
    }

    /// Octets that nobody can guess.
    static func random(_ count: Int) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: count)
        precondition(RAND_bytes(&octets, Int32(count)) == 1, "the system has randomness")
        return octets
    }
}
