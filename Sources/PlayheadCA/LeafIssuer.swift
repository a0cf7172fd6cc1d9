internal import COpenSSL
internal import PlayheadTLS

/// Makes leaf certificates: one P-256 key for all leaves of an authority, one certificate per name.
struct LeafIssuer: Sendable {
    /// The span of a leaf, as short as clients of 2026 and later may ask for.
    static let lifetime: Int64 = 30 * 86_400
    /// The least backdating, for clients whose clock is behind.
    static let leastBackdating: Int64 = 24 * 3600
    /// The longest common name (RFC 5280 ub-common-name).
    static let longestCommonName = 64

    let authority: CertificateAuthority
    private let key: PrivateKey
    private let authorityKeyIdentifier: [UInt8]

    init(authority: CertificateAuthority) throws {
        self.authority = authority
        self.key = try PrivateKey.generateP256()
        self.authorityKeyIdentifier = authority.certificate.keyIdentifier
    }

    /// A leaf with the span in which it may be used.
    struct Leaf: Sendable {
        let identity: TLSIdentity
        let notBefore: Int64
        let notAfter: Int64
    }

    /// Makes a leaf for exactly one name.
    func mint(_ name: LeafName, now: Int64) throws -> Leaf {
        let root = (notBefore: authority.notBefore, notAfter: authority.notAfter)
        guard now < root.notAfter, now >= root.notBefore else {
            throw CAError(
                code: .expired,
                message: "the CA “\(authority.commonName)” is not valid now, so nothing it signs would be trusted: "
                    + "check the clock, or make a new CA and trust it")
        }
        let builder = try CertificateBuilder()
        // 24 to 48 hours back; the serial is the randomness, so that leaves do not all change at one moment.
        let random = try builder.setRandomSerial()
        let backdating = LeafIssuer.leastBackdating + Int64(random % UInt64(LeafIssuer.leastBackdating))
        let notBefore = max(now - backdating, root.notBefore)
        let notAfter = min(notBefore + LeafIssuer.lifetime, root.notAfter)
        try builder.setValidity(from: notBefore, to: notAfter)
        try builder.setPublicKey(key)
        try builder.setIssuer(X509_get_subject_name(authority.certificate.pointer))
        let hasCommonName = name.text.utf8.count <= LeafIssuer.longestCommonName
        if hasCommonName { try builder.addToSubject("CN", name.text) }
        try builder.addKeyUsage([KeyUsageBit.digitalSignature])
        try builder.addServerAuthentication()
        try builder.addSubjectKeyIdentifier(builder.publicKeyDigest)
        try builder.addAuthorityKeyIdentifier(authorityKeyIdentifier)
        try builder.addSubjectAlternativeName(name, critical: !hasCommonName)
        let certificate = try builder.signed(by: authority.key)
        let identity = try TLSIdentity(certificate: certificate, chain: authority.chain, key: key)
        return Leaf(identity: identity, notBefore: notBefore, notAfter: notAfter)
    }
}
