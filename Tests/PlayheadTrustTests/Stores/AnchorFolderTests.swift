import Foundation
import PlayheadTrust
import Testing

/// The distributions that differ in paths and the command only.
struct AnchorFolderTests {
    struct Layout: Sendable, CustomTestStringConvertible {
        let driver: any TrustStoreDriver
        let folder: String
        let suffix: String
        let bundle: String
        let tool: String
        let arguments: [String]
        var testDescription: String { driver.name }
    }

    static let layouts = [
        Layout(
            driver: AnchorFolderStore.fedora, folder: "etc/pki/ca-trust/source/anchors", suffix: ".pem",
            bundle: "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", tool: "update-ca-trust", arguments: ["extract"]),
        Layout(
            driver: AnchorFolderStore.arch, folder: "etc/ca-certificates/trust-source/anchors", suffix: ".crt",
            bundle: "etc/ca-certificates/extracted/tls-ca-bundle.pem", tool: "trust", arguments: ["extract-compat"]),
        Layout(
            driver: AnchorFolderStore.suse, folder: "usr/share/pki/trust/anchors", suffix: ".pem",
            bundle: "var/lib/ca-certificates/ca-bundle.pem", tool: "update-ca-certificates", arguments: []),
    ]

    @Test(arguments: layouts) func installsAndRemoves(layout: Layout) throws {
        let folder = try TemporaryFolder()
        let certificate = try folder.localCertificate()
        let host = folder.host()
        guard case .notPresent = try layout.driver.state(of: certificate, on: host) else {
            Issue.record("present on an empty machine")
            return
        }
        try folder.addTool(layout.tool)
        try folder.write("", layout.folder + "/.keep")
        let file = "\(folder.path)/\(layout.folder)/playhead-0101010101010101\(layout.suffix)"
        let update = ([folder.path + "/bin/" + layout.tool] + layout.arguments).joined(separator: " ")
        #expect(try layout.driver.state(of: certificate, on: host) == .missing)
        #expect(
            lines(try layout.driver.installation(of: certificate, on: host)) == [
                "install -D -m 0644 \(certificate.path) \(file)", update,
            ])

        try FileManager.default.copyItem(atPath: certificate.path, toPath: file)
        try folder.write(certificate.certificate.pem, layout.bundle)
        #expect(try layout.driver.state(of: certificate, on: host) == .installed)
        #expect(try layout.driver.installation(of: certificate, on: host).isEmpty)
        #expect(lines(try layout.driver.removal(of: certificate, on: host)) == ["rm -f \(file)", update])
    }

    @Test func aDamagedFileOfOursIsWrittenAgain() throws {
        let folder = try TemporaryFolder()
        let certificate = try folder.localCertificate()
        try folder.addTool("update-ca-trust")
        let file = "etc/pki/ca-trust/source/anchors/playhead-0101010101010101.pem"
        try folder.write("half a cert", file)
        let plan = try AnchorFolderStore.fedora.installation(of: certificate, on: folder.host())
        #expect(plan.first?.arguments == ["install", "-D", "-m", "0644", certificate.path, folder.path + "/" + file])
    }

    @Test func prefersTheAdministratorsFolderOfSUSE() throws {
        let folder = try TemporaryFolder()
        try folder.addTool("update-ca-certificates")
        try folder.write("", "usr/share/pki/trust/anchors/.keep")
        try folder.write("", "etc/pki/trust/anchors/.keep")
        let plan = try AnchorFolderStore.suse.installation(of: try folder.localCertificate(), on: folder.host())
        #expect(plan[0].arguments.last == folder.path + "/etc/pki/trust/anchors/playhead-0101010101010101.pem")
    }
}
