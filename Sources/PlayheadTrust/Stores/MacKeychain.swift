/// The system keychain of macOS.
public struct MacKeychain: TrustStoreDriver {
    static let keychain = "/Library/Keychains/System.keychain"

    /// The name that people and options use.
    public let name = "macos"

    /// Creates the driver.
    public init() {}

    /// Whether the keychain holds the certificate and the administrator's settings trust it.
    public func state(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> TrustState {
        guard let command = command(on: host) else { return .notPresent("this is not macOS") }
        guard try holds(certificate, command, host) else { return .missing }
        let settings = try host.read([command, "dump-trust-settings", "-d"])
        return settings.text.contains(certificate.name) ? .installed : .missing
    }

    /// The commands that make the keychain trust the certificate.
    public func installation(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> [TrustCommand]
    {
        guard try state(of: certificate, on: host) == .missing, let command = command(on: host) else { return [] }
        // By sudo, never by the dialog for authorisation: in CI nobody answers it and the call hangs.
        return [
            TrustCommand(
                [
                    command, "add-trusted-cert", "-d", "-r", "trustRoot", "-p", "ssl", "-p", "basic", "-k",
                    Self.keychain, certificate.path,
                ], needsRoot: true)
        ]
    }

    /// The commands that make the keychain forget the certificate.
    public func removal(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> [TrustCommand] {
        guard let command = command(on: host), try holds(certificate, command, host) else { return [] }
        var commands: [TrustCommand] = []
        if try state(of: certificate, on: host) == .installed {
            commands.append(TrustCommand([command, "remove-trusted-cert", "-d", certificate.path], needsRoot: true))
        }
        let digest = certificate.fingerprint.uppercased()
        return commands + [TrustCommand([command, "delete-certificate", "-Z", digest, Self.keychain], needsRoot: true)]
    }

    private func holds(
        _ certificate: LocalCertificate, _ command: String, _ host: TrustHost
    ) throws(TrustError) -> Bool {
        let found = try host.read([command, "find-certificate", "-a", "-p", Self.keychain])
        return PEMCertificate.all(in: found.output).contains(certificate.certificate)
    }

    private func command(on host: TrustHost) -> String? {
        host.system == .macOS ? host.executable("security") : nil
    }
}
