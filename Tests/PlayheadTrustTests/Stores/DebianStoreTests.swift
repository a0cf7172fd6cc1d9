import Foundation
import PlayheadTrust
import Testing

struct DebianStoreTests {
    private let folder: TemporaryFolder
    private let store = DebianStore()

    init() throws {
        folder = try TemporaryFolder()
        try folder.addTool("update-ca-certificates")
        try folder.write("", "usr/local/share/ca-certificates/.keep")
        try folder.write("", "etc/ssl/certs/ca-certificates.crt")
    }

    /// A host without a root folder would look at this machine, so the options for a root are part of every list here.
    private var update: String {
        let root = folder.path
        return "\(root)/bin/update-ca-certificates --certsconf \(root)/etc/ca-certificates.conf "
            + "--certsdir \(root)/usr/share/ca-certificates --localcertsdir \(root)/usr/local/share/ca-certificates "
            + "--etccertsdir \(root)/etc/ssl/certs --hooksdir \(root)/etc/ca-certificates/update.d"
    }

    private var file: String { folder.path + "/usr/local/share/ca-certificates/playhead-0101010101010101.crt" }

    @Test func copiesTheFileAndUpdates() throws {
        let certificate = try folder.localCertificate()
        let host = folder.host()
        #expect(try store.state(of: certificate, on: host) == .missing)
        #expect(
            lines(try store.installation(of: certificate, on: host)) == [
                "install -D -m 0644 \(certificate.path) \(file)", update,
            ])
        #expect(try store.removal(of: certificate, on: host).isEmpty)
    }

    @Test func usesSudoOnlyWhenNotRoot() throws {
        let plan = try store.installation(of: try folder.localCertificate(), on: folder.host())
        #expect(lines(plan, isSuperuser: false).allSatisfy { $0.hasPrefix("sudo ") })
        #expect(lines(plan).allSatisfy { !$0.contains("sudo") })
    }

    @Test func finishesAHalfInstallation() throws {
        let certificate = try folder.localCertificate()
        try FileManager.default.copyItem(atPath: certificate.path, toPath: file)
        #expect(lines(try store.installation(of: certificate, on: folder.host())) == [update])
    }

    @Test func doesNothingWhenInstalledAndRemovesWithFreshLinks() throws {
        let certificate = try folder.localCertificate()
        try FileManager.default.copyItem(atPath: certificate.path, toPath: file)
        try folder.write(
            PEMCertificate(der: [1]).pem + certificate.certificate.pem, "etc/ssl/certs/ca-certificates.crt")
        #expect(try store.state(of: certificate, on: folder.host()) == .installed)
        #expect(try store.installation(of: certificate, on: folder.host()).isEmpty)
        #expect(
            lines(try store.removal(of: certificate, on: folder.host())) == ["rm -f \(file)", update + " --fresh"])
    }

    @Test func anotherCAOfOursIsAForeignCertificate() throws {
        let other = try folder.localCertificate(2)
        try FileManager.default.copyItem(atPath: try folder.localCertificate().path, toPath: file)
        #expect(try store.state(of: other, on: folder.host()) == .missing)
        #expect(try store.removal(of: other, on: folder.host()).isEmpty)
    }

    @Test func leavesFedoraToItsOwnDriver() throws {
        try folder.write("", "etc/pki/ca-trust/source/anchors/.keep")
        guard case .notPresent = try store.state(of: try folder.localCertificate(), on: folder.host()) else {
            Issue.record("claims a Fedora machine")
            return
        }
    }

    @Test(.enabled(if: isInstalled("update-ca-certificates"), "no update-ca-certificates here"))
    func worksWithTheRealCommand() throws {
        let certificate = try folder.realCertificate()
        try FileManager.default.removeItem(atPath: folder.path + "/bin/update-ca-certificates")
        try folder.write(certificateOfSomebodyElse(), "usr/local/share/ca-certificates/foreign.crt")
        try folder.write("", "etc/ca-certificates.conf")
        try folder.write("", "usr/share/ca-certificates/.keep")
        try folder.write("", "etc/ca-certificates/update.d/.keep")
        let host = TrustHost(
            system: .linux, root: folder.path, home: folder.path, environment: testEnvironment, isSuperuser: true)
        let stores = TrustStores(host: host, drivers: [store])

        #expect(stores.install(certificate, dryRun: true)[0].outcome != .unchanged)
        #expect(try store.state(of: certificate, on: host) == .missing)
        #expect(stores.install(certificate)[0].outcome == .changed)
        #expect(stores.install(certificate)[0].outcome == .unchanged)
        let bundle = PEMCertificate.all(in: try folder.text("etc/ssl/certs/ca-certificates.crt"))
        #expect(bundle.count == 2 && bundle.contains(certificate.certificate))
        let verified = try shell(["openssl", "verify", "-CApath", folder.path + "/etc/ssl/certs", certificate.path])
        #expect(verified.status == 0, "\(verified.errorText)")

        #expect(stores.uninstall(certificate)[0].outcome == .changed)
        #expect(stores.uninstall(certificate)[0].outcome == .unchanged)
        let left = PEMCertificate.all(in: try folder.text("etc/ssl/certs/ca-certificates.crt"))
        #expect(left.count == 1 && !left.contains(certificate.certificate))
        let links = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/etc/ssl/certs")
        #expect(!links.contains { $0.contains("playhead") })
        #expect(links.contains("foreign.pem"))
    }

    private func certificateOfSomebodyElse() throws -> String {
        let other = try TemporaryFolder()
        _ = try other.realCertificate()
        return try other.text("ca.pem")
    }
}
