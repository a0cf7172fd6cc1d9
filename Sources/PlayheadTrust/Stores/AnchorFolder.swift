/// A folder of trust anchors and the command that turns it into the system's bundle.
///
/// Debian, Fedora, Arch and SUSE differ in paths and the command only.
struct AnchorFolder {
    /// The folder that the administrator puts certificates in.
    let folder: String
    /// The suffix that the command looks for.
    let suffix: String
    /// What the command writes and programs read.
    let bundle: String
    /// The command after a file was added.
    let update: [String]
    /// The command after a file was removed.
    let updateAfterRemoval: [String]

    func file(_ certificate: LocalCertificate) -> String { "\(folder)/\(certificate.storeName)\(suffix)" }

    private func hasFile(_ certificate: LocalCertificate) -> Bool {
        FileAccess.read(file(certificate)).map { PEMCertificate.all(in: $0) } == [certificate.certificate]
    }

    private func isInBundle(_ certificate: LocalCertificate) -> Bool {
        FileAccess.read(bundle).map { PEMCertificate.all(in: $0).contains(certificate.certificate) } ?? false
    }

    /// A file without a place in the bundle is half an installation: programs do not trust it.
    func state(of certificate: LocalCertificate) -> TrustState {
        hasFile(certificate) && isInBundle(certificate) ? .installed : .missing
    }

    func installation(of certificate: LocalCertificate) -> [TrustCommand] {
        if state(of: certificate) == .installed { return [] }
        var commands: [TrustCommand] = []
        if !hasFile(certificate) {
            commands.append(
                TrustCommand(["install", "-D", "-m", "0644", certificate.path, file(certificate)], needsRoot: true))
        }
        return commands + [TrustCommand(update, needsRoot: true)]
    }

    func removal(of certificate: LocalCertificate) -> [TrustCommand] {
        let exists = FileAccess.exists(file(certificate))
        guard exists || isInBundle(certificate) else { return [] }
        let removal = exists ? [TrustCommand(["rm", "-f", file(certificate)], needsRoot: true)] : []
        return removal + [TrustCommand(updateAfterRemoval, needsRoot: true)]
    }
}
