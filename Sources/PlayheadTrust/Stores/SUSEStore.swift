/// The system store of openSUSE and SUSE Linux Enterprise.
public struct SUSEStore: TrustStoreDriver {
    static let folder = "/usr/share/pki/trust/anchors"

    /// The name that people and options use.
    public let name = "suse"

    /// Creates the driver.
    public init() {}

    /// Whether the store trusts the certificate.
    public func state(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> TrustState {
        guard let store = store(on: host) else {
            return .notPresent("no /usr/share/pki/trust/anchors with update-ca-certificates")
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
        guard host.system == .linux, FileAccess.isFolder(host.path(Self.folder)),
            let command = host.executable("update-ca-certificates")
        else { return nil }
        // The administrator's folder where there is one: /usr may be read-only (MicroOS).
        let own = host.path("/etc/pki/trust/anchors")
        return AnchorFolder(
            folder: FileAccess.isFolder(own) ? own : host.path(Self.folder), suffix: ".pem",
            bundle: host.path("/var/lib/ca-certificates/ca-bundle.pem"), update: [command],
            updateAfterRemoval: [command])
    }
}
