import Foundation
import Testing

/// Servers that want to know who asks.
@Suite("Client certificates", .timeLimit(.minutes(10)))
struct ClientCertificateTests {
    private static let curl = ["curl", "-si", "--max-time", "60", "https://api.example.test/whoami"]

    private func entry(_ host: String, _ certificate: String = "client.pem", key: String = "client.key") throws
        -> [String]
    {
        ["--client-cert", "\(host)=\(try Certificates.file(certificate)),\(try Certificates.file(key))"]
    }

    @Test(arguments: [("mutual", "api.example.test"), ("mutual12", "*.example.test")])
    func showsTheCertificateOfTheHost(listener: String, host: String) async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin, https: listener) + self.entry(host)
            let live = try await bench.run(options, Self.curl)
            #expect(live.text.contains("client-of-the-test"), "\(live.text)\n\(live.errors)")
            origin.stop()
            let replay = try await bench.run(options, Self.curl)
            expectSameBytes(live.output, replay.output)
            #expect(try !bench.cassetteText().contains("PRIVATE"))
        }
    }

    @Test(arguments: ["mutual", "mutual12"])
    func namesTheOptionWhenTheServerWantsOne(listener: String) async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin, https: listener)
            let none = try await bench.run(options + self.entry("other.example.test"), Self.curl)
            #expect(none.text.contains(" 502 "), "\(none.text)\n\(none.errors)")
            #expect(none.text.contains("--client-cert api.example.test=CERT,KEY"), "\(none.text)")
            let wrong = try await bench.run(
                options + self.entry("api.example.test", "stranger.pem") + ["--mode", "all"], Self.curl)
            #expect(wrong.text.contains(" 502 "), "\(wrong.text)\n\(wrong.errors)")
            #expect(wrong.text.contains("does not accept our client certificate"), "\(wrong.text)")
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func anEncryptedKeyIsAClearError() async throws {
        try await withWorkbench { bench in
            let done = try await bench.run(
                try self.entry("api.example.test", key: "client-encrypted.key"), ["true"])
            #expect(done.code == 64)
            #expect(done.errors.contains("client-encrypted.key, which is encrypted"), "\(done.errors)")
            #expect(done.errors.contains("openssl pkey"))
        }
    }
}
