import PlayheadCA
import PlayheadTLS
import Testing

/// The server role against the `openssl` program as an independent client.
@Suite struct OpenSSLClientTests {
    let folder: TemporaryFolder
    let roots: String

    init() throws {
        folder = try TemporaryFolder()
        roots = try folder.write(TestAuthority.shared.certificatePEM, to: "ca.pem")
    }

    private func connect(
        _ server: LoopbackServer, _ arguments: [String], input: String = "?\n"
    ) async throws -> Tool.Outcome {
        try await Tool.run(
            "openssl",
            [
                "s_client", "-connect", "127.0.0.1:\(server.port)", "-CAfile", roots, "-verify_return_error",
                "-x509_strict", "-ign_eof",
            ] + arguments, input: input)
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"]) func acceptsBothVersions(_ version: String) async throws {
        let server = try await LoopbackServer.start(TestAuthority.serverContext(alpn: ["h2", "http/1.1"]))
        let outcome = try await connect(
            server,
            [version, "-servername", "A.example", "-verify_hostname", "a.example", "-alpn", "http/1.1", "-quiet"])
        #expect(outcome.output.contains("<sni=a.example alpn=http/1.1"))
        #expect(outcome.output.contains(version == "-tls1_2" ? "version=TLSv1.2" : "version=TLSv1.3"))
        try await server.stop()
    }

    @Test func refusesOlderVersions() async throws {
        let server = try await LoopbackServer.start(TestAuthority.serverContext())
        let outcome = try await connect(server, ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"])
        #expect(outcome.status != 0)
        #expect(outcome.output.contains("alert protocol version"))
        try await server.stop()
    }

    @Test func showsTheCertificateOfTheFallbackNameWithoutSNI() async throws {
        let server = try await LoopbackServer.start(TestAuthority.serverContext(), fallbackName: "127.0.0.1")
        let outcome = try await connect(server, ["-noservername", "-verify_ip", "127.0.0.1", "-quiet"])
        #expect(outcome.output.contains("<sni=- alpn=-"))
        try await server.stop()
    }

    @Test func tellsAClientThatItsNameIsIllegal() async throws {
        let server = try await LoopbackServer.start(TestAuthority.serverContext())
        let outcome = try await connect(server, ["-servername", "*.example"])
        #expect(outcome.output.contains("unrecognized name"))
        try await server.stop()
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"]) func resumesSessionsUnderTheSameNameOnly(_ version: String) async throws {
        let server = try await LoopbackServer.start(TestAuthority.serverContext())
        let session = folder.path + "/session" + version
        let first = try await connect(server, [version, "-servername", "a.example", "-sess_out", session])
        #expect(first.output.contains("resumed=false"))
        let second = try await connect(server, [version, "-servername", "a.example", "-sess_in", session])
        #expect(second.output.contains("Reused, "))
        #expect(second.output.contains("resumed=true"))
        let other = try await connect(server, [version, "-servername", "b.example", "-sess_in", session])
        #expect(other.output.contains("resumed=false"))
        #expect(other.output.contains("subject=CN = b.example"))
        try await server.stop()
    }

    @Test func refusesToRenegotiate() async throws {
        let server = try await LoopbackServer.start(TestAuthority.serverContext())
        // The line R makes s_client renegotiate; it gives up when that is refused. Its input must not end before, so it
        // is a FIFO that its reader holds open for writing too.
        let script = #"mkfifo "$0" && exec 3<>"$0" && echo R >&3 && exec "$@" <&3"#
        let outcome = try await Tool.run(
            "sh",
            [
                "-c", script, folder.path + "/input", "openssl", "s_client", "-connect", "127.0.0.1:\(server.port)",
                "-CAfile", roots, "-tls1_2",
            ])
        #expect(outcome.output.contains("no renegotiation"))
        try await server.stop()
    }
}
