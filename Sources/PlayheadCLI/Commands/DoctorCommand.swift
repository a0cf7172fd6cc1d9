import ArgumentParser
import PlayheadTrust

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `playhead doctor`: which clients of this machine use the proxy and trust it.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Let each client that is found here ask for a canary: proxied? trusted? how to fix.",
        discussion: """
            Starts a proxy on a free port, and runs each client as `playhead run` would. The proxy answers by itself; \
            nothing goes to the network. Some clients are compiled first, which takes seconds.

            EXAMPLES
              playhead doctor
              playhead doctor --only curl,node-fetch,java
              playhead doctor --json | jq '.clients[] | select(.trusted | not)'
            """)

    @Option(help: ArgumentHelp("Ask these clients alone, by their names in the table.", valueName: "list"))
    var only: [String] = []

    @Option(help: ArgumentHelp("How long each client may take. (default: 60s)", valueName: "duration"))
    var timeout: String?

    @Flag(help: "Print JSON.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "The folder of the CA. (default: that of the persistent CA, else one in memory)", valueName: "dir"))
    var caDir: String?

    func run() async throws {
        try await CommandBoundary.run {
            guard let timeout = ValueParsers.milliseconds(self.timeout ?? "60s"), timeout > 0 else {
                throw CommandFailure(.usage, "--timeout takes a duration such as 30s.")
            }
            let probes = try Self.chosen(self.only, from: ClientProbe.standard(isSuperuser: geteuid() == 0))
            let host = HostEnvironment.current()
            let flags: [SettingKey: [String]] = self.caDir.map { [.caDirectory: [$0]] } ?? [:]
            let settings = try Settings.load(flags: flags, configFile: nil, host: host)
            let session = DoctorSession(
                setup: SessionSetup(settings: settings, host: host), timeout: .milliseconds(timeout), probes: probes,
                progress: { name in if Terminal.isInteractive { Terminal.talk("asking \(name) …") } })
            let report = try await session.run()
            if self.json { Terminal.result(report.json) } else { Terminal.raw(report.text) }
        }
    }

    /// The probes that `--only` names.
    static func chosen(_ names: [String], from probes: [ClientProbe]) throws -> [ClientProbe] {
        let wanted = names.flatMap { $0.split(separator: ",").map { String($0.trimmingSpaces()) } }
        if wanted.isEmpty { return probes }
        for name in wanted where !probes.contains(where: { $0.name == name }) {
            throw CommandFailure(
                .usage, "--only \(name) is no client; it takes \(probes.map(\.name).joined(separator: ", ")).")
        }
        return probes.filter { wanted.contains($0.name) }
    }
}
