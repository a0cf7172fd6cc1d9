import Foundation
import PlayheadTrust
import Testing

struct ConfigurationProfileTests {
    @Test func isAPropertyListWithTheCertificate() throws {
        let folder = try TemporaryFolder()
        let pem = certificate(7).pem
        try folder.write(pem, "ca.pem")
        let ours = try LocalCertificate(
            path: folder.path + "/ca.pem", pem: pem, name: "Playhead <me & you>",
            fingerprint: String(repeating: "0123456789abcdef", count: 2) + String(repeating: "f0", count: 16))
        let text = ConfigurationProfile.text(for: ours)
        let list = try PropertyListSerialization.propertyList(from: Data(text.utf8), options: [], format: nil)
        let profile = try #require(list as? [String: Any])
        #expect(profile["PayloadType"] as? String == "Configuration")
        #expect(profile["PayloadDisplayName"] as? String == "Playhead <me & you>")
        let payload = try #require((profile["PayloadContent"] as? [[String: Any]])?.first)
        #expect(payload["PayloadType"] as? String == "com.apple.security.root")
        #expect(payload["PayloadContent"] as? Data == Data(certificate(7).der))
        let identifiers = try [profile, payload].map {
            try #require(UUID(uuidString: $0["PayloadUUID"] as? String ?? ""))
        }
        #expect(identifiers[0] != identifiers[1])
        #expect(ConfigurationProfile.text(for: ours) == text)
    }
}
