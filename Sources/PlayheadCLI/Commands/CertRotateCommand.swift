import ArgumentParser
import PlayheadCA
import PlayheadCassette
import PlayheadTrust

/// `playhead cert rotate`: a new CA in the place of the old one.
struct CertRotateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Make a new CA; the stores that knew the old one get it instead.",
        discussion: """
            A running `serve` keeps the old CA until it is started again. When the old CA cannot be taken out of a \
            store, no new one is made.

            EXAMPLES
              playhead cert rotate --dry-run   print the commands for the stores
              playhead cert rotate -y
            """)

    @OptionGroup var place: CertCommand.Place
    @Flag(help: "Print the commands instead of running them.") var dryRun = false
    @Flag(name: .shortAndLong, help: "Do not ask before sudo.") var yes = false

    func run() throws {
        try CommandBoundary.run {
            let setup = try self.place.setup()
            guard setup.settings.text(.caCertificate) == nil else {
                throw CommandFailure(
                    .usage,
                    "\(setup.settings.place(of: .caCertificate)) names your own CA; make a new one as you made that.")
            }
            let consent = SudoConsent(isGiven: self.yes).ask
            let known = try self.forget(consent)
            if self.dryRun { return }
            try setup.requireFolder(setup.caDirectory, .caDirectory)
            let made = try CertificateAuthority.rotate(
                directory: setup.caDirectory, userAtHost: setup.host.userAtHost(),
                now: setup.host.now().milliseconds / 1000)
            Terminal.result("new CA: \(made.commonName), \(setup.caDirectory)/ca.pem")
            guard !known.isEmpty else { return }
            let certificate = try CertCommand.Place.certificate(made, path: setup.caDirectory + "/ca.pem")
            let stores = CertCommand.Place.machine().limited(to: known)
            try TrustReport.print(
                stores.install(certificate, confirm: consent), on: stores.host, done: "installed",
                already: "already installed")
        }
    }

    /// Takes the old CA out of the stores.
    ///
    /// - Returns: the names of the stores that knew it.
    private func forget(_ consent: ([TrustCommand]) -> Bool) throws -> Set<String> {
        guard CertificateAuthority.exists(directory: try self.place.setup().caDirectory) else { return [] }
        let (all, old) = try self.place.stores()
        let known = Set(
            all.status(of: old).compactMap { status in
                if case .success(.installed) = status.state { return status.store }
                return nil
            })
        let stores = all.limited(to: known)
        try TrustReport.print(
            stores.uninstall(old, dryRun: self.dryRun, confirm: consent), on: stores.host, done: "old CA removed",
            already: "had no old CA")
        return known
    }
}
