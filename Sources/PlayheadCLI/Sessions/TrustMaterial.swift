import PlayheadCA
import PlayheadEngine
import PlayheadProxy
import PlayheadTrust

/// The files and variables that make a client trust the CA and use the proxy.
struct TrustMaterial {
    /// The password of the Java store; the JDK's own custom, and no secret: the store holds certificates only.
    static let javaPassword = "changeit"

    let host: HostEnvironment

    /// Writes the files of one CA into a folder.
    ///
    /// - Parameter strictOnlyOurs: whether the bundle holds our CA alone, without the system's roots.
    func write(_ authority: CertificateAuthority, into folder: String, strictOnlyOurs: Bool) throws -> TrustFiles {
        let roots = strictOnlyOurs ? nil : SystemRoots(environment: self.host.environment)
        let platform = roots?.pemCertificates() ?? []
        let java = try JavaTrustStore.pkcs12(
            certificatesPEM: [authority.certificatePEM] + platform, password: Self.javaPassword)
        return try TrustFiles.write(
            into: folder, caPEM: authority.certificatePEM, subjectHash: String(authority.subjectHashFileName.prefix(8)),
            roots: roots,
            javaStore: TrustFiles.JavaStore(bytes: java, password: Self.javaPassword),
            environment: self.host.environment, home: self.host.environment["HOME"] ?? "/")
    }
}
