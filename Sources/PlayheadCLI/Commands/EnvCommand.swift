import ArgumentParser
import PlayheadProxy
import PlayheadTrust

/// `playhead env`: the variables for a running `serve`.
struct EnvCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "env",
        abstract: "Print the variables that lead clients to a running `serve`.",
        discussion: """
            EXAMPLES
              eval "$(playhead env)"
              playhead env --format github >> "$GITHUB_ENV"
              eval "$(playhead env --unset)"
            """)

    @Option(help: "sh, fish, dotenv, json, github, docker, compose or k8s.")
    var format: String = "sh"

    @Option(help: "The proxy's URL. (default: http://127.0.0.1:8080)")
    var url: String?

    @Flag(help: "Print what removes the variables again.")
    var unset = false

    @Option(help: "The folder of the CA. (default: $XDG_DATA_HOME/playhead)")
    var caDir: String?

    @Flag(help: "Send requests to loopback names through the proxy too.")
    var proxyLocalhost = false

    func run() throws {
        try CommandBoundary.run {
            guard let format = EnvironmentFormat(rawValue: self.format) else {
                let known = EnvironmentFormat.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandFailure(.usage, "--format \(self.format) is unknown; it takes \(known).")
            }
            let host = HostEnvironment.current()
            let flags: [SettingKey: [String]] = self.caDir.map { [.caDirectory: [$0]] } ?? [:]
            let settings = try Settings.load(flags: flags, configFile: nil, host: host)
            let setup = SessionSetup(settings: settings, host: host)
            let authority = try setup.persistentAuthority()
            let files = try TrustMaterial(host: host).write(
                authority, into: setup.caDirectory + "/trust", strictOnlyOurs: false)
            let change = ProxyEnvironment(
                proxyURL: self.url ?? Self.proxyURL(settings), files: files,
                cassette: settings.text(.cassette) ?? "default", proxyLocalhost: self.proxyLocalhost
            ).change(inherited: host.environment)
            Terminal.raw(self.unset ? format.renderUnset(change) : format.render(change))
        }
    }

    private static func proxyURL(_ settings: Settings) -> String {
        let first = settings.list(.listen).compactMap(ValueParsers.listenAddress).first
        return "http://\(first?.description ?? "127.0.0.1:8080")"
    }
}
