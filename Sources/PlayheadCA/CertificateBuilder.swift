internal import COpenSSL
internal import PlayheadTLS

/// Builds one X.509 v3 certificate, field by field from objects; never from OpenSSL's configuration language, in
/// which a client's name could smuggle in more names.
struct CertificateBuilder: ~Copyable {
    let pointer: OpaquePointer

    init() throws {
        ERR_clear_error()
        guard let pointer = X509_new() else { throw CertificateBuilder.failure("the certificate") }
        // 2 is version 3.
        guard X509_set_version(pointer, 2) == 1 else {
            X509_free(pointer)
            throw CertificateBuilder.failure("the version")
        }
        self.pointer = pointer
    }

    deinit { X509_free(pointer) }

    static func failure(_ what: String) -> CAError {
        CAError(
            code: .invalid,
            message: "a certificate cannot be made (\(what)): \(OpenSSLErrorStack.drain().summary)")
    }

    /// Sets a random positive serial number of 128 bits (RFC 5280 section 4.1.2.2 allows 20 octets).
    ///
    /// - Returns: 64 of its bits, for other choices that should differ from certificate to certificate.
    func setRandomSerial() throws -> UInt64 {
        var octets = [UInt8](repeating: 0, count: 16)
        guard RAND_bytes(&octets, Int32(octets.count)) == 1,
            let number = BN_bin2bn(octets, Int32(octets.count), nil)
        else { throw CertificateBuilder.failure("the serial number") }
        defer { BN_free(number) }
        guard BN_to_ASN1_INTEGER(number, X509_get_serialNumber(pointer)) != nil else {
            throw CertificateBuilder.failure("the serial number")
        }
        return octets.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// SHA-1 of the public key's bits, the usual key identifier (RFC 5280 section 4.2.1.2 (1)).
    var publicKeyDigest: [UInt8] { digestOfPublicKey(in: pointer) }

    /// The span in which the certificate is valid, in seconds since 1970.
    func setValidity(from notBefore: Int64, to notAfter: Int64) throws {
        guard ASN1_TIME_set(X509_getm_notBefore(pointer), time_t(notBefore)) != nil,
            ASN1_TIME_set(X509_getm_notAfter(pointer), time_t(notAfter)) != nil
        else { throw CertificateBuilder.failure("the validity") }
    }

    func setPublicKey(_ key: PrivateKey) throws {
        guard X509_set_pubkey(pointer, key.pointer) == 1 else { throw CertificateBuilder.failure("the public key") }
    }

    /// Adds `field=text` to the subject; the subject stays empty when this is never called.
    func addToSubject(_ field: String, _ text: String) throws {
        let octets = Array(text.utf8)
        let name = X509_get_subject_name(pointer)
        let added = X509_NAME_add_entry_by_txt(
            name, field, MBSTRING_FLAG | 0, octets, Int32(octets.count), -1, 0)
        guard added == 1 else { throw CertificateBuilder.failure("the subject") }
    }

    func setIssuer(_ name: OpaquePointer?) throws {
        guard X509_set_issuer_name(pointer, name) == 1 else { throw CertificateBuilder.failure("the issuer") }
    }

    // MARK: Extensions

    private func add(_ nid: Int32, _ value: UnsafeMutableRawPointer, critical: Bool) throws {
        guard X509_add1_ext_i2d(pointer, nid, value, critical ? 1 : 0, 0) == 1 else {
            throw CertificateBuilder.failure("extension \(String(cString: OBJ_nid2sn(nid)))")
        }
    }

    /// CA:TRUE with a path length of 0: what we issue cannot issue.
    func addAuthorityConstraints() throws {
        guard let constraints = BASIC_CONSTRAINTS_new() else { throw CertificateBuilder.failure("basicConstraints") }
        defer { BASIC_CONSTRAINTS_free(constraints) }
        constraints.pointee.ca = 0xFF
        constraints.pointee.pathlen = ASN1_INTEGER_new()
        guard ASN1_INTEGER_set(constraints.pointee.pathlen, 0) == 1 else {
            throw CertificateBuilder.failure("basicConstraints")
        }
        try add(NID_basic_constraints, constraints, critical: true)
    }

    /// The key usage bits by their numbers in RFC 5280 section 4.2.1.3.
    func addKeyUsage(_ bits: [Int32]) throws {
        guard let usage = ASN1_BIT_STRING_new() else { throw CertificateBuilder.failure("keyUsage") }
        defer { ASN1_BIT_STRING_free(usage) }
        for bit in bits { ASN1_BIT_STRING_set_bit(usage, bit, 1) }
        try add(NID_key_usage, usage, critical: true)
    }

    func addServerAuthentication() throws {
        guard let usages = playhead_eku_new() else { throw CertificateBuilder.failure("extendedKeyUsage") }
        defer { playhead_eku_free(usages) }
        guard playhead_eku_push_nid(usages, NID_server_auth) == 1 else {
            throw CertificateBuilder.failure("extendedKeyUsage")
        }
        try add(NID_ext_key_usage, UnsafeMutableRawPointer(usages), critical: false)
    }

    func addSubjectKeyIdentifier(_ identifier: [UInt8]) throws {
        guard let value = CertificateBuilder.octetString(identifier) else {
            throw CertificateBuilder.failure("subjectKeyIdentifier")
        }
        defer { ASN1_OCTET_STRING_free(value) }
        try add(NID_subject_key_identifier, value, critical: false)
    }

    func addAuthorityKeyIdentifier(_ identifier: [UInt8]) throws {
        guard let value = AUTHORITY_KEYID_new() else {
            throw CertificateBuilder.failure("authorityKeyIdentifier")
        }
        defer { AUTHORITY_KEYID_free(value) }
        value.pointee.keyid = CertificateBuilder.octetString(identifier)
        try add(NID_authority_key_identifier, value, critical: false)
    }

    /// The one name; critical when the subject is empty (RFC 5280 section 4.2.1.6).
    func addSubjectAlternativeName(_ name: LeafName, critical: Bool) throws {
        guard let names = playhead_general_names_new() else {
            throw CertificateBuilder.failure("subjectAltName")
        }
        defer { playhead_general_names_free(names) }
        guard let entry = GENERAL_NAME_new() else { throw CertificateBuilder.failure("subjectAltName") }
        let value: UnsafeMutablePointer<ASN1_STRING>?
        let type: Int32
        switch name.kind {
        case .dns:
            type = GEN_DNS
            value = ASN1_IA5STRING_new()
            let octets = Array(name.text.utf8)
            ASN1_STRING_set(value, octets, Int32(octets.count))
        case .address(let octets):
            type = GEN_IPADD
            value = CertificateBuilder.octetString(octets)
        }
        GENERAL_NAME_set0_value(entry, type, value)
        guard value != nil, playhead_general_names_push(names, entry) == 1 else {
            GENERAL_NAME_free(entry)
            throw CertificateBuilder.failure("subjectAltName")
        }
        try add(NID_subject_alt_name, UnsafeMutableRawPointer(names), critical: critical)
    }

    private static func octetString(_ octets: [UInt8]) -> UnsafeMutablePointer<ASN1_OCTET_STRING>? {
        guard let value = ASN1_OCTET_STRING_new() else { return nil }
        guard ASN1_OCTET_STRING_set(value, octets, Int32(octets.count)) == 1 else {
            ASN1_OCTET_STRING_free(value)
            return nil
        }
        return value
    }

    /// Signs with SHA-256 and gives the certificate away, read anew from its encoding.
    ///
    /// A certificate that was read keeps its octets; one that was built is encoded again in each handshake.
    func signed(by key: PrivateKey) throws -> Certificate {
        guard X509_sign(pointer, key.pointer, EVP_sha256()) > 0 else {
            throw CertificateBuilder.failure("the signature")
        }
        var encoding: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509(pointer, &encoding)
        defer { CRYPTO_free(encoding, nil, 0) }
        var start = UnsafePointer(encoding)
        guard count > 0, let certificate = d2i_X509(nil, &start, Int(count)) else {
            throw CertificateBuilder.failure("the encoding")
        }
        return Certificate(owning: certificate)
    }
}
