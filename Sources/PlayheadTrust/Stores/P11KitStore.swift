/// The store of other systems with p11-kit, through its command `trust`.
public struct P11KitStore: TrustStoreDriver {
    /// The name that people and options use.
    public let name = "p11-kit"

    /// Creates the driver.
    public init() {}

    /// Whether the store trusts the certificate.
    public func state(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> TrustState {
        if FileAccess.exists(host.path("/etc/NIXOS")) {
            return .notPresent(
                "NixOS is configured, not changed; add to the configuration: "
                    + "security.pki.certificateFiles = [ \(certificate.path) ];")
        }
        guard let command = command(on: host) else {
            return .notPresent("another system store is used, or there is no command trust")
        }
        // To a new file, since the command renames over its destination and would replace a device such as /dev/stdout.
        // Names alone would not tell two of our CAs apart.
        let folder = try FileAccess.createTemporaryFolder(environment: host.environment)
        let file = folder + "/anchors.pem"
        defer { FileAccess.remove(file, andFolder: folder) }
        let result = try host.read([command, "extract", "--format=pem-bundle", "--filter=ca-anchors", file])
        // Without any anchor the command may leave no file; without success nothing is known.
        guard result.status == 0 else {
            throw TrustError(.cannotRead, "\(command) cannot list the anchors: \(result.errorText)")
        }
        let anchors = FileAccess.read(file).map { PEMCertificate.all(in: $0) } ?? []
        return anchors.contains(certificate.certificate) ? .installed : .missing
    }

    /// The commands that make the store trust the certificate.
    public func installation(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> [TrustCommand]
    {
        guard try state(of: certificate, on: host) == .missing, let command = command(on: host) else { return [] }
        return [TrustCommand([command, "anchor", "--store", certificate.path], needsRoot: true)]
    }

    /// The commands that make the store forget the certificate.
    public func removal(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> [TrustCommand] {
        guard try state(of: certificate, on: host) == .installed, let command = command(on: host) else { return [] }
        return [TrustCommand([command, "anchor", "--remove", certificate.path], needsRoot: true)]
    }

    private func command(on host: TrustHost) -> String? {
        let others: [AnchorFolderStore] = [.fedora, .arch, .suse]
        guard host.system == .linux, !others.contains(where: { $0.isPresent(on: host) }),
            !["/usr/local/share/ca-certificates", "/etc/NIXOS"].contains(where: { FileAccess.exists(host.path($0)) })
        else { return nil }
        return host.executable("trust")
    }
}
