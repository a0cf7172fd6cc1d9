/// The `cacerts` stores of Java installations, through their own keytool.
public struct JavaHomes: TrustStoreDriver {
    /// One installation.
    struct Home: Equatable {
        let keytool: String
        let store: String
    }

    /// The name that people and options use.
    public let name = "java"

    /// Creates the driver.
    public init() {}

    /// Whether every Java installation trusts the certificate.
    public func state(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> TrustState {
        let homes = Self.homes(on: host)
        if homes.isEmpty { return .notPresent("no Java with keytool found by JAVA_HOME or PATH") }
        for home in homes where try alias(of: certificate, in: home, host) == nil { return .missing }
        return .installed
    }

    /// The commands that make every Java installation trust the certificate.
    public func installation(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> [TrustCommand]
    {
        var commands: [TrustCommand] = []
        for home in Self.homes(on: host) where try alias(of: certificate, in: home, host) == nil {
            commands.append(
                TrustCommand(
                    [
                        home.keytool, "-importcert", "-noprompt", "-keystore", home.store, "-storepass", "changeit",
                        "-file", certificate.path, "-alias", certificate.storeName,
                    ], needsRoot: !FileAccess.isWritable(home.store)))
        }
        return commands
    }

    /// The commands that make every Java installation forget the certificate.
    public func removal(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> [TrustCommand] {
        var commands: [TrustCommand] = []
        for home in Self.homes(on: host) {
            guard let alias = try alias(of: certificate, in: home, host) else { continue }
            commands.append(
                TrustCommand(
                    [
                        home.keytool, "-delete", "-keystore", home.store, "-storepass", "changeit", "-alias", alias,
                    ], needsRoot: !FileAccess.isWritable(home.store)))
        }
        return commands
    }

    /// The name under which a store holds the certificate.
    ///
    /// Found by its octets: Debian's hook imports the system store under names of its own.
    private func alias(
        of certificate: LocalCertificate, in home: Home, _ host: TrustHost
    ) throws(TrustError) -> String? {
        let result = try host.read([
            home.keytool, "-J-Duser.language=en", "-list", "-rfc", "-keystore", home.store, "-storepass", "changeit",
        ])
        guard result.status == 0 else {
            throw TrustError(
                .cannotRead,
                "\(home.keytool) cannot read \(home.store): \(result.text.split(separator: "\n").first ?? "no reason given"); "
                    + "its password may not be `changeit`")
        }
        let mark = "Alias name: "
        // The part before the first name holds no entry.
        for part in result.text.split(separator: mark, omittingEmptySubsequences: false).dropFirst()
        where PEMCertificate.all(in: String(part)).contains(certificate.certificate) {
            return String(part.prefix { !$0.isNewline })
        }
        return nil
    }

    /// `JAVA_HOME`, and the home of the `java` in `PATH`.
    static func homes(on host: TrustHost) -> [Home] {
        var folders: [String] = []
        if let home = host.environment["JAVA_HOME"], !home.isEmpty { folders.append(home) }
        if let java = host.executable("java"), let file = FileAccess.resolved(java) {
            for suffix in ["/jre/bin/java", "/bin/java"] where file.hasSuffix(suffix) {
                folders.append(String(file.dropLast(suffix.count)))
                break
            }
        }
        var homes: [Home] = []
        for folder in folders {
            let keytool = ["/bin/keytool", "/jre/bin/keytool"].map { folder + $0 }.first(where: FileAccess.isExecutable)
            let store = ["/lib/security/cacerts", "/jre/lib/security/cacerts"].map { folder + $0 }
                .first(where: FileAccess.exists)
            // Several homes may share one store (Debian's link into /etc).
            guard let keytool, let store = store.flatMap(FileAccess.resolved) else { continue }
            if !homes.contains(where: { $0.store == store }) { homes.append(Home(keytool: keytool, store: store)) }
        }
        return homes
    }
}
