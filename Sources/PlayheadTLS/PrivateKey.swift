internal import COpenSSL

/// One reference to a private key.
///
/// Sendable because the key is never changed once it is wrapped; signing works on a context of its own and OpenSSL's
/// reference counts are atomic (openssl-threads(7), EVP_PKEY_up_ref(3)).
package final class PrivateKey: @unchecked Sendable {
    /// The `EVP_PKEY *`, valid as long as this object.
    package let pointer: OpaquePointer

    /// Takes over a reference.
    package init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { EVP_PKEY_free(pointer) }

    /// Makes a new P-256 key.
    package static func generateP256() throws -> PrivateKey {
        ERR_clear_error()
        guard let pointer = playhead_generate_p256() else {
            let reason = OpenSSLErrorStack.drain().summary
            throw TLSError(code: .configuration, message: "a P-256 key cannot be made: \(reason)")
        }
        return PrivateKey(owning: pointer)
    }

    /// Reads the first private key of a PEM text; an encrypted one is refused, nothing ever asks for a password.
    package static func parse(pem: [UInt8]) throws -> PrivateKey {
        ERR_clear_error()
        let count = Int32(clamping: pem.count)
        let pointer = pem.withUnsafeBytes { bytes -> OpaquePointer? in
            guard let bio = BIO_new_mem_buf(bytes.baseAddress, count) else { return nil }
            defer { BIO_free(bio) }
            return PEM_read_bio_PrivateKey(bio, nil, refusePassword, nil)
        }
        guard let pointer else {
            let reason = OpenSSLErrorStack.drain().summary
            throw TLSError(
                code: .configuration,
                message: "no private key can be read (it must be unencrypted PEM): \(reason)")
        }
        return PrivateKey(owning: pointer)
    }

    /// The key as unencrypted PKCS#8 PEM text.
    package var pem: String {
        withMemoryBIO { PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil) } ?? ""
    }
}
