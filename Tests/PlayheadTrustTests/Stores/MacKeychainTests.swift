import PlayheadTrust
import Testing

struct MacKeychainTests {
    private let folder: TemporaryFolder
    private let tool: String
    private let keychain = "/Library/Keychains/System.keychain"

    init() throws {
        folder = try TemporaryFolder()
        try folder.addTool("security")
        tool = folder.path + "/bin/security"
    }

    private func host(held: LocalCertificate? = nil, trusted: Bool = false) -> TrustHost {
        let pem = held.map { Array($0.certificate.pem.utf8) } ?? []
        let settings = Array("Cert 0: \(trusted ? held?.name ?? "" : "other")\n".utf8)
        return folder.host(
            system: .macOS, isSuperuser: false,
            runner: ScriptedRunner { arguments in
                CommandResult(status: 0, output: arguments[1] == "find-certificate" ? pem : settings)
            })
    }

    @Test func addsATrustedRootBySudo() throws {
        let certificate = try folder.localCertificate()
        #expect(
            lines(try MacKeychain().installation(of: certificate, on: host()), isSuperuser: false) == [
                "sudo \(tool) add-trusted-cert -d -r trustRoot -p ssl -p basic -k \(keychain) \(certificate.path)"
            ])
        #expect(try MacKeychain().removal(of: certificate, on: host()).isEmpty)
    }

    @Test func aCertificateWithoutTrustSettingsIsNotInstalled() throws {
        let certificate = try folder.localCertificate()
        let holding = host(held: certificate)
        #expect(try MacKeychain().state(of: certificate, on: holding) == .missing)
        #expect(
            lines(try MacKeychain().removal(of: certificate, on: holding)) == [
                "\(tool) delete-certificate -Z \(String(repeating: "01", count: 32)) \(keychain)"
            ])
    }

    @Test func removesTheSettingsAndTheCertificate() throws {
        let certificate = try folder.localCertificate()
        let holding = host(held: certificate, trusted: true)
        #expect(try MacKeychain().state(of: certificate, on: holding) == .installed)
        #expect(
            lines(try MacKeychain().removal(of: certificate, on: holding)) == [
                "\(tool) remove-trusted-cert -d \(certificate.path)",
                "\(tool) delete-certificate -Z \(String(repeating: "01", count: 32)) \(keychain)",
            ])
    }

    @Test func isNotPresentOnLinux() throws {
        let state = try MacKeychain().state(of: try folder.localCertificate(), on: folder.host())
        #expect(state == .notPresent("this is not macOS"))
    }
}
