import Foundation
import PlayheadTrust
import Testing

struct JavaHomesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func addHome(_ name: String, store: String = "lib/security/cacerts") throws -> String {
        try folder.write("#!/bin/sh\n", "\(name)/bin/keytool", mode: 0o755)
        try folder.write("", "\(name)/\(store)")
        return folder.path + "/" + name
    }

    /// A host whose only Java is the given one: the tools of this machine are out of reach.
    private func host(_ home: String, output: String = "", status: Int32 = 0) -> TrustHost {
        folder.host(
            variables: ["JAVA_HOME": home],
            runner: ScriptedRunner { _ in CommandResult(status: status, output: Array(output.utf8)) })
    }

    @Test(arguments: ["lib/security/cacerts", "jre/lib/security/cacerts"])
    func importsIntoTheStoreOfTheHome(store: String) throws {
        let certificate = try folder.localCertificate()
        let home = try addHome("jdk", store: store)
        #expect(
            lines(try JavaHomes().installation(of: certificate, on: host(home))) == [
                "\(home)/bin/keytool -importcert -noprompt -keystore \(home)/\(store) -storepass changeit "
                    + "-file \(certificate.path) -alias playhead-0101010101010101"
            ])
    }

    @Test func findsTheNameByTheOctets() throws {
        let certificate = try folder.localCertificate()
        let home = try addHome("jdk")
        let listing =
            "Keystore type: PKCS12\n\nAlias name: other\nEntry type: trustedCertEntry\n\(PEMCertificate(der: [9]).pem)\n"
            + "Alias name: debian:playhead.pem\nEntry type: trustedCertEntry\n\n\(certificate.certificate.pem)\n\n"
        let host = host(home, output: listing)
        #expect(try JavaHomes().state(of: certificate, on: host) == .installed)
        #expect(try JavaHomes().installation(of: certificate, on: host).isEmpty)
        #expect(
            lines(try JavaHomes().removal(of: certificate, on: host)) == [
                "\(home)/bin/keytool -delete -keystore \(home)/lib/security/cacerts -storepass changeit "
                    + "-alias debian:playhead.pem"
            ])
    }

    @Test func aStoreWithAnotherPasswordIsAnErrorNotAMiss() throws {
        let home = try addHome("jdk")
        let host = host(home, output: "keytool error: password was incorrect\n", status: 1)
        let error = #expect(throws: TrustError.self) {
            try JavaHomes().state(of: try folder.localCertificate(), on: host)
        }
        #expect(error?.message.contains("password was incorrect") == true)
    }

    @Test func findsTheHomeOfTheJavaInPathOnce() throws {
        let home = try addHome("opt/jdk-17")
        try folder.write("#!/bin/sh\n", "opt/jdk-17/bin/java", mode: 0o755)
        try folder.write("", "bin/.keep")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/bin/java", withDestinationPath: home + "/bin/java")
        let certificate = try folder.localCertificate()
        #expect(try JavaHomes().installation(of: certificate, on: folder.host()).count == 1)
        #expect(try JavaHomes().installation(of: certificate, on: host(home)).count == 1)
    }

    @Test(.enabled(if: isInstalled("keytool"), "no keytool here"))
    func worksWithTheRealCommand() throws {
        let certificate = try folder.realCertificate()
        guard case .found(let keytool) = ExecutableSearch.find("keytool", path: testEnvironment["PATH"]) else { return }
        let home = folder.path + "/jdk"
        try folder.write("", "jdk/lib/security/.keep")
        try folder.write("#!/bin/sh\nexec '\(keytool)' \"$@\"\n", "jdk/bin/keytool", mode: 0o755)
        let other = try TemporaryFolder()
        let foreign = try other.realCertificate()
        let made = try shell([
            keytool, "-importcert", "-noprompt", "-keystore", home + "/lib/security/cacerts", "-storepass", "changeit",
            "-file", foreign.path, "-alias", "foreign",
        ])
        #expect(made.status == 0, "\(made.text)")

        var environment = testEnvironment
        environment["JAVA_HOME"] = home
        // Without the folders of this machine's own java, which the test must not touch.
        environment["PATH"] = "/nowhere"
        let host = TrustHost(system: .linux, root: folder.path, home: folder.path, environment: environment)
        let stores = TrustStores(host: host, drivers: [JavaHomes()])
        #expect(stores.install(certificate)[0].outcome == .changed)
        #expect(stores.install(certificate)[0].outcome == .unchanged)
        #expect(stores.uninstall(certificate)[0].outcome == .changed)
        #expect(stores.uninstall(certificate)[0].outcome == .unchanged)
        #expect(try JavaHomes().state(of: foreign, on: host) == .installed)
    }
}
