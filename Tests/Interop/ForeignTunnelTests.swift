import Foundation
import Testing

/// Clients inside a tunnel that do not speak HTTP, or do not want our certificate: each is told the way out.
@Suite("Foreign tunnels", .timeLimit(.minutes(10)))
struct ForeignTunnelTests {
    private static let fix = "--tunnel api.example.test"

    @Test(.enabled(if: ClientPython.path != nil, "no python3"))
    func octetsThatAreNotHTTPAreRefusedInsideTLSToo() async throws {
        try await withWorkbench { bench in
            let python = try #require(ClientPython.path)
            let origin = try await bench.origin()
            // An MQTT CONNECT packet.
            let input = try bench.write("packet", Data([0x10, 0x0C, 0, 4] + Array("MQTT".utf8) + [4, 2, 0, 60, 0, 0]))
            let run = try await bench.run(
                try bench.options(for: origin),
                [python, Playhead.resource("Clients/raw.py"), "api.example.test", "443", "tls"], input: input)
            #expect(run.text.hasPrefix("HTTP/1.1 400 "), "\(run.text)")
            #expect(run.text.contains(Self.fix))
            #expect(run.errors.contains(Self.fix), "\(run.errors)")
            #expect(origin.requests.isEmpty)
        }
    }

    /// curl looks at the key after the handshake, which has succeeded then, and sends no alert.
    @Test(.enabled(if: Tool.has("curl"), "curl is not installed"))
    func aClientThatPinsItsCertificateIsReported() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let pin = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
            let options = try bench.options(for: origin)
            let url = "https://api.example.test/json"
            let run = try await bench.run(options, ["curl", "-s", "--pinnedpubkey", pin, url])
            // curl's code for a pin that does not match.
            #expect(run.code == 90, "\(run.errors)")
            #expect(run.errors.contains(Self.fix), "\(run.errors)")
            let good = try await bench.run(options, ["curl", "-s", url])
            #expect(good.code == 0 && !good.errors.contains("--tunnel"), "\(good.errors)")
        }
    }

    @Test(.enabled(if: Tool.has("curl"), "curl is not installed"))
    func aClientThatDistrustsIsReportedWithTheAlert() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let run = try await bench.run(
                try bench.options(for: origin),
                ["curl", "-s", "--cacert", try Certificates.file("ca.pem"), "https://api.example.test/json"])
            #expect(run.code == 60, "\(run.errors)")
            #expect(run.errors.contains("api.example.test") && run.errors.contains("unknown"), "\(run.errors)")
            #expect(run.errors.contains(Self.fix), "\(run.errors)")
        }
    }
}
