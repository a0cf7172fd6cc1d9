import Foundation
import PlayheadTLS
import Testing

@testable import PlayheadCA

@Suite struct LeafTests {
    static let names = [
        "example.com", "127.0.0.1", "::1", "xn--bcher-kva.example", "a_b.example", "localhost",
        String(repeating: "a", count: 60) + "." + String(repeating: "b", count: 31) + ".example",
    ]

    /// Verifies as a strict client does, under the name itself.
    private func verify(_ leaf: LeafIssuer.Leaf, _ name: String, root: String, in folder: Folder) async throws {
        let file = try folder.write(leaf.identity.certificate.pem, to: "leaf.pem")
        let check = name.contains(":") || name == "127.0.0.1" ? "-verify_ip" : "-verify_hostname"
        let arguments = ["-no-CApath", "-CAfile", root, "-purpose", "sslserver", check, name, file]
        let outcome = try await run("openssl", ["verify", "-x509_strict"] + arguments)
        #expect(outcome.status == 0, "\(name): \(outcome.output)")
    }

    @Test(arguments: names) func passesAStrictClient(_ name: String) async throws {
        let folder = try Folder()
        let authority = try CertificateAuthority.ephemeral(userAtHost: "me@here", now: realTime)
        let root = try folder.write(authority.certificatePEM, to: "ca.pem")
        let leaf = try LeafIssuer(authority: authority).mint(.validated(name), now: realTime)
        try await verify(leaf, name, root: root, in: folder)
    }

    @Test(arguments: ["rsa:2048", "ec:P-384"]) func isSignedByACAThatTheUserBrings(_ kind: String) async throws {
        let folder = try Folder()
        let (root, key) = (folder.path + "/own.pem", folder.path + "/own.key")
        let algorithm = kind == "rsa:2048" ? [kind] : ["ec", "-pkeyopt", "ec_paramgen_curve:P-384"]
        let made = try await run(
            "openssl",
            ["req", "-x509", "-nodes", "-days", "30", "-subj", "/CN=Own CA", "-keyout", key, "-out", root, "-newkey"]
                + algorithm + ["-addext", "keyUsage=critical,keyCertSign"])
        #expect(made.status == 0, "\(made.output)")
        let authority = try CertificateAuthority.load(certificateFile: root, keyFile: key)
        #expect(authority.commonName == "Own CA")
        for name in LeafTests.names {
            let leaf = try LeafIssuer(authority: authority).mint(.validated(name), now: realTime + 60)
            // Not before the root's own start, not after its end.
            #expect(leaf.notBefore >= authority.notBefore && leaf.notAfter <= authority.notAfter)
            try await verify(leaf, name, root: root, in: folder)
        }
    }

    @Test func hasExactlyTheProfile() async throws {
        let folder = try Folder()
        let authority = try CertificateAuthority.ephemeral(userAtHost: "me@here", now: realTime)
        let root = try folder.write(authority.certificatePEM, to: "ca.pem")
        let rootText = try await run("openssl", ["x509", "-in", root, "-noout", "-text"]).output
        #expect(rootText.contains("X509v3 Basic Constraints: critical\n                CA:TRUE, pathlen:0"))
        #expect(rootText.contains("X509v3 Key Usage: critical\n                Certificate Sign, CRL Sign"))
        #expect(rootText.contains("Playhead local CA (me@here) "))

        let issuer = try LeafIssuer(authority: authority)
        let leaf = try issuer.mint(.validated("Example.com."), now: realTime)
        let file = try folder.write(leaf.identity.certificate.pem, to: "leaf.pem")
        let text = try await run("openssl", ["x509", "-in", file, "-noout", "-text"]).output
        #expect(text.contains("X509v3 Subject Alternative Name: \n                DNS:example.com\n"))
        #expect(text.contains("X509v3 Key Usage: critical\n                Digital Signature\n"))
        #expect(text.contains("X509v3 Extended Key Usage: \n                TLS Web Server Authentication\n"))
        #expect(!text.contains("CA:TRUE"))
        #expect(text.contains("ecdsa-with-SHA256"))
        #expect(leaf.notAfter - leaf.notBefore == 30 * 86_400)
        #expect((24 * 3600...48 * 3600).contains(realTime - leaf.notBefore))
        #expect(leaf.identity.certificate.keyIdentifier != authority.certificate.keyIdentifier)
        let identifier = hexadecimal(authority.certificate.keyIdentifier, separator: ":", uppercase: true)
        #expect(text.contains("X509v3 Authority Key Identifier: \n                \(identifier)\n"))
        #expect(leaf.identity.chain.isEmpty)

        let long = try issuer.mint(.validated(String(repeating: "a.", count: 40) + "example"), now: realTime)
        let longFile = try folder.write(long.identity.certificate.pem, to: "long.pem")
        let longText = try await run("openssl", ["x509", "-in", longFile, "-noout", "-text"]).output
        #expect(longText.contains("Subject: \n"))
        #expect(longText.contains("X509v3 Subject Alternative Name: critical"))
    }

    @Test(arguments: [Int64(0), 4_102_444_800]) func isMadeAtOddTimes(_ now: Int64) throws {
        let authority = try CertificateAuthority.ephemeral(userAtHost: "me@here", now: now)
        let leaf = try LeafIssuer(authority: authority).mint(.validated("a.example"), now: now)
        #expect(leaf.identity.certificate.notBefore == leaf.notBefore)
        #expect(leaf.identity.certificate.notAfter == leaf.notAfter)
        #expect(leaf.notBefore < now && now < leaf.notAfter)
    }

    @Test func isNotMadeUnderACAThatIsOver() throws {
        let authority = try CertificateAuthority.ephemeral(userAtHost: "me@here", now: 1_000_000)
        let issuer = try LeafIssuer(authority: authority)
        #expect { try issuer.mint(.validated("a.example"), now: authority.notAfter) } throws: {
            ($0 as? CAError)?.code == .expired
        }
        let last = try issuer.mint(.validated("a.example"), now: authority.notAfter - 60)
        #expect(last.notAfter == authority.notAfter)
    }
}
