import ArgumentParser

/// `playhead serve`: a long-running proxy.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the proxy until it is stopped: a developer's daemon, or a sidecar in CI.",
        discussion: """
            Prints one ready line on stdout with every address it bound. SIGTERM and SIGINT let exchanges under way \
            finish, save the cassette and report; a second signal ends at once.

            Every option is also a variable (--on-miss is PLAYHEAD_ON_MISS) and a key in playhead.yaml (on_miss). \
            Lists are split at commas, and may be repeated.

            EXAMPLES
              playhead serve --mode none --cassette checkout
              playhead serve --listen 127.0.0.1:0 --port-file /tmp/playhead.port
            """)

    @OptionGroup var shared: SharedOptions

    @Option(
        help: ArgumentHelp(
            "HOST:PORT to listen on; port 0 takes a free one; may be repeated. (default: 127.0.0.1:8080)",
            valueName: "address"))
    var listen: [String] = []

    @Option(help: .hidden)
    var admin: String?

    @Option(
        help: ArgumentHelp(
            "Write the listeners and the CA's path to this file, as JSON, when ready.", valueName: "file"))
    var readyFile: String?

    @Option(help: ArgumentHelp("Write the first listener's port to this file when ready.", valueName: "file"))
    var portFile: String?

    @Option(
        help: ArgumentHelp(
            "How long exchanges under way may take at shutdown. (default: 8s)", valueName: "duration"))
    var shutdownGrace: String?

    @Option(help: ArgumentHelp("How long a message may make no progress. (default: 10m)", valueName: "duration"))
    var idleTimeout: String?

    @Flag(help: "Allow connections to cloud metadata addresses when listening off loopback.")
    var allowMetadata = false

    func run() async throws {
        try await CommandBoundary.run {
            if let admin = self.admin, admin != "off" {
                throw CommandFailure(.usage, "--admin takes only `off`: this version has no admin listener.")
            }
            var flags = self.shared.flags
            flags[.listen] = self.listen
            let singles: [(SettingKey, String?)] = [
                (.readyFile, self.readyFile), (.portFile, self.portFile), (.shutdownGrace, self.shutdownGrace),
                (.idleTimeout, self.idleTimeout), (.allowMetadata, self.allowMetadata ? "true" : nil),
            ]
            for (key, value) in singles { if let value { flags[key] = [value] } }
            let host = HostEnvironment.current()
            let settings = try Settings.load(flags: flags, configFile: self.shared.config, host: host)
            let daemon = ServeSession(setup: SessionSetup(settings: settings, host: host))
            throw ExitCode(try await daemon.run())
        }
    }
}
