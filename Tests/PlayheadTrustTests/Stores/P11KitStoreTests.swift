import Foundation
import PlayheadTrust
import Testing

struct P11KitStoreTests {
    @Test func storesAndRemovesAnAnchor() throws {
        let folder = try TemporaryFolder()
        try folder.addTool("trust")
        let certificate = try folder.localCertificate()
        let tool = folder.path + "/bin/trust"
        let empty = ScriptedRunner()
        let store = P11KitStore()
        #expect(
            lines(try store.installation(of: certificate, on: folder.host(runner: empty))) == [
                "\(tool) anchor --store \(certificate.path)"
            ])
        let command = try #require(empty.commands.first)
        #expect(command.dropLast() == [tool, "extract", "--format=pem-bundle", "--filter=ca-anchors"])
        let file = try #require(command.last)
        #expect(file.hasPrefix("/"))
        #expect(!FileManager.default.fileExists(atPath: String(file.dropLast("/anchors.pem".count))))
        #expect(try store.removal(of: certificate, on: folder.host(runner: empty)).isEmpty)

        let pem = certificate.certificate.pem
        let holding = folder.host(
            runner: ScriptedRunner { arguments in
                let file = arguments.last ?? ""
                let done = (try? pem.write(toFile: file, atomically: false, encoding: .utf8)) != nil
                return CommandResult(status: done ? 0 : 1)
            })
        #expect(try store.state(of: certificate, on: holding) == .installed)
        #expect(try store.installation(of: certificate, on: holding).isEmpty)
        #expect(
            lines(try store.removal(of: certificate, on: holding)) == ["\(tool) anchor --remove \(certificate.path)"])
    }

    @Test(arguments: ["usr/local/share/ca-certificates/.keep", "etc/pki/ca-trust/source/anchors/.keep", "etc/NIXOS"])
    func leavesSystemsWithTheirOwnStoreAlone(file: String) throws {
        let folder = try TemporaryFolder()
        try folder.addTool("trust")
        try folder.write("", file)
        let certificate = try folder.localCertificate()
        let state = try P11KitStore().state(of: certificate, on: folder.host())
        guard case .notPresent(let reason) = state else {
            Issue.record("present")
            return
        }
        if file == "etc/NIXOS" {
            #expect(reason.contains("security.pki.certificateFiles = [ \(certificate.path) ];"))
        }
        #expect(try P11KitStore().installation(of: certificate, on: folder.host()).isEmpty)
    }
}
