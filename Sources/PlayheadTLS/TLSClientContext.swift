internal import COpenSSL
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The policy under which connections are made: roots, verification and protocols.
///
/// Revocation, must-staple and certificate transparency are not checked. Sessions are not resumed, so every
/// connection verifies its peer anew.
public final class TLSClientContext: Sendable {
    let handle: TLSContextHandle

    /// Whether the peer's certificate and name are verified.
    public let verifiesPeer: Bool

    /// The system's roots still to be read; reading some 140 certificates takes milliseconds, so it waits for use.
    private let pendingBundle: Mutex<PendingBundle>

    private enum PendingBundle {
        case none
        case file(String)
        case opensslDefaults
    }

    /// Where systems keep all their roots in one file; the first that exists is read.
    package static let systemBundles = [
        "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Alpine, Arch
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, RHEL
        "/etc/pki/tls/certs/ca-bundle.crt",  // older RHEL
        "/etc/ssl/ca-bundle.pem",  // SUSE
        "/etc/ssl/cert.pem",  // macOS, Alpine, BSD
    ]

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - extraRoots: PEM files whose certificates are trusted too; a single server's certificate may stand there.
    ///   - useSystemRoots: whether the system's roots are trusted.
    ///   - verifiesPeer: false accepts any certificate.
    ///   - alpn: the protocols to offer, most wanted first.
    ///   - systemBundle: the file of the system's roots; nil looks at the known places.
    public init(
        extraRoots: [String], useSystemRoots: Bool = true, verifiesPeer: Bool = true, alpn: [String],
        systemBundle: String? = nil
    ) throws {
        self.handle = try TLSContextHandle(isServer: false)
        self.verifiesPeer = verifiesPeer
        let bundle: PendingBundle
        switch (useSystemRoots && verifiesPeer, systemBundle) {
        case (false, _): bundle = .none
        case (true, .some(let path)):
            guard access(path, R_OK) == 0 else {
                throw TLSError(
                    code: .configuration, message: "the file of system roots, \(path), cannot be read")
            }
            bundle = .file(path)
        case (true, .none):
            if let path = TLSClientContext.systemBundles.first(where: { access($0, R_OK) == 0 }) {
                bundle = .file(path)
            } else {
                bundle = .opensslDefaults
            }
        }
        self.pendingBundle = Mutex(bundle)

        for path in extraRoots { try load(roots: path, into: handle.pointer) }
        let context = handle.pointer
        let wire = try TLSContextHandle.wireForm(alpn: alpn)
        // This one function of OpenSSL answers 0 for success.
        guard wire.isEmpty || SSL_CTX_set_alpn_protos(context, wire, UInt32(wire.count)) == 0 else {
            throw TLSContextHandle.refused("the ALPN protocols")
        }
        // Asked when the server wants a certificate and none is set; 0 goes on without one.
        SSL_CTX_set_client_cert_cb(
            context,
            { ssl, _, _ in
                TLSConnection.of(ssl)?.lacksCertificate = true
                return 0
            })
        SSL_CTX_set_verify(
            context, verifiesPeer ? SSL_VERIFY_PEER : SSL_VERIFY_NONE,
            verifiesPeer ? { ok, store in TLSConnection.noteVerification(ok, store) } : nil)
    }

    /// Reads the system's roots if that has not happened yet; takes some milliseconds, and waits while another thread
    /// does it.
    ///
    /// - Throws: ``TLSError`` when the file cannot be read; the next call tries again.
    public func prepare() throws {
        try pendingBundle.withLock { pending in
            switch pending {
            case .none: return
            case .file(let path): try load(roots: path, into: handle.pointer)
            case .opensslDefaults: SSL_CTX_set_default_verify_paths(handle.pointer)
            }
            pending = .none
        }
    }
}

/// Adds the certificates of a PEM file to the roots of a context; the store has a lock of its own (X509_STORE(3)).
private func load(roots path: String, into context: OpaquePointer) throws {
    ERR_clear_error()
    guard X509_STORE_load_file(SSL_CTX_get_cert_store(context), path) == 1 else {
        let reason = OpenSSLErrorStack.drain().summary
        throw TLSError(
            code: .configuration, message: "the trusted certificates in \(path) cannot be read: \(reason)")
    }
    ERR_clear_error()
}
