internal import PlayheadTLS

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension CertificateAuthority {
    static let certificateFileName = "ca.pem"
    static let keyFileName = "ca.key"
    static let lockFileName = ".ca.lock"

    /// Whether a folder holds a CA certificate and its key.
    public static func exists(directory: String) -> Bool {
        PrivateFile.exists(directory + "/" + certificateFileName) && PrivateFile.exists(directory + "/" + keyFileName)
    }

    /// Loads the CA of a folder, and makes it first when there is none.
    ///
    /// The certificate is `ca.pem`, the key `ca.key` (mode 0600). Processes that race for the making take turns by a
    /// lock on `.ca.lock`, so all of them get the same CA. The certificate appears last: a folder with a key alone is
    /// what a crash left behind, and nobody can have trusted it.
    ///
    /// - Parameters:
    ///   - directory: the folder; made with mode 0700 when missing.
    ///   - userAtHost: who makes it where; becomes part of the name that trust stores show.
    ///   - now: seconds since 1970.
    public static func loadOrCreate(
        directory: String, userAtHost: String, now: Int64
    ) throws -> CertificateAuthority {
        let certificateFile = directory + "/" + certificateFileName
        let keyFile = directory + "/" + keyFileName
        if !exists(directory: directory) {
            try PrivateFile.makeFolder(directory)
            try PrivateFile.withLock(directory + "/" + lockFileName) {
                guard !PrivateFile.exists(certificateFile) else {
                    guard PrivateFile.exists(keyFile) else {
                        throw CAError(
                            code: .notFound,
                            message: "\(certificateFile) is there but its key, \(keyFile), is not: bring the key back, "
                                + "or remove \(certificateFile) to get a new CA that must be trusted anew")
                    }
                    return
                }
                let made = try create(userAtHost: userAtHost, now: now, days: persistentDays)
                try PrivateFile.write(Array(made.key.pem.utf8), to: keyFile, mode: 0o600)
                try PrivateFile.write(Array(made.certificatePEM.utf8), to: certificateFile, mode: 0o644)
            }
        }
        let authority = try load(certificateFile: certificateFile, keyFile: keyFile)
        guard now < authority.notAfter else {
            throw CAError(
                code: .expired,
                message: "the CA in \(directory) is no longer valid: remove \(certificateFile) and \(keyFile) "
                    + "to get a new one, and trust that")
        }
        return authority
    }

    /// Puts a new CA in the place of the one in a folder; whoever trusts the old one does not trust the new one.
    ///
    /// The old certificate goes first: a crash on the way leaves a key alone, which is replaced at the next use.
    public static func rotate(directory: String, userAtHost: String, now: Int64) throws -> CertificateAuthority {
        let certificateFile = directory + "/" + certificateFileName
        try PrivateFile.makeFolder(directory)
        return try PrivateFile.withLock(directory + "/" + lockFileName) {
            let made = try create(userAtHost: userAtHost, now: now, days: persistentDays)
            try PrivateFile.remove(certificateFile)
            try PrivateFile.write(Array(made.key.pem.utf8), to: directory + "/" + keyFileName, mode: 0o600)
            try PrivateFile.write(Array(made.certificatePEM.utf8), to: certificateFile, mode: 0o644)
            return made
        }
    }

    /// Loads a CA that the user brings along: an EC or RSA key and its certificate, issuers may follow in the file.
    public static func load(certificateFile: String, keyFile: String) throws -> CertificateAuthority {
        let certificates: [Certificate]
        let key: PrivateKey
        let certificateText = try PrivateFile.read(certificateFile, secret: false)
        let keyText = try PrivateFile.read(keyFile, secret: true)
        do {
            certificates = try Certificate.parse(pem: certificateText)
        } catch {
            throw CAError(code: .invalid, message: "\(certificateFile): \(error)")
        }
        do {
            key = try PrivateKey.parse(pem: keyText)
        } catch {
            throw CAError(code: .invalid, message: "\(keyFile): \(error)")
        }
        guard let certificate = certificates.first else {
            throw CAError(code: .invalid, message: "\(certificateFile) holds no PEM certificate")
        }
        try AuthorityCheck.check(certificate, key, file: certificateFile)
        return try CertificateAuthority(certificate: certificate, issuers: Array(certificates.dropFirst()), key: key)
    }
}
