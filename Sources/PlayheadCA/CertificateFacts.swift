internal import COpenSSL
internal import PlayheadTLS

/// What the CA needs to know of a certificate.
extension Certificate {
    /// SHA-256 of the DER form.
    var sha256: [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        var count: UInt32 = 0
        X509_digest(pointer, EVP_sha256(), &digest, &count)
        return digest
    }

    /// The certificate's DER octets.
    var der: [UInt8] {
        var start: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509(pointer, &start)
        guard count > 0, let start else { return [] }
        defer { CRYPTO_free(start, nil, 0) }
        return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    /// The subject key identifier as it stands, or as RFC 5280 section 4.2.1.2 (1) makes it when there is none.
    var keyIdentifier: [UInt8] {
        if let value = X509_get0_subject_key_id(pointer) {
            return Array(
                UnsafeBufferPointer(start: ASN1_STRING_get0_data(value), count: Int(ASN1_STRING_length(value))))
        }
        return digestOfPublicKey(in: pointer)
    }

    /// Seconds since 1970 at which the certificate starts to be valid.
    var notBefore: Int64 { Certificate.seconds(X509_get0_notBefore(pointer)) }

    /// Seconds since 1970 until which the certificate is valid.
    var notAfter: Int64 { Certificate.seconds(X509_get0_notAfter(pointer)) }

    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64 {
        guard let epoch = ASN1_TIME_set(nil, 0) else { return 0 }
        defer { ASN1_STRING_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return 0 }
        return Int64(days) * 86_400 + Int64(seconds)
    }

    /// The last common name of the subject, nil when it has none.
    var commonName: String? {
        let name = X509_get_subject_name(pointer)
        let index = X509_NAME_get_index_by_NID(name, NID_commonName, -1)
        guard index >= 0, let entry = X509_NAME_get_entry(name, index) else { return nil }
        var text: UnsafeMutablePointer<UInt8>?
        let count = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry))
        guard count >= 0, let text else { return nil }
        defer { CRYPTO_free(text, nil, 0) }
        return String(decoding: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
    }

    /// Whether subject and issuer are the same name.
    var isSelfIssued: Bool {
        X509_NAME_cmp(X509_get_subject_name(pointer), X509_get_issuer_name(pointer)) == 0
    }
}

/// SHA-1 of the bits of a certificate's public key.
func digestOfPublicKey(in certificate: OpaquePointer) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
    var count: UInt32 = 0
    X509_pubkey_digest(certificate, EVP_sha1(), &digest, &count)
    return digest
}

/// Octets as hexadecimal digits.
func hexadecimal(_ octets: some Sequence<UInt8>, separator: String = "", uppercase: Bool = false) -> String {
    octets.map { octet in
        let digits = String(octet, radix: 16, uppercase: uppercase)
        return octet < 16 ? "0" + digits : digits
    }.joined(separator: separator)
}
