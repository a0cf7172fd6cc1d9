/// The system store of Arch Linux.
public struct ArchStore: TrustStoreDriver {
    static let folder = "/etc/ca-certificates/trust-source/anchors"

    /// The name that people and options use.
    public let name = "arch"

    /// Creates the driver.
    public init() {}

    /// Whether the store trusts the certificate.
    public func state(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> TrustState {
        guard let store = store(on: host) else {
            return .notPresent("no /etc/ca-certificates/trust-source/anchors with the command trust")
        }
        return store.state(of: certificate)
    }

    /// The commands that make the store trust the certificate.
    public func installation(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> [TrustCommand]
    {
        store(on: host)?.installation(of: certificate) ?? []
    }

    /// The commands that make the store forget the certificate.
    public func removal(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> [TrustCommand] {
        store(on: host)?.removal(of: certificate) ?? []
    }

    private func store(on host: TrustHost) -> AnchorFolder? {
        let folder = host.path(Self.folder)
        guard host.system == .linux, FileAccess.isFolder(folder), let command = host.executable("trust")
        else { return nil }
        return AnchorFolder(
            folder: folder, suffix: ".crt", bundle: host.path("/etc/ca-certificates/extracted/tls-ca-bundle.pem"),
            update: [command, "extract-compat"], updateAfterRemoval: [command, "extract-compat"])
    }
}
