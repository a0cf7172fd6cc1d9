internal import COpenSSL

/// The work that OpenSSL does at its first use, done before it is asked for.
///
/// OpenSSL 3 loads its providers, looks every algorithm up and seeds its random numbers at the first call that needs
/// them: some milliseconds, which a caller can have done on another core while it reads its settings.
public enum OpenSSLStart {
    /// Keeps OpenSSL from tearing itself down when the process ends.
    ///
    /// A process may end while another thread is inside OpenSSL; the kernel takes the memory back anyway. Must come
    /// before every other call to OpenSSL (OPENSSL_init_crypto(3), `OPENSSL_INIT_NO_ATEXIT`).
    public static func prepare() {
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }

    /// Uses once what every proxy uses: a TLS context, whose algorithms serve both roles, random numbers, a decoder of
    /// keys.
    ///
    /// What fails here fails again, with an error, where it is needed.
    public static func warmUp() {
        _ = try? TLSContextHandle(isServer: true)
        _ = try? PrivateKey.generateP256()
        _ = Self.decodeKey()
        ERR_clear_error()
    }

    /// Decodes ``generatorKey``, as every certificate's key is decoded; false when it was refused.
    static func decodeKey() -> Bool {
        Self.generatorKey.withUnsafeBufferPointer { octets in
            var next = octets.baseAddress
            guard let key = d2i_PUBKEY(nil, &next, octets.count) else { return false }
            EVP_PKEY_free(key)
            return true
        }
    }

    /// The generator of P-256 as a SubjectPublicKeyInfo (RFC 5480 section 2; SEC 2 section 2.4.2): a key that is
    /// always valid and that nobody uses.
    static let generatorKey: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
        0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4, 0x40, 0xF2, 0x77, 0x03,
        0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8, 0x98, 0xC2, 0x96,
        0x4F, 0xE3, 0x42, 0xE2, 0xFE, 0x1A, 0x7F, 0x9B, 0x8E, 0xE7, 0xEB, 0x4A, 0x7C, 0x0F, 0x9E, 0x16, 0x2B, 0xCE,
        0x33, 0x57, 0x6B, 0x31, 0x5E, 0xCE, 0xCB, 0xB6, 0x40, 0x68, 0x37, 0xBF, 0x51, 0xF5,
    ]
}
