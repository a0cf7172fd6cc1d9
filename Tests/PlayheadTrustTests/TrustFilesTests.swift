import Foundation
import PlayheadTrust
import Testing

struct TrustFilesTests {
    private let folder: TemporaryFolder
    private let ours = certificate(1)

    init() throws { folder = try TemporaryFolder() }

    private func write(
        roots: Bool = true, environment: [String: String] = [:], javaStore: TrustFiles.JavaStore? = nil
    ) throws -> TrustFiles {
        try TrustFiles.write(
            into: folder.path + "/out/deep", caPEM: ours.pem, subjectHash: "0123abcd",
            roots: roots ? SystemRoots(environment: environment, root: folder.path) : nil, javaStore: javaStore,
            environment: environment, home: folder.path)
    }

    @Test func bundleHoldsOursFirstThenTheSystemRootsOnce() throws {
        try folder.write(
            "# Some Root\n" + certificate(2).pem + certificate(2).pem + ours.pem, "etc/ssl/certs/ca-certificates.crt")
        let files = try write()
        #expect(try folder.text("out/deep/bundle.pem") == ours.pem + certificate(2).pem)
        #expect(try folder.text("out/deep/ca.pem") == ours.pem)
        #expect(try folder.text("out/deep/certs/0123abcd.0") == ours.pem)
        #expect(files.bundleFile == folder.path + "/out/deep/bundle.pem")
        #expect(files.addedFile == files.caFile)
    }

    @Test func strictBundleHoldsOursAlone() throws {
        try folder.write(certificate(2).pem, "etc/ssl/cert.pem")
        _ = try write(roots: false)
        #expect(try folder.text("out/deep/bundle.pem") == ours.pem)
    }

    @Test func userFilesAreTheBaseOfTheBundle() throws {
        try folder.write(certificate(2).pem, "etc/ssl/cert.pem")
        try folder.write(certificate(3).pem, "mine.pem")
        try folder.write(certificate(4).pem + certificate(3).pem, "corp.pem")
        _ = try write(environment: [
            "SSL_CERT_FILE": folder.path + "/mine.pem", "REQUESTS_CA_BUNDLE": folder.path + "/corp.pem",
            "GIT_SSL_CAINFO": "/does/not/exist",
        ])
        #expect(try folder.text("out/deep/bundle.pem") == ours.pem + certificate(3).pem + certificate(4).pem)
    }

    @Test func unreadableUserFileFallsBackToTheSystem() throws {
        try folder.write(certificate(2).pem, "etc/ssl/cert.pem")
        _ = try write(environment: ["SSL_CERT_FILE": "/does/not/exist"])
        #expect(try folder.text("out/deep/bundle.pem") == ours.pem + certificate(2).pem)
    }

    @Test func joinsTheUsersExtraCertificatesForNode() throws {
        try folder.write(certificate(5).pem, "extra.pem")
        let files = try write(environment: ["NODE_EXTRA_CA_CERTS": folder.path + "/extra.pem"])
        #expect(try String(contentsOfFile: files.addedFile, encoding: .utf8) == ours.pem + certificate(5).pem)
        #expect(try folder.text("out/deep/ca.pem") == ours.pem)
    }

    @Test func otherUsersCanReadWhateverTheMask() throws {
        _ = try write(javaStore: .init(bytes: [1, 2, 3], password: "p"))
        #expect(try folder.mode("out/deep") == 0o755)
        #expect(try folder.mode("out/deep/certs") == 0o755)
        for name in ["ca.pem", "bundle.pem", "truststore.p12", "wgetrc", "php/playhead.ini"] {
            #expect(try folder.mode("out/deep/" + name) == 0o644, "\(name)")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/out/deep")
        #expect(names.sorted() == ["bundle.pem", "ca.pem", "certs", "php", "truststore.p12", "wgetrc"])
    }

    @Test func replacesItsOwnFilesAndFollowsNoPlantedLink() throws {
        _ = try write()
        let target = folder.path + "/precious"
        try folder.write("precious", "precious")
        let file = folder.path + "/out/deep/bundle.pem"
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: target)
        _ = try write()
        #expect(try folder.text("precious") == "precious")
        #expect(try folder.text("out/deep/bundle.pem") == ours.pem)
    }

    @Test func wgetSettingsKeepTheUsersButTheirProxyAndRoots() throws {
        try folder.write(
            "tries = 3\nHTTPS-Proxy = http://corp\nuse_proxy=off\n ca_certificate = /x\n#note", ".wgetrc")
        let files = try write()
        #expect(
            try folder.text("out/deep/wgetrc")
                == "tries = 3\n#note\nuse_proxy = on\nca_certificate = \(files.bundleFile)\n"
                + "ca_directory = \(files.hashedFolder)\n")
    }

    @Test func refusesARelativeFolderAndATextThatIsNoCertificate() {
        #expect(throws: TrustError(.badInput, "")) {
            try TrustFiles.write(
                into: "here", caPEM: ours.pem, subjectHash: "0", roots: nil, javaStore: nil, environment: [:], home: "/"
            )
        }
        #expect(throws: TrustError(.badInput, "")) {
            try TrustFiles.write(
                into: folder.path, caPEM: "nothing", subjectHash: "0", roots: nil, javaStore: nil, environment: [:],
                home: "/")
        }
    }

    @Test func aFileInTheWayIsAnErrorThatNamesIt() throws {
        try folder.write("", "out")
        let error = #expect(throws: TrustError.self) { try write() }
        #expect(error?.code == .cannotWrite)
        #expect(error?.message.contains(folder.path + "/out") == true)
    }
}
