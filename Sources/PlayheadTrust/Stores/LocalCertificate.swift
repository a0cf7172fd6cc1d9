/// Our CA certificate, as the stores need it.
public struct LocalCertificate: Sendable, Equatable {
    /// The absolute path of the PEM file.
    public let path: String
    /// The subject's common name, `Playhead local CA (user@host) …`.
    public let name: String
    /// The SHA-256 digest of the DER octets, 64 lower-case hex digits.
    public let fingerprint: String
    /// The subject's hash as OpenSSL made it before 1.0, eight hex digits; Android names its files so.
    public let oldSubjectHash: String?
    /// The certificate itself.
    public let certificate: PEMCertificate

    /// Describes a certificate that is on disk.
    public init(
        path: String, pem: String, name: String, fingerprint: String, oldSubjectHash: String? = nil
    ) throws(TrustError) {
        guard path.hasPrefix("/") else {
            throw TrustError(.badInput, "\(path) is not an absolute path; the stores' commands need one")
        }
        guard let certificate = PEMCertificate.all(in: pem).first else {
            throw TrustError(.badInput, "\(path) holds no certificate; create it again with `playhead cert rotate`")
        }
        let digits = fingerprint.lowercased().filter { $0 != ":" }
        guard digits.utf8.count == 64, digits.allSatisfy(\.isHexDigit) else {
            throw TrustError(.badInput, "the fingerprint of \(path) is not a SHA-256 digest in hex digits")
        }
        self.path = path
        self.name = name
        self.fingerprint = digits
        self.certificate = certificate
        self.oldSubjectHash = oldSubjectHash
    }

    /// The name of our file in a store's folder, without the suffix.
    ///
    /// It tells our certificates from foreign ones and one CA of ours from another.
    public var storeName: String { "playhead-" + fingerprint.prefix(16) }
}
