import ArgumentParser
import PlayheadCA
import PlayheadCassette
import PlayheadTrust

/// `playhead cert`: the CA and who trusts it.
struct CertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cert", abstract: "Show the local CA, and let clients trust it or forget it.",
        discussion: """
            The CA is created on first use. Its key never leaves its folder and is readable by you alone.

            EXAMPLES
              playhead cert install            trust it in every store that is found
              playhead cert install --dry-run  print the commands instead
              curl --cacert "$(playhead cert path)" …
              playhead cert export --format mobileconfig -o playhead.mobileconfig
              playhead cert rotate             a new CA; the stores that knew the old one get it
            """,
        subcommands: [
            Show.self, Path.self, Status.self, Install.self, Uninstall.self, Export.self,
            CertRotateCommand.self,
        ])

    /// Where the CA is.
    struct Place: ParsableArguments {
        @Option(help: ArgumentHelp("The folder of the CA. (default: $XDG_DATA_HOME/playhead)", valueName: "dir"))
        var caDir: String?

        func setup() throws -> SessionSetup {
            let host = HostEnvironment.current()
            let flags: [SettingKey: [String]] = self.caDir.map { [.caDirectory: [$0]] } ?? [:]
            return SessionSetup(settings: try Settings.load(flags: flags, configFile: nil, host: host), host: host)
        }

        /// The CA, and the path of its certificate.
        func authority() throws -> (authority: CertificateAuthority, path: String) {
            let setup = try self.setup()
            let path = setup.settings.text(.caCertificate).map(setup.host.absolute) ?? setup.caDirectory + "/ca.pem"
            return (try setup.persistentAuthority(), path)
        }

        /// The stores of this machine, and the CA in their terms.
        func stores() throws -> (TrustStores, LocalCertificate) {
            let (authority, path) = try self.authority()
            return (Self.machine(), try Self.certificate(authority, path: path))
        }

        static func machine() -> TrustStores {
            let host = HostEnvironment.current()
            return TrustStores(host: TrustHost(home: host.environment["HOME"] ?? "/", environment: host.environment))
        }

        static func certificate(_ authority: CertificateAuthority, path: String) throws -> LocalCertificate {
            try LocalCertificate(
                path: path, pem: authority.certificatePEM, name: authority.commonName,
                fingerprint: authority.fingerprintSHA256,
                oldSubjectHash: String(authority.subjectHashOldFileName.prefix(8)))
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print the CA's name, fingerprint, dates and files.")
        @OptionGroup var place: Place
        @Flag(help: "Print JSON.") var json = false

        func run() throws {
            try CommandBoundary.run {
                let (authority, path) = try self.place.authority()
                let facts = [
                    ("name", authority.commonName), ("sha256", authority.fingerprintSHA256),
                    ("not_before", Moments.text(authority.notBefore)), ("not_after", Moments.text(authority.notAfter)),
                    ("certificate", path),
                ]
                if self.json {
                    let fields = facts.map { ($0.0, JSONText.string($0.1)) }
                    return Terminal.result(JSONText.object([("version", "1")] + fields))
                }
                for (name, value) in facts {
                    Terminal.result("\(name):\(String(repeating: " ", count: 12 - name.count))\(value)")
                }
            }
        }
    }

    struct Path: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print the path of the CA certificate.")
        @OptionGroup var place: Place

        func run() throws { try CommandBoundary.run { Terminal.result(try self.place.authority().path) } }
    }

    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Say which trust stores know the CA.")
        @OptionGroup var place: Place
        @Flag(help: "Print JSON.") var json = false

        func run() throws {
            try CommandBoundary.run {
                let (stores, certificate) = try self.place.stores()
                let rows = stores.status(of: certificate).map { status -> (String, String, String) in
                    switch status.state {
                    case .success(.installed): (status.store, "installed", "")
                    case .success(.missing): (status.store, "missing", "`playhead cert install` adds it")
                    case .success(.notPresent(let reason)): (status.store, "not present", reason)
                    case .failure(let error): (status.store, "unknown", error.message)
                    }
                }
                if self.json {
                    let items = rows.map { store, state, detail in
                        JSONText.object([
                            ("store", JSONText.string(store)), ("state", JSONText.string(state)),
                            ("detail", JSONText.string(detail)),
                        ])
                    }
                    return Terminal.result(JSONText.object([("version", "1"), ("stores", JSONText.array(items))]))
                }
                for (store, state, detail) in rows {
                    Terminal.result("\(store): \(state)\(detail.isEmpty ? "" : " (\(detail))")")
                }
            }
        }
    }

    /// What `cert install` and `cert-install` share.
    struct InstallOptions: ParsableArguments {
        @OptionGroup var place: Place
        @Flag(help: "Print the commands instead of running them.") var dryRun = false
        @Flag(name: .shortAndLong, help: "Do not ask before sudo.") var yes = false

        func install() throws {
            try CommandBoundary.run {
                let (stores, certificate) = try self.place.stores()
                let confirm = SudoConsent(isGiven: self.yes).ask
                try TrustReport.print(
                    stores.install(certificate, dryRun: self.dryRun, confirm: confirm), on: stores.host,
                    done: "installed", already: "already installed")
            }
        }
    }

    struct Install: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let every trust store of this machine know the CA. Safe to repeat.")
        @OptionGroup var options: InstallOptions

        func run() throws { try self.options.install() }
    }

    struct Uninstall: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let every trust store forget the CA; nothing else is touched. Safe to repeat.")
        @OptionGroup var place: Place
        @Flag(help: "Print the commands instead of running them.") var dryRun = false
        @Flag(name: .shortAndLong, help: "Do not ask before sudo.") var yes = false

        func run() throws {
            try CommandBoundary.run {
                let (stores, certificate) = try self.place.stores()
                let confirm = SudoConsent(isGiven: self.yes).ask
                try TrustReport.print(
                    stores.uninstall(certificate, dryRun: self.dryRun, confirm: confirm), on: stores.host,
                    done: "removed", already: "was not installed")
            }
        }
    }

    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the CA certificate, never its key.",
            discussion: """
                pem           the certificate
                der           the same in binary
                bundle        PEM, the system's roots and ours
                p12, jks      a Java trust store with the system's roots and ours, password changeit
                mobileconfig  a profile for iOS and macOS
                """)
        @OptionGroup var place: Place
        @Option(help: "pem, der, bundle, p12, jks or mobileconfig.") var format = "pem"
        @Option(name: .shortAndLong, help: "The file to write. (default: stdout)") var output: String?

        func run() throws {
            try CommandBoundary.run {
                let (authority, path) = try self.place.authority()
                let octets = try self.octets(authority, path: path)
                if let output = self.output {
                    return try FileText.replace(HostEnvironment.current().absolute(output), with: octets)
                }
                Terminal.raw(octets)
            }
        }

        private func octets(_ authority: CertificateAuthority, path: String) throws -> [UInt8] {
            let host = HostEnvironment.current()
            func all() -> [String] {
                [authority.certificatePEM] + SystemRoots(environment: host.environment).pemCertificates()
            }
            switch self.format {
            case "pem": return Array(authority.certificatePEM.utf8)
            case "der": return PEMCertificate.all(in: authority.certificatePEM).first?.der ?? []
            case "bundle": return Array(all().joined().utf8)
            case "p12":
                return try JavaTrustStore.pkcs12(certificatesPEM: all(), password: TrustMaterial.javaPassword)
            case "jks":
                return try JavaKeyStore.jks(
                    certificatesPEM: all(), password: TrustMaterial.javaPassword,
                    now: host.now().milliseconds / 1000)
            case "mobileconfig":
                return Array(ConfigurationProfile.text(for: try Place.certificate(authority, path: path)).utf8)
            default:
                throw CommandFailure(
                    .usage,
                    "--format \(self.format) is unknown; it takes pem, der, bundle, p12, jks or mobileconfig.")
            }
        }
    }
}

/// `playhead cert-install`, the same as `playhead cert install`.
struct CertInstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cert-install", abstract: "The same as `playhead cert install`.")

    @OptionGroup var options: CertCommand.InstallOptions

    func run() throws { try self.options.install() }
}
