/// The system store of Debian, Ubuntu, Alpine and Gentoo.
public struct DebianStore: TrustStoreDriver {
    /// The name that people and options use.
    public let name = "debian"

    /// Creates the driver.
    public init() {}

    /// Whether the store trusts the certificate.
    public func state(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> TrustState {
        guard let store = store(on: host) else {
            return .notPresent(
                "no /usr/local/share/ca-certificates with update-ca-certificates; the package ca-certificates brings both"
            )
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
        // Fedora's folder goes first: some systems carry both, and only theirs counts.
        guard host.system == .linux, !AnchorFolderStore.fedora.isPresent(on: host) else { return nil }
        let folder = host.path("/usr/local/share/ca-certificates")
        let list = host.path("/etc/ca-certificates.conf")
        guard FileAccess.isFolder(folder) || FileAccess.exists(list),
            let command = host.executable("update-ca-certificates")
        else { return nil }
        var update = [command]
        if !host.root.isEmpty {
            update += [
                "--certsconf", list, "--certsdir", host.path("/usr/share/ca-certificates"), "--localcertsdir", folder,
                "--etccertsdir", host.path("/etc/ssl/certs"), "--hooksdir", host.path("/etc/ca-certificates/update.d"),
            ]
        }
        // Only `.crt` is looked at, any other suffix is silently ignored. Without --fresh the dangling links stay.
        return AnchorFolder(
            folder: folder, suffix: ".crt", bundle: host.path("/etc/ssl/certs/ca-certificates.crt"), update: update,
            updateAfterRemoval: update + ["--fresh"])
    }
}
