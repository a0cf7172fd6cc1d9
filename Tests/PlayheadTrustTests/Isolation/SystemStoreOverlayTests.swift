import Foundation
import Testing

@testable import PlayheadTrust

struct SystemStoreOverlayTests {
    private let folder: TemporaryFolder
    private let ours = certificate(1)

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(certificate(2).pem, "usr/share/ca-certificates/Root.crt")
        try folder.write("old bundle", "etc/ssl/certs/ca-certificates.crt")
        try folder.write(certificate(3).pem, "etc/ssl/certs/0123abcd.0")
        try folder.write("java", "etc/ssl/certs/java/cacerts")
        try link("etc/ssl/certs/Root.pem", to: folder.path + "/usr/share/ca-certificates/Root.crt")
        try link("etc/ssl/certs/89abcdef.0", to: "Root.pem")
        try link("etc/ssl/certs/relative.pem", to: "../../../usr/share/ca-certificates/Root.crt")
        try link("etc/ssl/cert.pem", to: "certs/ca-certificates.crt")
    }

    private func link(_ name: String, to end: String) throws {
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/" + name, withDestinationPath: end)
    }

    private func prepare(strict: Bool = false) throws -> (files: TrustFiles, binds: [Isolation.Bind]) {
        let files = try TrustFiles.write(
            into: folder.path + "/out", caPEM: ours.pem, subjectHash: "0123abcd",
            roots: strict ? nil : SystemRoots(environment: [:], root: folder.path),
            javaStore: TrustFiles.JavaStore(bytes: [1], password: "changeit"), environment: [:], home: "/nowhere")
        return (
            files,
            try SystemStoreOverlay(files: files, strictOnlyOurs: strict, root: folder.path)
                .prepare(into: folder.path + "/system")
        )
    }

    /// The temporary folder may itself lie behind a link.
    private var real: String { FileAccess.resolved(folder.path) ?? folder.path }

    @Test func coversTheFolderFirstThenTheFilesInIt() throws {
        let (files, binds) = try prepare()
        #expect(
            binds == [
                Isolation.Bind(folder.path + "/system/0", over: real + "/etc/ssl/certs"),
                Isolation.Bind(files.bundleFile, over: real + "/etc/ssl/certs/ca-certificates.crt"),
                Isolation.Bind(folder.path + "/out/truststore.p12", over: real + "/etc/ssl/certs/java/cacerts"),
            ])
        // What a file will cover must be there to be covered.
        #expect(try folder.text("system/0/ca-certificates.crt").isEmpty)
        #expect(try folder.text("system/0/java/cacerts").isEmpty)
    }

    @Test func theCopyHoldsTheMachinesRootsAndOurs() throws {
        _ = try prepare()
        #expect(try folder.text("system/0/0123abcd.0") == certificate(3).pem)
        #expect(try folder.text("system/0/0123abcd.1") == ours.pem)
        for name in ["Root.pem", "89abcdef.0", "relative.pem"] {
            #expect(try folder.text("system/0/" + name) == certificate(2).pem)
        }
    }

    @Test func strictHoldsOursAlone() throws {
        _ = try prepare(strict: true)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/system/0").sorted()
        #expect(names == ["0123abcd.0", "ca-certificates.crt", "java"])
        #expect(try folder.text("system/0/0123abcd.0") == ours.pem)
    }

    @Test func aMachineWithoutAStoreIsTold() throws {
        let files = TrustFiles(folder: folder.path + "/out")
        let overlay = SystemStoreOverlay(files: files, strictOnlyOurs: false, root: folder.path + "/empty")
        let error = #expect(throws: TrustError.self) { try overlay.prepare(into: folder.path + "/system") }
        #expect(error?.code == .isolationRefused)
    }
}
