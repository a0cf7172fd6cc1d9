internal import COpenSSL

/// A certificate with its chain and private key, as a server shows it.
///
/// Immutable and shared by reference: handing it to a connection costs three reference counts.
public final class TLSIdentity: Sendable {
    /// The leaf certificate.
    package let certificate: Certificate

    /// The certificates to send after the leaf, nearest issuer first, without the root.
    package let chain: [Certificate]

    /// The key of the leaf certificate.
    package let key: PrivateKey

    /// The chain as the `STACK_OF(X509) *` that OpenSSL wants, nil when there is none to send.
    private let stack: CertificateStack?

    /// Joins a certificate and its key.
    package init(certificate: Certificate, chain: [Certificate], key: PrivateKey) throws {
        self.certificate = certificate
        self.chain = chain
        self.key = key
        self.stack = chain.isEmpty ? nil : try CertificateStack(chain)
    }

    /// Reads an identity from PEM texts: the leaf first, then its issuers; and its unencrypted key.
    public convenience init(certificatesPEM: String, keyPEM: String) throws {
        let certificates = try Certificate.parse(pem: Array(certificatesPEM.utf8))
        guard let leaf = certificates.first else {
            throw TLSError(code: .configuration, message: "the text holds no PEM certificate")
        }
        let key = try PrivateKey.parse(pem: Array(keyPEM.utf8))
        ERR_clear_error()
        guard X509_check_private_key(leaf.pointer, key.pointer) == 1 else {
            ERR_clear_error()
            throw TLSError(code: .configuration, message: "the private key does not belong to \(leaf.subject)")
        }
        try self.init(certificate: leaf, chain: Array(certificates.dropFirst()), key: key)
    }

    /// Installs the identity on a connection, as the certificate callback wants it: 1 for success.
    func install(on ssl: OpaquePointer) -> Int32 {
        SSL_use_cert_and_key(ssl, certificate.pointer, key.pointer, stack?.pointer, 1)
    }
}

/// Owns a `STACK_OF(X509)`; immutable after `init`, hence safe to read from any thread (openssl-threads(7)).
private final class CertificateStack: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ certificates: [Certificate]) throws {
        guard let pointer = playhead_x509_stack_new() else {
            throw TLSError(code: .configuration, message: "no memory for a certificate chain")
        }
        self.pointer = pointer
        for certificate in certificates where playhead_x509_stack_push_up_ref(pointer, certificate.pointer) != 1 {
            throw TLSError(code: .configuration, message: "no memory for a certificate chain")
        }
    }

    deinit { playhead_x509_stack_free(pointer) }
}
