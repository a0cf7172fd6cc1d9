/// The files that a client reads to trust our CA, as paths.
public struct TrustFiles: Sendable, Equatable {
    /// A PKCS12 store for Java with its password.
    public struct JavaStore: Sendable {
        /// The octets of the file.
        public let bytes: [UInt8]
        /// The password that opens it.
        public let password: String

        /// Creates a store from its octets.
        public init(bytes: [UInt8], password: String) {
            self.bytes = bytes
            self.password = password
        }
    }

    /// Our CA alone (`ca.pem`).
    public var caFile: String
    /// What is added to a client's own roots: our CA, and the user's `NODE_EXTRA_CA_CERTS` when there is one.
    public var addedFile: String
    /// What replaces a client's roots: the system's roots and ours (`bundle.pem`).
    public var bundleFile: String
    /// A folder with our CA under its subject hash, as OpenSSL reads it.
    public var hashedFolder: String
    /// The PKCS12 store for Java.
    public var javaStore: String?
    /// The password of the PKCS12 store.
    public var javaStorePassword: String
    /// The start file for wget: the user's with our bundle.
    public var wgetrc: String
    /// The folder with our settings for PHP.
    public var phpFolder: String

    /// Names the files in a folder, without writing them.
    public init(folder: String, hasJavaStore: Bool = false, javaStorePassword: String = "changeit") {
        caFile = folder + "/ca.pem"
        addedFile = caFile
        bundleFile = folder + "/bundle.pem"
        hashedFolder = folder + "/certs"
        javaStore = hasJavaStore ? folder + "/truststore.p12" : nil
        self.javaStorePassword = javaStorePassword
        wgetrc = folder + "/wgetrc"
        phpFolder = folder + "/php"
    }

    /// Writes every file, each complete at once (temporary file and rename), readable by every user.
    ///
    /// - Parameters:
    ///   - folder: an absolute path; created when missing.
    ///   - caPEM: our CA certificate.
    ///   - subjectHash: OpenSSL's hash of our CA's subject, eight hex digits.
    ///   - roots: the roots that the bundle starts from; nil when only our CA is to be trusted.
    ///   - javaStore: the store for Java, when there is one.
    ///   - environment: the user's variables, for the files that he named there.
    ///   - home: the user's home folder.
    public static func write(
        into folder: String, caPEM: String, subjectHash: String, roots: SystemRoots?, javaStore: JavaStore?,
        environment: [String: String], home: String
    ) throws(TrustError) -> TrustFiles {
        guard folder.hasPrefix("/") else {
            throw TrustError(.badInput, "\(folder) is not an absolute path; give one, since programs run in any folder")
        }
        guard let certificate = PEMCertificate.all(in: caPEM).first else {
            throw TrustError(.badInput, "our CA certificate is not PEM; create it again with `playhead cert rotate`")
        }
        var files = TrustFiles(
            folder: folder, hasJavaStore: javaStore != nil, javaStorePassword: javaStore?.password ?? "changeit")
        let ours = certificate.pem
        try FileAccess.createFolder(files.hashedFolder)
        try FileAccess.write(Array(ours.utf8), to: files.caFile)
        // OpenSSL and Go also read the folder; one that holds only our CA keeps the distribution's folder out.
        try FileAccess.write(Array(ours.utf8), to: "\(files.hashedFolder)/\(subjectHash).0")

        let others = roots?.certificates().filter { $0 != certificate } ?? []
        try FileAccess.write(Array((ours + others.map(\.pem).joined()).utf8), to: files.bundleFile)

        if let named = environment["NODE_EXTRA_CA_CERTS"], let text = FileAccess.read(named) {
            let extra = PEMCertificate.all(in: text).filter { $0 != certificate }
            if !extra.isEmpty {
                files.addedFile = folder + "/added.pem"
                try FileAccess.write(Array((ours + extra.map(\.pem).joined()).utf8), to: files.addedFile)
            }
        }
        if let javaStore, let path = files.javaStore { try FileAccess.write(javaStore.bytes, to: path) }

        let userFile = environment["WGETRC"] ?? home + "/.wgetrc"
        try FileAccess.write(Array(files.wgetSettings(user: FileAccess.text(userFile) ?? "").utf8), to: files.wgetrc)
        try FileAccess.createFolder(files.phpFolder)
        try FileAccess.write(Array(files.phpSettings().utf8), to: files.phpFolder + "/playhead.ini")
        try FileAccess.write(Array(Self.phpPrelude.utf8), to: files.phpFolder + "/playhead.php")
        return files
    }

    /// The user's wget settings without those that would undo ours, then ours.
    ///
    /// A proxy in the file wins over the environment in wget, and names are read without case, `-` and `_`.
    func wgetSettings(user: String) -> String {
        let ours: Set = ["httpproxy", "httpsproxy", "noproxy", "useproxy", "cacertificate", "cadirectory"]
        let kept = user.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            let name = line.prefix { $0 != "=" }.lowercased().filter { !" \t-_".contains($0) }
            return !ours.contains(name)
        }
        var text = kept.joined(separator: "\n")
        if !text.isEmpty && !text.hasSuffix("\n") { text += "\n" }
        return text + "use_proxy = on\nca_certificate = \(bundleFile)\nca_directory = \(hashedFolder)\n"
    }

    private func phpSettings() -> String {
        """
        curl.cainfo="\(bundleFile)"
        openssl.cafile="\(bundleFile)"
        auto_prepend_file="\(phpFolder)/playhead.php"

        """
    }

    /// PHP's streams read no proxy variable: the default context is the only door.
    private static let phpPrelude = """
        <?php
        (static function () {
            $proxy = parse_url(getenv('PLAYHEAD_PROXY_URL') ?: '');
            if (isset($proxy['host'], $proxy['port'])) {
                $address = 'tcp://' . $proxy['host'] . ':' . $proxy['port'];
                stream_context_set_default(['http' => ['proxy' => $address, 'request_fulluri' => true]]);
            }
        })();

        """
}
