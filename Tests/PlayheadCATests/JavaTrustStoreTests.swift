import Foundation
import Testing

@testable import PlayheadCA

@Suite struct JavaTrustStoreTests {
    @Test func isReadByAnIndependentReader() async throws {
        let folder = try Folder()
        let authorities = try (0..<3).map {
            try CertificateAuthority.ephemeral(userAtHost: "me@host\($0)", now: realTime)
        }
        // The first twice: once alone and once among others.
        let texts = [authorities[0].certificatePEM, authorities.map(\.certificatePEM).joined()]
        let store = try JavaTrustStore.pkcs12(certificatesPEM: texts, password: "changeit")
        let file = folder.path + "/trust.p12"
        try Data(store).write(to: URL(fileURLWithPath: file))
        let outcome = try await run("openssl", ["pkcs12", "-in", file, "-passin", "pass:changeit", "-info"])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.output.components(separatedBy: "BEGIN CERTIFICATE").count == 4)
        #expect(outcome.output.contains("friendlyName: 001 Playhead local CA (me@host0)"))
        #expect(outcome.output.contains("2.16.840.1.113894.746875.1.1: "))

        let wrong = try await run("openssl", ["pkcs12", "-in", file, "-passin", "pass:wrong"])
        #expect(wrong.status != 0)
    }

    /// Runs where a JDK is installed.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/keytool")))
    func isATrustStoreForTheJDK() async throws {
        let folder = try Folder()
        let authority = try CertificateAuthority.ephemeral(userAtHost: "me@host", now: realTime)
        let store = try JavaTrustStore.pkcs12(certificatesPEM: [authority.certificatePEM], password: "changeit")
        let file = folder.path + "/trust.p12"
        try Data(store).write(to: URL(fileURLWithPath: file))
        let outcome = try await run("keytool", ["-list", "-keystore", file, "-storepass", "changeit"])
        #expect(outcome.output.contains("1 entry") && outcome.output.contains("trustedCertEntry"), "\(outcome.output)")
    }

    @Test func refusesTextThatIsNoCertificate() {
        let text = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        #expect { try JavaTrustStore.pkcs12(certificatesPEM: [text], password: "x") } throws: {
            ($0 as? CAError)?.code == .invalid
        }
    }
}
