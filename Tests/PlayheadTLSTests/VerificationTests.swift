import Foundation
import NIOCore
import NIOEmbedded
import PlayheadCA
import PlayheadTLS
import Testing

/// The client role against certificates that `openssl` made, good and bad.
@Suite struct VerificationTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A self-signed server certificate with its own extensions; trusted because the client gets it as a root.
    private func identity(_ arguments: [String], subject: String) async throws -> (TLSIdentity, root: String) {
        let (certificate, key) = (folder.path + "/s.pem", folder.path + "/s.key")
        let made = try await Tool.run(
            "openssl",
            [
                "req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-subj", subject,
                "-keyout", key, "-out", certificate,
            ] + arguments)
        #expect(made.status == 0, "\(made.output)")
        let identity = try TLSIdentity(
            certificatesPEM: String(contentsOfFile: certificate, encoding: .utf8),
            keyPEM: String(contentsOfFile: key, encoding: .utf8))
        return (identity, certificate)
    }

    private func rejection(
        _ arguments: [String], subject: String = "/CN=a.example", host: String = "a.example", verifiesPeer: Bool = true
    ) async throws -> TLSError? {
        let (identity, root) = try await identity(arguments, subject: subject)
        let pair = try EmbeddedPair(
            client: TLSClientContext(
                extraRoots: [root], useSystemRoots: false, verifiesPeer: verifiesPeer, alpn: []),
            server: TLSServerContext(alpn: []) { _ in identity }, host: host)
        defer { pair.finish() }
        try pair.handshake()
        if let error = pair.clientEnd.errors.first { return error }
        #expect(pair.clientEnd.events == ["handshake -"])
        return nil
    }

    @Test(arguments: ["a.example", "A.EXAMPLE", "a.example.", "10.1.2.3", "2001:db8::1", "[2001:db8::1]"])
    func acceptsTheHostInItsSpellings(_ host: String) async throws {
        let names = "subjectAltName=DNS:a.example,IP:10.1.2.3,IP:2001:db8::1"
        #expect(try await rejection(["-addext", names], host: host) == nil)
    }

    @Test func looksAtNoCommonName() async throws {
        let error = try #require(try await rejection([]))
        #expect(error.code == .certificateRejected)
        #expect(error.message.contains("no subjectAltName"))
        #expect(error.rejection?.isUntrustedIssuer == false)
    }

    @Test func refusesAnAddressThatIsNamedAsDNS() async throws {
        let error = try #require(
            try await rejection(["-addext", "subjectAltName=DNS:10.1.2.3"], host: "10.1.2.3"))
        #expect(error.code == .certificateRejected)
        #expect(error.message.contains("IP address mismatch"))
    }

    @Test func refusesPartialWildcards() async throws {
        let partial = ["-addext", "subjectAltName=DNS:a*.b.example"]
        #expect(try await rejection(partial, host: "ab.b.example") != nil)
        let whole = ["-addext", "subjectAltName=DNS:*.b.example"]
        #expect(try await rejection(whole, host: "ab.b.example") == nil)
        #expect(try await rejection(whole, host: "a.b.b.example") != nil)
    }

    @Test func saysWhenACertificateWasValid() throws {
        let longAgo = TestAuthority.seconds - 100 * 86_400
        let authority = try CertificateAuthority.ephemeral(userAtHost: "test@host", now: longAgo)
        let leaves = try LeafCache(authority: authority) { longAgo }
        let root = try folder.write(authority.certificatePEM, to: "old.pem")
        let pair = try EmbeddedPair(
            client: TLSClientContext(extraRoots: [root], useSystemRoots: false, alpn: []),
            server: TLSServerContext(alpn: []) { try leaves.identity(for: $0) })
        defer { pair.finish() }
        try pair.handshake()
        let error = try #require(pair.clientEnd.errors.first)
        #expect(error.code == .certificateRejected)
        #expect(error.message.contains("certificate has expired") && error.message.contains("is valid from"))
        #expect(error.rejection?.isUntrustedIssuer == false)
    }

    @Test func acceptsAnythingWhenToldTo() async throws {
        #expect(try await rejection([], host: "other.example", verifiesPeer: false) == nil)
    }

    @Test func namesTheFileOfRootsThatCannotBeRead() throws {
        let missing = folder.path + "/missing.pem"
        #expect { try TLSClientContext(extraRoots: [missing], alpn: []) } throws: {
            ($0 as? TLSError)?.code == .configuration && "\($0)".contains(missing)
        }
        #expect { try TLSClientContext(extraRoots: [], alpn: [], systemBundle: missing) } throws: {
            ($0 as? TLSError)?.code == .configuration && "\($0)".contains(missing)
        }
    }

    @Test(arguments: ["", "a\0b"]) func refusesAHostThatIsNone(_ host: String) throws {
        let pair = try EmbeddedPair(host: host)
        defer { pair.finish() }
        try pair.handshake()
        #expect(pair.clientEnd.errors.map(\.code) == [.configuration])
    }
}
