/// The root certificates that programs on this machine trust by default.
public struct SystemRoots: Sendable {
    /// Where the systems keep their bundle, most common first (the list of Go's `crypto/x509`).
    public static let bundlePaths = [
        "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Gentoo, Arch
        "/etc/pki/tls/certs/ca-bundle.crt",  // Fedora, RHEL 6
        "/etc/ssl/ca-bundle.pem",  // SUSE
        "/etc/pki/tls/cacert.pem",  // OpenELEC
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // RHEL 7
        "/etc/ssl/cert.pem",  // Alpine, macOS, OpenBSD
        "/usr/local/etc/ssl/cert.pem",  // FreeBSD
    ]

    /// The variables that replace a program's roots; a file the user named there is honoured.
    static let replacingVariables = [
        "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "AWS_CA_BUNDLE", "GIT_SSL_CAINFO",
        "CARGO_HTTP_CAINFO", "PERL_LWP_SSL_CA_FILE", "HTTPS_CA_FILE", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
        "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE", "HTTPLIB2_CA_CERTS", "NIX_SSL_CERT_FILE", "HEX_CACERTS_PATH",
        "BUNDLE_SSL_CA_CERT", "COMPOSER_CAFILE", "npm_config_cafile",
    ]

    /// The folder that stands for `/`.
    public let root: String
    /// The variables of the user.
    public let environment: [String: String]

    /// Creates the roots of a machine as a user sees them.
    public init(environment: [String: String], root: String = "") {
        self.environment = environment
        self.root = root
    }

    /// The system's bundle, or nil when there is none at the usual places.
    public func systemBundlePath() -> String? {
        Self.bundlePaths.lazy.map { root + $0 }.first { FileAccess.exists($0) }
    }

    /// The file that a bundle starts from: the user's `SSL_CERT_FILE` when it can be read, else the system's bundle.
    public func bundlePath() -> String? {
        if let named = environment["SSL_CERT_FILE"], !named.isEmpty, FileAccess.read(named) != nil { return named }
        return systemBundlePath()
    }

    /// The certificates to start from, each once.
    ///
    /// Those of ``bundlePath()`` come first, then those of other files that the user named in a variable that we replace,
    /// since these programs need their roots still.
    public func certificates() -> [PEMCertificate] {
        var files = [bundlePath()].compactMap { $0 }
        for name in Self.replacingVariables.dropFirst() {
            if let file = environment[name], !file.isEmpty, !files.contains(file) { files.append(file) }
        }
        var seen: Set<PEMCertificate> = []
        return files.flatMap { FileAccess.read($0).map(PEMCertificate.all(in:)) ?? [] }
            .filter { seen.insert($0).inserted }
    }

    /// The PEM texts of ``certificates()``.
    public func pemCertificates() -> [String] {
        certificates().map(\.pem)
    }
}
