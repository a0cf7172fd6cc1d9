import COpenSSL
public import NIOCore

/// SHA-256 piece by piece, through OpenSSL.
public final class SHA256Digest {
    private let context: OpaquePointer?

    /// Starts a digest.
    public init() {
        self.context = EVP_MD_CTX_new()
        EVP_DigestInit_ex(self.context, EVP_sha256(), nil)
    }

    deinit { EVP_MD_CTX_free(self.context) }

    /// The digest of octets in memory, as 64 lower-case hexadecimal digits.
    public static func text(of octets: ByteBuffer) -> String {
        let digest = SHA256Digest()
        octets.withUnsafeReadableBytes { digest.update($0) }
        return digest.finish()
    }

    /// Adds octets.
    public func update(_ bytes: UnsafeRawBufferPointer) {
        EVP_DigestUpdate(self.context, bytes.baseAddress, bytes.count)
    }

    /// The digest as 64 lower-case hexadecimal digits; call it once.
    public func finish() -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_DigestFinal_ex(self.context, &digest, nil)
        return hexadecimal(digest)
    }
}

/// Lower-case hexadecimal digits.
func hexadecimal(_ octets: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: octets.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
