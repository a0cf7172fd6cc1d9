internal import COpenSSL
internal import PlayheadTLS

/// The local certificate authority: a root certificate and its key, which never leaves this object in readable form
/// except into its own file.
public final class CertificateAuthority: Sendable {
    let certificate: Certificate
    let key: PrivateKey

    /// What a leaf's server sends after the leaf: nothing under a root, the issuers under an intermediate.
    let chain: [Certificate]

    init(certificate: Certificate, issuers: [Certificate], key: PrivateKey) throws {
        ERR_clear_error()
        guard X509_check_private_key(certificate.pointer, key.pointer) == 1 else {
            ERR_clear_error()
            throw CAError(
                code: .mismatch,
                message: "the key does not belong to the CA certificate “\(certificate.subject)”: give the pair")
        }
        self.certificate = certificate
        self.key = key
        self.chain = ([certificate] + issuers).filter { !$0.isSelfIssued }
    }

    /// The certificate as PEM text, without any key.
    public var certificatePEM: String { certificate.pem }

    /// The common name, or the whole subject when there is none.
    public var commonName: String { certificate.commonName ?? certificate.subject }

    /// SHA-256 of the certificate as upper-case hexadecimal octets with colons.
    public var fingerprintSHA256: String { hexadecimal(certificate.sha256, separator: ":", uppercase: true) }

    /// Seconds since 1970 from which the certificate is valid.
    public var notBefore: Int64 { certificate.notBefore }

    /// Seconds since 1970 until which the certificate is valid.
    public var notAfter: Int64 { certificate.notAfter }

    /// The file name in a hashed directory of OpenSSL 1.0 and later, for instance `abcd1234.0`.
    public var subjectHashFileName: String { CertificateAuthority.hashed(X509_subject_name_hash(certificate.pointer)) }

    /// The file name in a hashed directory of OpenSSL before 1.0, which Android uses.
    public var subjectHashOldFileName: String {
        CertificateAuthority.hashed(X509_subject_name_hash_old(certificate.pointer))
    }

    private static func hashed(_ hash: UInt) -> String {
        let digits = String(hash & 0xFFFF_FFFF, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits + ".0"
    }

    /// Makes a CA whose key exists in memory only.
    ///
    /// - Parameters:
    ///   - userAtHost: who made it where; becomes part of the name that trust stores show.
    ///   - now: seconds since 1970.
    public static func ephemeral(userAtHost: String, now: Int64) throws -> CertificateAuthority {
        try create(userAtHost: userAtHost, now: now, days: 365)
    }

    /// The lifetime of a CA that is kept on disk.
    static let persistentDays: Int64 = 3650
    /// How long before its making a CA is valid: longer than any leaf's own backdating.
    static let backdating: Int64 = 3 * 86_400

    /// Makes a root certificate and its key.
    static func create(userAtHost: String, now: Int64, days: Int64) throws -> CertificateAuthority {
        let key = try PrivateKey.generateP256()
        let builder = try CertificateBuilder()
        try builder.setPublicKey(key)
        _ = try builder.setRandomSerial()
        try builder.setValidity(from: now - backdating, to: now - backdating + days * 86_400)
        let digest = builder.publicKeyDigest
        try builder.addToSubject("O", "Playhead")
        try builder.addToSubject("CN", name(userAtHost: userAtHost, keyDigest: digest))
        try builder.setIssuer(X509_get_subject_name(builder.pointer))
        try builder.addAuthorityConstraints()
        try builder.addKeyUsage([KeyUsageBit.keyCertSign, KeyUsageBit.crlSign])
        try builder.addSubjectKeyIdentifier(digest)
        return try CertificateAuthority(certificate: builder.signed(by: key), issuers: [], key: key)
    }

    /// The common name: at most 64 characters (RFC 5280 ub-common-name), unique by the start of the key's digest.
    static func name(userAtHost: String, keyDigest: [UInt8]) -> String {
        let safe = userAtHost.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.prefix(34)
        var owner = String.UnicodeScalarView()
        owner.append(contentsOf: safe)
        return "Playhead local CA (\(String(owner))) \(hexadecimal(keyDigest.prefix(4)))"
    }
}

/// Bit numbers of the key usage extension (RFC 5280 section 4.2.1.3).
enum KeyUsageBit {
    static let digitalSignature: Int32 = 0
    static let keyCertSign: Int32 = 5
    static let crlSign: Int32 = 6
}
