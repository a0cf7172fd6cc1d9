import Foundation
import PlayheadTrust
import Testing

struct NSSStoresTests {
    private let folder: TemporaryFolder
    private let tool: String

    init() throws {
        folder = try TemporaryFolder()
        try folder.addTool("certutil")
        tool = folder.path + "/bin/certutil"
    }

    @Test func findsEveryPlace() throws {
        let places = [
            "home/.pki/nssdb/cert9.db", "home/snap/chromium/current/.pki/nssdb/cert9.db", "etc/pki/nssdb/cert8.db",
            "home/.mozilla/firefox/a.default/cert9.db", "home/.mozilla/firefox/b c.old/cert8.db",
            "home/snap/firefox/common/.mozilla/firefox/s.default/cert9.db",
            "home/.var/app/org.mozilla.firefox/.mozilla/firefox/f.default/cert9.db",
            "home/.config/mozilla/firefox/x.default/cert9.db", "home/.local/share/pki/nssdb/cert9.db",
            "home/Library/Application Support/Firefox/Profiles/m.default/cert9.db",
        ]
        for place in places { try folder.write("", place) }
        try folder.write("", "home/.mozilla/firefox/Crash Reports/events")
        let certificate = try folder.localCertificate()
        let plan = try NSSStores().installation(of: certificate, on: folder.host())
        let wanted = places.map { place in
            let database = folder.path + "/" + place.dropLast("/cert9.db".count)
            return (place.hasSuffix("8.db") ? "dbm:" : "sql:") + database
        }
        #expect(Set(plan.map { $0.arguments[3] }) == Set(wanted))
        #expect(plan.count == places.count)
        for command in plan {
            #expect(
                command.arguments == [
                    tool, "-A", "-d", command.arguments[3], "-t", "C,,", "-n", certificate.name, "-i", certificate.path,
                ])
        }
    }

    @Test func createsChromiumsDatabaseOnlyWhereThereIsAChromium() throws {
        let certificate = try folder.localCertificate()
        try folder.addTool("google-chrome")
        let database = folder.path + "/home/.pki/nssdb"
        #expect(
            lines(try NSSStores().installation(of: certificate, on: folder.host())) == [
                "mkdir -p -m 0700 \(database)", "\(tool) -N -d sql:\(database) --empty-password",
                "\(tool) -A -d sql:\(database) -t C,, -n '\(certificate.name)' -i \(certificate.path)",
            ])
    }

    @Test func removesOnlyTheVeryCertificate() throws {
        try folder.write("", "home/.pki/nssdb/cert9.db")
        let ours = try folder.localCertificate(1)
        let foreign = Array(try folder.localCertificate(2).certificate.pem.utf8)
        // Same nickname, other octets.
        let host = folder.host(runner: ScriptedRunner { _ in CommandResult(status: 0, output: foreign) })
        #expect(try NSSStores().removal(of: ours, on: host).isEmpty)
    }

    @Test(.enabled(if: isInstalled("certutil"), "no certutil here"))
    func worksWithTheRealCommand() throws {
        let certificate = try folder.realCertificate()
        for home in ["home/.pki/nssdb", "home/.mozilla/firefox/x y.default"] {
            let database = folder.path + "/" + home
            try FileManager.default.createDirectory(atPath: database, withIntermediateDirectories: true)
            #expect(try shell(["certutil", "-N", "-d", "sql:" + database, "--empty-password"]).status == 0)
        }
        let host = TrustHost(
            system: .linux, root: folder.path, home: folder.path + "/home", environment: testEnvironment)
        let stores = TrustStores(host: host, drivers: [NSSStores()])
        #expect(try NSSStores().state(of: certificate, on: host) == .missing)
        #expect(stores.install(certificate)[0].outcome == .changed)
        #expect(stores.install(certificate)[0].outcome == .unchanged)

        let list = try shell(["certutil", "-L", "-d", "sql:\(folder.path)/home/.pki/nssdb"])
        #expect(list.text.contains(certificate.name))
        // Held without trust is not installed, and is repaired.
        let untrust = try shell([
            "certutil", "-M", "-d", "sql:\(folder.path)/home/.pki/nssdb", "-n", certificate.name, "-t", ",,",
        ])
        #expect(untrust.status == 0)
        #expect(try NSSStores().state(of: certificate, on: host) == .missing)
        #expect(stores.install(certificate)[0].outcome == .changed)

        #expect(stores.uninstall(certificate)[0].outcome == .changed)
        #expect(stores.uninstall(certificate)[0].outcome == .unchanged)
        #expect(try !shell(["certutil", "-L", "-d", "sql:\(folder.path)/home/.pki/nssdb"]).text.contains("Playhead"))
    }
}
