/// The booted simulators of Xcode.
///
/// They use the proxy settings of the Mac, not the variables of a process.
public struct IOSSimulators: TrustStoreDriver {
    /// One simulator.
    struct Simulator: Equatable {
        let identifier: String
        let database: String
    }

    /// The name that people and options use.
    public let name = "ios-simulator"

    /// Creates the driver.
    public init() {}

    /// Whether every booted simulator trusts the certificate.
    public func state(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> TrustState {
        guard host.system == .macOS, let command = host.executable("xcrun") else {
            return .notPresent("no xcrun; simulators come with Xcode on macOS")
        }
        let simulators = try Self.simulators(command, host)
        if simulators.isEmpty { return .notPresent("no simulator is booted; boot it, then run this again") }
        for simulator in simulators where try !holds(certificate, simulator, host) { return .missing }
        return .installed
    }

    /// The commands that make every booted simulator trust the certificate.
    public func installation(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> [TrustCommand]
    {
        guard host.system == .macOS, let command = host.executable("xcrun") else { return [] }
        var commands: [TrustCommand] = []
        // By identifier: `booted` means any one of them.
        for simulator in try Self.simulators(command, host) where try !holds(certificate, simulator, host) {
            commands.append(
                TrustCommand(
                    [command, "simctl", "keychain", simulator.identifier, "add-root-cert", certificate.path],
                    needsRoot: false))
        }
        return commands
    }

    /// The commands that make every booted simulator forget the certificate.
    ///
    /// `simctl keychain reset` would take foreign certificates out as well, so our row goes by itself.
    public func removal(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> [TrustCommand] {
        guard host.system == .macOS, let command = host.executable("xcrun") else { return [] }
        var commands: [TrustCommand] = []
        for simulator in try Self.simulators(command, host) where try holds(certificate, simulator, host) {
            commands.append(
                TrustCommand(
                    [
                        Self.sqlite(host), simulator.database,
                        "DELETE FROM tsettings WHERE data = \(Self.literal(certificate))",
                    ], needsRoot: false))
        }
        return commands
    }

    private func holds(
        _ certificate: LocalCertificate, _ simulator: Simulator, _ host: TrustHost
    ) throws(TrustError) -> Bool {
        // Made with the first certificate that is added.
        guard FileAccess.exists(simulator.database) else { return false }
        let result = try host.read([
            Self.sqlite(host), "-readonly", simulator.database,
            "SELECT count(*) FROM tsettings WHERE data = \(Self.literal(certificate))",
        ])
        guard result.status == 0, let count = Int(result.text.filter { !$0.isWhitespace }) else {
            throw TrustError(.cannotRead, "the trust store \(simulator.database) cannot be read: \(result.errorText)")
        }
        return count > 0
    }

    private static func sqlite(_ host: TrustHost) -> String { host.executable("sqlite3") ?? "/usr/bin/sqlite3" }

    private static func literal(_ certificate: LocalCertificate) -> String {
        "X'" + certificate.certificate.der.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    }

    /// The simulators in lines such as `    iPhone 15 (5A0C…-…) (Booted)`.
    static func simulators(_ command: String, _ host: TrustHost) throws(TrustError) -> [Simulator] {
        let list = try host.read([command, "simctl", "list", "devices", "booted"])
        guard list.status == 0 else { return [] }
        return list.text.split(separator: "\n").compactMap { line in
            guard line.contains("(Booted)") else { return nil }
            let parts = line.split { $0 == "(" || $0 == ")" }
            guard let identifier = parts.first(where: isIdentifier) else { return nil }
            let data = "\(host.home)/Library/Developer/CoreSimulator/Devices/\(identifier)/data"
            let places = [
                data + "/private/var/protected/trustd/private/TrustStore.sqlite3",
                data + "/Library/Keychains/TrustStore.sqlite3",
            ]
            return Simulator(
                identifier: String(identifier), database: places.first(where: FileAccess.exists) ?? places[0])
        }
    }

    private static func isIdentifier(_ text: Substring) -> Bool {
        text.utf8.count == 36 && text.split(separator: "-").map(\.utf8.count) == [8, 4, 4, 4, 12]
            && text.allSatisfy { $0.isHexDigit || $0 == "-" }
    }
}
