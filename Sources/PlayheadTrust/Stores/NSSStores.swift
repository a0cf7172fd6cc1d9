/// The databases of NSS: Chromium and its relatives on Linux, Firefox everywhere.
public struct NSSStores: TrustStoreDriver {
    /// One database.
    struct Database: Equatable {
        let folder: String
        /// `sql` for cert9.db, `dbm` for the old cert8.db.
        let format: String
        let exists: Bool

        var argument: String { "\(format):\(folder)" }
    }

    /// The name that people and options use.
    public let name = "nss"

    /// Creates the driver.
    public init() {}

    /// Whether every database trusts the certificate.
    public func state(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> TrustState {
        let databases = Self.databases(on: host)
        if databases.isEmpty { return .notPresent("no Chromium or Firefox profile found") }
        guard let command = host.executable("certutil") else {
            return .notPresent("there is no certutil; install libnss3-tools (apt), nss-tools (dnf) or nss (brew)")
        }
        for database in databases where try !isTrusted(certificate, in: database, command, host) { return .missing }
        return .installed
    }

    /// The commands that make every database trust the certificate.
    public func installation(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> [TrustCommand]
    {
        guard let command = host.executable("certutil") else { return [] }
        var commands: [TrustCommand] = []
        for database in Self.databases(on: host) where try !isTrusted(certificate, in: database, command, host) {
            let needsRoot = Self.needsRoot(database)
            if !database.exists {
                commands.append(TrustCommand(["mkdir", "-p", "-m", "0700", database.folder], needsRoot: needsRoot))
                commands.append(
                    TrustCommand([command, "-N", "-d", database.argument, "--empty-password"], needsRoot: needsRoot))
            }
            commands.append(
                TrustCommand(
                    [
                        command, "-A", "-d", database.argument, "-t", "C,,", "-n", certificate.name, "-i",
                        certificate.path,
                    ], needsRoot: needsRoot))
        }
        return commands
    }

    /// The commands that make every database forget the certificate.
    public func removal(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> [TrustCommand] {
        guard let command = host.executable("certutil") else { return [] }
        var commands: [TrustCommand] = []
        for database in Self.databases(on: host) where database.exists {
            guard try holds(certificate, in: database, command, host) else { continue }
            commands.append(
                TrustCommand(
                    [command, "-D", "-d", database.argument, "-n", certificate.name],
                    needsRoot: Self.needsRoot(database)))
        }
        return commands
    }

    private func holds(
        _ certificate: LocalCertificate, in database: Database, _ command: String, _ host: TrustHost
    ) throws(TrustError) -> Bool {
        let found = try host.read([command, "-L", "-d", database.argument, "-n", certificate.name, "-a"])
        return PEMCertificate.all(in: found.output).contains(certificate.certificate)
    }

    private func isTrusted(
        _ certificate: LocalCertificate, in database: Database, _ command: String, _ host: TrustHost
    ) throws(TrustError) -> Bool {
        guard database.exists, try holds(certificate, in: database, command, host) else { return false }
        // Held and trusted are two things: the flags of the list's line say the second.
        let list = try host.read([command, "-L", "-d", database.argument])
        return list.text.split(separator: "\n").contains { line in
            guard line.hasPrefix(certificate.name) else { return false }
            let flags = line.dropFirst(certificate.name.count).filter { $0 != " " }
            return flags.prefix { $0 != "," }.contains("C")
        }
    }

    private static func needsRoot(_ database: Database) -> Bool {
        database.exists && !FileAccess.isWritable(database.folder)
    }

    /// Every database of the user, and the machine's.
    static func databases(on host: TrustHost) -> [Database] {
        let home = host.home
        var folders = [
            home + "/snap/chromium/current/.pki/nssdb", home + "/.local/share/pki/nssdb", host.path("/etc/pki/nssdb"),
        ]
        let profiles = [
            home + "/.mozilla/firefox", home + "/.config/mozilla/firefox",
            home + "/snap/firefox/common/.mozilla/firefox",
            home + "/.var/app/org.mozilla.firefox/.mozilla/firefox",
            home + "/Library/Application Support/Firefox/Profiles",
        ]
        for folder in profiles {
            folders += FileAccess.names(in: folder).map { "\(folder)/\($0)" }
        }
        let chromium = home + "/.pki/nssdb"
        var found = [database(chromium)].compactMap { $0 }
        if found.isEmpty && host.system == .linux && hasChromium(host) && !FileAccess.isFolder(folders[1]) {
            found.append(Database(folder: chromium, format: "sql", exists: false))
        }
        return found + folders.compactMap(database)
    }

    private static func database(_ folder: String) -> Database? {
        if FileAccess.exists(folder + "/cert9.db") { return Database(folder: folder, format: "sql", exists: true) }
        if FileAccess.exists(folder + "/cert8.db") { return Database(folder: folder, format: "dbm", exists: true) }
        return nil
    }

    private static func hasChromium(_ host: TrustHost) -> Bool {
        [
            "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "brave-browser",
        ].contains { host.executable($0) != nil }
    }
}
