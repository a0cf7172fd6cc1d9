import Foundation
import Testing

/// `cert export` and `cert rotate`, read by the programs that they are for.
@Suite("Certificate files", .timeLimit(.minutes(5)))
struct CertificateExportTests {
    private func cert(_ bench: Workbench, _ arguments: [String]) async throws -> Workbench.Finished {
        try await bench.playhead(["cert"] + arguments + ["--ca-dir", bench.folder + "/ca"])
    }

    private func export(_ bench: Workbench, _ format: String) async throws -> String {
        let file = bench.file("ca." + format)
        let done = try await self.cert(bench, ["export", "--format", format, "--output", file])
        try #require(done.code == 0, "\(done.errors)")
        return file
    }

    @Test func everyFormHoldsTheSameCertificateAndNoKey() async throws {
        try await withWorkbench { bench in
            func digest(_ arguments: [String]) async throws -> String {
                let done = try await bench.finish(["openssl", "x509", "-noout", "-fingerprint", "-sha256"] + arguments)
                #expect(done.code == 0, "\(done.errors)")
                return done.text
            }
            let ours = try await digest(["-in", self.export(bench, "pem")])
            #expect(try await digest(["-inform", "DER", "-in", self.export(bench, "der")]) == ours)
            // Ours is the first of the bundle.
            #expect(try await digest(["-in", self.export(bench, "bundle")]) == ours)
            let profile = try Data(contentsOf: URL(fileURLWithPath: try await self.export(bench, "mobileconfig")))
            let list = try PropertyListSerialization.propertyList(from: profile, options: [], format: nil)
            let payload = ((list as? [String: Any])?["PayloadContent"] as? [[String: Any]])?.first
            let der = try bench.write("profile.der", try #require(payload?["PayloadContent"] as? Data))
            #expect(try await digest(["-inform", "DER", "-in", der]) == ours)
            for format in ["pem", "bundle", "p12", "jks", "mobileconfig"] {
                let octets = try Data(contentsOf: URL(fileURLWithPath: try await self.export(bench, format)))
                #expect(octets.range(of: Data("PRIVATE KEY".utf8)) == nil)
            }
            #expect(try await self.cert(bench, ["export", "--format", "xyz"]).code == 64)
        }
    }

    @Test(
        .enabled(if: Tool.has("keytool"), "keytool is not installed"), arguments: [("p12", "PKCS12"), ("jks", "JKS")])
    func javaReadsItsStores(format: String, type: String) async throws {
        try await withWorkbench { bench in
            let file = try await self.export(bench, format)
            let list = try await bench.finish(
                ["keytool", "-list", "-keystore", file, "-storetype", type, "-storepass", "changeit"])
            #expect(list.code == 0, "\(list.text)")
            let shown = try await self.cert(bench, ["show"])
            let digest = try #require(shown.text.split(separator: "\n").first { $0.hasPrefix("sha256:") })
            #expect(list.text.contains(digest.dropFirst(7).trimmingCharacters(in: .whitespaces)))
        }
    }

    @Test func rotationMakesANewCAAndTellsTheStores() async throws {
        try await withWorkbench { bench in
            func name(_ shown: Workbench.Finished) -> String {
                let line = shown.text.split(separator: "\n").first ?? "?"
                return line.dropFirst(5).trimmingCharacters(in: .whitespaces)
            }
            let first = try await self.cert(bench, ["show"])
            let planned = try await self.cert(bench, ["rotate", "--dry-run"])
            #expect(planned.code == 0, "\(planned.errors)")
            #expect(try await self.cert(bench, ["show"]).text == first.text)
            let database = "sql:" + bench.folder + "/home/.pki/nssdb"
            if Tool.has("certutil") {
                try FileManager.default.createDirectory(
                    atPath: bench.folder + "/home/.pki/nssdb", withIntermediateDirectories: true)
                let pem = try await self.export(bench, "pem")
                for arguments in [
                    ["-N", "--empty-password"], ["-A", "-t", "C,,", "-n", name(first), "-i", pem],
                ] {
                    let done = try await bench.finish(["certutil", "-d", database] + arguments)
                    try #require(done.code == 0, "\(done.errors)")
                }
            }
            let done = try await self.cert(bench, ["rotate", "-y"])
            #expect(done.code == 0, "\(done.errors)")
            let second = try await self.cert(bench, ["show"])
            #expect(second.text != first.text)
            let mode = try FileManager.default.attributesOfItem(atPath: bench.folder + "/ca/ca.key")[.posixPermissions]
            #expect(mode as? Int == 0o600)
            guard Tool.has("certutil") else { return }
            #expect(done.text.contains("nss: old CA removed") && done.text.contains("nss: installed"), "\(done.text)")
            let list = try await bench.finish(["certutil", "-d", database, "-L"])
            #expect(list.text.contains(name(second)) && !list.text.contains(name(first)), "\(list.text)")
        }
    }
}
