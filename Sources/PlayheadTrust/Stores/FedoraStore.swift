/// The system store of Fedora, RHEL and their relatives.
public struct FedoraStore: TrustStoreDriver {
    static let folder = "/etc/pki/ca-trust/source/anchors"

    /// The name that people and options use.
    public let name = "fedora"

    /// Creates the driver.
    public init() {}

    /// Whether the store trusts the certificate.
    public func state(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> TrustState {
        guard let store = store(on: host) else {
            return .notPresent("no /etc/pki/ca-trust/source/anchors with update-ca-trust")
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
        guard host.system == .linux, FileAccess.isFolder(folder), let command = host.executable("update-ca-trust")
        else { return nil }
        return AnchorFolder(
            folder: folder, suffix: ".pem", bundle: host.path("/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"),
            update: [command, "extract"], updateAfterRemoval: [command, "extract"])
    }
}
