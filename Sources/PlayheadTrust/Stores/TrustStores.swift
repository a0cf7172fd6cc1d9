/// All the trust stores of a machine and a user.
public struct TrustStores: Sendable {
    /// What became of one store.
    public enum Outcome: Sendable, Equatable {
        /// The store was changed as asked, and was looked at again to be sure.
        case changed
        /// Nothing was to be done.
        case unchanged
        /// There is no such store here.
        case notPresent(String)
        /// These commands would be run.
        case planned([TrustCommand])
        /// The user did not allow the commands.
        case declined([TrustCommand])
        /// It failed, and these commands are still to be run.
        case failed(String, remedy: [TrustCommand])
    }

    /// What became of one store, with its name.
    public struct Report: Sendable, Equatable {
        /// The store's name.
        public let store: String
        /// What became of it.
        public let outcome: Outcome
    }

    /// A store's state, with its name.
    public struct Status: Sendable, Equatable {
        /// The store's name.
        public let store: String
        /// Whether it trusts our CA, or why that cannot be told.
        public let state: Result<TrustState, TrustError>
    }

    /// The drivers, in the order in which they are asked.
    public let drivers: [any TrustStoreDriver]
    /// The machine and the user.
    public let host: TrustHost

    /// Creates the stores of a machine.
    ///
    /// System stores come first: Debian's hook may fill Java's store on the way.
    public init(
        host: TrustHost,
        drivers: [any TrustStoreDriver] = [
            AnchorFolderStore.fedora, DebianStore(), AnchorFolderStore.arch, AnchorFolderStore.suse, P11KitStore(),
            MacKeychain(), NSSStores(), JavaHomes(), IOSSimulators(), AndroidEmulators(),
        ]
    ) {
        self.host = host
        self.drivers = drivers
    }

    /// The same machine with the stores of some names alone.
    public func limited(to names: Set<String>) -> TrustStores {
        TrustStores(host: host, drivers: drivers.filter { names.contains($0.name) })
    }

    /// The state of every store.
    public func status(of certificate: LocalCertificate) -> [Status] {
        drivers.map { driver in
            do throws(TrustError) {
                return Status(store: driver.name, state: .success(try driver.state(of: certificate, on: host)))
            } catch {
                return Status(store: driver.name, state: .failure(error))
            }
        }
    }

    /// Makes every store that is present trust the certificate.
    ///
    /// - Parameters:
    ///   - dryRun: only says what would be run.
    ///   - confirm: is asked before commands that need sudo.
    public func install(
        _ certificate: LocalCertificate, dryRun: Bool = false, confirm: ([TrustCommand]) -> Bool = { _ in true }
    ) -> [Report] {
        drivers.map { driver in
            change(driver, certificate, wanted: .installed, dryRun, confirm) { () throws(TrustError) in
                try driver.installation(of: certificate, on: host)
            }
        }
    }

    /// Makes every store that is present forget the certificate.
    ///
    /// - Parameters:
    ///   - dryRun: only says what would be run.
    ///   - confirm: is asked before commands that need sudo.
    public func uninstall(
        _ certificate: LocalCertificate, dryRun: Bool = false, confirm: ([TrustCommand]) -> Bool = { _ in true }
    ) -> [Report] {
        drivers.map { driver in
            change(driver, certificate, wanted: .missing, dryRun, confirm) { () throws(TrustError) in
                try driver.removal(of: certificate, on: host)
            }
        }
    }

    private func change(
        _ driver: any TrustStoreDriver, _ certificate: LocalCertificate, wanted: TrustState, _ dryRun: Bool,
        _ confirm: ([TrustCommand]) -> Bool, _ plan: () throws(TrustError) -> [TrustCommand]
    ) -> Report {
        var remaining: [TrustCommand] = []
        do throws(TrustError) {
            if case .notPresent(let reason) = try driver.state(of: certificate, on: host) {
                return Report(store: driver.name, outcome: .notPresent(reason))
            }
            remaining = try plan()
            if remaining.isEmpty { return Report(store: driver.name, outcome: .unchanged) }
            if dryRun { return Report(store: driver.name, outcome: .planned(remaining)) }
            if !host.isSuperuser && remaining.contains(where: \.needsRoot) && !confirm(remaining) {
                return Report(store: driver.name, outcome: .declined(remaining))
            }
            while let command = remaining.first {
                let result = try host.perform(command)
                guard result.status == 0 else {
                    let said = (result.errorText + result.text).split(separator: "\n").first ?? "no message"
                    let reason = "\(command.arguments[0]) ended with code \(result.status): \(said)"
                    return Report(store: driver.name, outcome: .failed(reason, remedy: remaining))
                }
                remaining.removeFirst()
            }
            guard try driver.state(of: certificate, on: host) == wanted else {
                let reason = "every command succeeded, but the store did not change as it should"
                return Report(store: driver.name, outcome: .failed(reason, remedy: try plan()))
            }
            return Report(store: driver.name, outcome: .changed)
        } catch {
            return Report(store: driver.name, outcome: .failed(error.message, remedy: remaining))
        }
    }
}
