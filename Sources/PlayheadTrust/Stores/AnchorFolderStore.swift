/// The system store of a distribution that has a folder for anchors and one command that reads it.
///
/// Debian has a driver of its own: its command needs other arguments after a removal, and in another root.
public struct AnchorFolderStore: TrustStoreDriver {
    /// Fedora, RHEL and their relatives.
    public static let fedora = AnchorFolderStore(
        name: "fedora", folder: "/etc/pki/ca-trust/source/anchors", suffix: ".pem",
        bundle: "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", command: ["update-ca-trust", "extract"])

    /// Arch Linux.
    public static let arch = AnchorFolderStore(
        name: "arch", folder: "/etc/ca-certificates/trust-source/anchors", suffix: ".crt",
        bundle: "/etc/ca-certificates/extracted/tls-ca-bundle.pem", command: ["trust", "extract-compat"])

    /// openSUSE and SUSE Linux Enterprise; `/usr` may be read-only there (MicroOS).
    public static let suse = AnchorFolderStore(
        name: "suse", folder: "/usr/share/pki/trust/anchors", preferred: "/etc/pki/trust/anchors", suffix: ".pem",
        bundle: "/var/lib/ca-certificates/ca-bundle.pem", command: ["update-ca-certificates"])

    /// The name that people and options use.
    public let name: String
    /// The folder that tells the distribution.
    let folder: String
    /// The administrator's folder, where there is one besides.
    let preferred: String?
    private let suffix: String
    private let bundle: String
    private let command: [String]

    private init(
        name: String, folder: String, preferred: String? = nil, suffix: String, bundle: String, command: [String]
    ) {
        self.name = name
        self.folder = folder
        self.preferred = preferred
        self.suffix = suffix
        self.bundle = bundle
        self.command = command
    }

    /// Whether the store trusts the certificate.
    public func state(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> TrustState {
        guard let store = self.store(on: host) else {
            return .notPresent("no \(self.folder) with \(self.command[0])")
        }
        return store.state(of: certificate)
    }

    /// The commands that make the store trust the certificate.
    public func installation(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> [TrustCommand]
    {
        self.store(on: host)?.installation(of: certificate) ?? []
    }

    /// The commands that make the store forget the certificate.
    public func removal(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> [TrustCommand] {
        self.store(on: host)?.removal(of: certificate) ?? []
    }

    /// Whether the machine is of this distribution.
    func isPresent(on host: TrustHost) -> Bool {
        host.system == .linux && FileAccess.isFolder(host.path(self.folder))
    }

    private func store(on host: TrustHost) -> AnchorFolder? {
        guard self.isPresent(on: host), let program = host.executable(self.command[0]) else { return nil }
        let preferred = self.preferred.map(host.path).flatMap { FileAccess.isFolder($0) ? $0 : nil }
        let update = [program] + self.command.dropFirst()
        return AnchorFolder(
            folder: preferred ?? host.path(self.folder), suffix: self.suffix, bundle: host.path(self.bundle),
            update: update, updateAfterRemoval: update)
    }
}
