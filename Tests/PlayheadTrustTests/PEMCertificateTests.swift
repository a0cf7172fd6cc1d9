import Foundation
import PlayheadTrust
import Testing

struct PEMCertificateTests {
    @Test(arguments: 1...130) func readsWhatItWrites(count: Int) {
        let certificate = PEMCertificate(der: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) })
        #expect(PEMCertificate.all(in: certificate.pem) == [certificate])
        let body = Data(certificate.der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        #expect(certificate.pem == "-----BEGIN CERTIFICATE-----\n\(body)\n-----END CERTIFICATE-----\n")
    }

    @Test func readsWindowsLineEndsAndSkipsOtherBlocks() {
        let key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
        let text = "text\n" + key + certificate(7).pem.replacingOccurrences(of: "\n", with: "\r\n") + key
        #expect(PEMCertificate.all(in: text) == [certificate(7)])
    }

    @Test(arguments: ["MA=A", "M", "MAMC*QE=", ""])
    func skipsADamagedBlockAndReadsTheNext(body: String) {
        let text = "-----BEGIN CERTIFICATE-----\n\(body)\n-----END CERTIFICATE-----\n" + certificate(8).pem
        #expect(PEMCertificate.all(in: text) == [certificate(8)])
    }

    @Test func aBlockWithoutEndIsNothing() {
        #expect(PEMCertificate.all(in: "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n").isEmpty)
    }
}
