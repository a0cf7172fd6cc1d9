import Foundation
import Testing

@testable import PlayheadCA

@Suite struct JavaKeyStoreTests {
    @Test func namesAreInJavasFormOfUTF8() throws {
        #expect(try JavaKeyStore.modifiedUTF8("aé€") == [0, 6, 0x61, 0xC3, 0xA9, 0xE2, 0x82, 0xAC])
        #expect(try JavaKeyStore.modifiedUTF8("\u{0}") == [0, 2, 0xC0, 0x80])
        // Two surrogates of three octets each, where UTF-8 has four octets.
        #expect(try JavaKeyStore.modifiedUTF8("😀") == [0, 6, 0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80])
        #expect(throws: CAError.self) { try JavaKeyStore.modifiedUTF8(String(repeating: "a", count: 70_000)) }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/keytool")))
    func isReadByTheJDK() async throws {
        let folder = try Folder()
        let authorities = try (0..<2).map {
            try CertificateAuthority.ephemeral(userAtHost: "mé@host\($0)", now: realTime)
        }
        let texts = [authorities[0].certificatePEM, authorities.map(\.certificatePEM).joined()]
        let store = try JavaKeyStore.jks(certificatesPEM: texts, password: "changeit", now: realTime)
        let file = folder.path + "/trust.jks"
        try Data(store).write(to: URL(fileURLWithPath: file))
        let list = ["-list", "-keystore", file, "-storetype", "JKS", "-storepass"]
        let outcome = try await run("keytool", list + ["changeit"])
        #expect(outcome.status == 0 && outcome.output.contains("2 entries"), "\(outcome.output)")
        #expect(outcome.output.contains(authorities[1].fingerprintSHA256))
        #expect(try await run("keytool", list + ["wrongpass"]).status != 0)
    }

    @Test func refusesTextThatIsNoCertificate() {
        let text = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        #expect(throws: CAError.self) { try JavaKeyStore.jks(certificatesPEM: [text], password: "x", now: 0) }
    }
}
