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
              playhead serve --reverse 9000=https://api.example.com
            """)

    @OptionGroup var shared: SharedOptions

    @Option(
        help: ArgumentHelp(
            "HOST:PORT to listen on; port 0 takes a free one; may be repeated. (default: 127.0.0.1:8080)",
            valueName: "address"))
    var listen: [String] = []

    @Option(
        help: ArgumentHelp(
            "A port that stands for a server, for programs that cannot use a proxy: [HOST:]PORT=URL; may be repeated.",
            valueName: "port=url"))
    var reverse: [String] = []

    @Flag(
        help: "Ask clients for a token, as the password of the proxy's URL; it is in a file that the ready line names.")
    var requireAuth = false

    @Option(
        help: ArgumentHelp(
            "The file of the proxy's token: its text is taken, or one is made. (default: in the CA's folder)",
            valueName: "file"))
    var proxyTokenFile: String?

    @Option(
        help: ArgumentHelp("Networks that clients may come from, as 10.0.0.0/8; no others may.", valueName: "list"))
    var allowFrom: [String] = []

    @Option(
        help: ArgumentHelp(
            "HOST:PORT of the admin API, or off. (default: 127.0.0.1:8081, or a free port when it is taken)",
            valueName: "address"))
    var admin: String?

    @Option(
        help: ArgumentHelp(
            "Names that the admin API answers to, beside localhost and literal addresses.", valueName: "list"))
    var adminHost: [String] = []

    @Option(
        help: ArgumentHelp(
            "The file of the admin API's token: its text is taken, or one is made. (default: in the CA's folder)",
            valueName: "file"))
    var adminTokenFile: String?

    @Option(help: ArgumentHelp("Who may read /metrics: token or open. (default: token)", valueName: "who"))
    var metrics: String?

    @Option(
        name: .customLong("share-ca"),
        help: ArgumentHelp(
            "Before ready, write ca.pem, bundle.pem, truststore.p12 and env.sh into this folder.", valueName: "dir"))
    var shareCA: String?

    @Option(
        help: ArgumentHelp(
            "The proxy's URL as clients see it, for env.sh. (default: of the first --listen)", valueName: "url"))
    var advertise: String?

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

    @Option(
        help: ArgumentHelp(
            "How many cassettes clients may have open by name at once. (default: 256)", valueName: "count"))
    var maxSessions: String?

    @Option(
        help: ArgumentHelp(
            "Save and close a cassette that a client named once nobody used it for this long, or none. (default: 1h)",
            valueName: "duration"))
    var sessionIdle: String?

    @Flag(help: "Allow connections to cloud metadata addresses when listening off loopback.")
    var allowMetadata = false

    func run() async throws {
        try await CommandBoundary.run {
            var flags = self.shared.flags
            flags[.listen] = self.listen
            flags[.reverse] = self.reverse
            flags[.adminHost] = self.adminHost
            flags[.allowFrom] = self.allowFrom
            let singles: [(SettingKey, String?)] = [
                (.readyFile, self.readyFile), (.portFile, self.portFile), (.shutdownGrace, self.shutdownGrace),
                (.requireAuth, self.requireAuth ? "true" : nil), (.proxyTokenFile, self.proxyTokenFile),
                (.allowMetadata, self.allowMetadata ? "true" : nil),
                (.admin, self.admin), (.adminTokenFile, self.adminTokenFile), (.metrics, self.metrics),
                (.shareCA, self.shareCA), (.advertise, self.advertise), (.maxSessions, self.maxSessions),
                (.sessionIdle, self.sessionIdle),
            ]
            for (key, value) in singles { if let value { flags[key] = [value] } }
            let host = HostEnvironment.current()
            let settings = try Settings.load(flags: flags, configFile: self.shared.config, host: host)
            let daemon = ServeSession(setup: SessionSetup(settings: settings, host: host))
            throw ExitCode(try await daemon.run())
        }
    }
}
