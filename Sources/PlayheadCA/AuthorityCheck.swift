internal import COpenSSL
internal import PlayheadTLS

/// Whether a certificate and key can serve as a CA whose leaves strict clients accept.
enum AuthorityCheck {
    /// The least RSA key, as every client asks for.
    private static let leastRSABits: Int32 = 2048

    static func check(_ certificate: Certificate, _ key: PrivateKey, file: String) throws {
        func refuse(_ why: String) -> CAError {
            CAError(
                code: .invalid, message: "the certificate “\(certificate.subject)” in \(file) cannot be our CA: \(why)")
        }
        let flags = X509_get_extension_flags(certificate.pointer)
        guard flags & UInt32(EXFLAG_INVALID) == 0 else { throw refuse("its extensions cannot be read") }
        guard flags & UInt32(EXFLAG_CA) != 0 else { throw refuse("it lacks basicConstraints CA:TRUE") }
        // Without the extension OpenSSL answers with all bits set, which is what its absence means.
        guard X509_get_key_usage(certificate.pointer) & UInt32(KU_KEY_CERT_SIGN) != 0 else {
            throw refuse("its keyUsage does not allow keyCertSign")
        }
        switch EVP_PKEY_get_id(key.pointer) {
        case EVP_PKEY_EC: break
        case EVP_PKEY_RSA:
            guard EVP_PKEY_get_bits(key.pointer) >= leastRSABits else {
                throw refuse("its RSA key has fewer than \(leastRSABits) bits")
            }
        default: throw refuse("its key is neither EC nor RSA")
        }
    }
}
