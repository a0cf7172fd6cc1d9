import ArgumentParser

/// The options that `run` and `serve` share.
struct SharedOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: ArgumentHelp("The cassette's name. (default: default)", valueName: "name"))
    var cassette: String?

    @Option(help: ArgumentHelp("The folder of the cassettes. (default: ./cassettes)", valueName: "dir"))
    var cassettes: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "When to record: once, new_episodes, none, all, rewrite, passthrough or intercept. (default: once)",
            valueName: "mode"))
    var mode: String?

    @Option(
        help: ArgumentHelp(
            "What must be equal: method, uri, scheme, host, port, path, query, headers, headers(a b), body or raw_body. "
                + "(default: method,scheme,host,port,path,query)", valueName: "list"))
    var match: String?

    @Option(help: ArgumentHelp("Query names that are left out of every comparison.", valueName: "list"))
    var ignoreQuery: [String] = []

    @Option(help: ArgumentHelp("Header names that are left out of every comparison.", valueName: "list"))
    var ignoreHeader: [String] = []

    @Option(help: ArgumentHelp("A JSONPath that is left out of every comparison; may be repeated.", valueName: "path"))
    var ignoreJSON: [String] = []

    @Option(help: ArgumentHelp("Form fields that are left out of every comparison.", valueName: "list"))
    var ignoreForm: [String] = []

    @Option(
        help: ArgumentHelp(
            "Encrypt the cassette, its journal and its side files: the file that holds the key, env:NAME, or env for "
                + "PLAYHEAD_ENCRYPTION_KEY.", valueName: "keyfile|env[:name]"))
    var encryptWith: String?

    @Option(
        help: ArgumentHelp(
            "After the last recording of a request was played: none, last or cycle. (default: none)",
            valueName: "rule"))
    var repeats: String?

    @OptionGroup var playback: PlaybackOptions

    @Option(
        help: ArgumentHelp(
            "What a request without a recording gets: status:N or close. (default: status:501)", valueName: "action"))
    var onMiss: String?

    @Option(
        help: ArgumentHelp(
            "What fails the run: miss (exit 3), unused (4), secret (5), trust or leak (6), none. (default: miss)",
            valueName: "list"))
    var failOn: [String] = []

    @Option(
        help: ArgumentHelp(
            "Hosts, or parts of URLs with a slash, that take part; all else is relayed and not recorded.",
            valueName: "list"))
    var only: [String] = []

    @Option(
        help: ArgumentHelp(
            "Hosts, or parts of URLs with a slash, that are relayed and not recorded, in every mode.",
            valueName: "list"))
    var ignore: [String] = []

    @Option(help: ArgumentHelp("Hosts whose TLS is passed through untouched.", valueName: "list"))
    var tunnel: [String] = []

    @Option(
        help: ArgumentHelp(
            "Connect to another address: HOST[:PORT]=ADDR[:PORT]; may be repeated.", valueName: "map"))
    var map: [String] = []

    @Option(
        name: .customLong("upstream-ca"),
        help: ArgumentHelp("A PEM file of certificates to trust upstream, beside the system's.", valueName: "file"))
    var upstreamCA: [String] = []

    @Option(help: ArgumentHelp("Hosts whose certificate is not verified.", valueName: "list"))
    var insecureUpstream: [String] = []

    @Option(
        help: ArgumentHelp(
            "Our certificate and key for a server that asks for one, PEM: HOST=CERT,KEY; may be repeated.",
            valueName: "entry"))
    var clientCert: [String] = []

    @Option(
        help: ArgumentHelp(
            "How long a connection to a server may take, with DNS. (default: 10s)", valueName: "duration"))
    var connectTimeout: String?

    @Option(
        help: ArgumentHelp("How long a TLS handshake may take, on either side. (default: 10s)", valueName: "duration"))
    var tlsTimeout: String?

    @Option(
        help: ArgumentHelp(
            "How long a server may take to begin its response. (default: the idle timeout)", valueName: "duration"))
    var responseTimeout: String?

    @Option(help: ArgumentHelp("How long a message may make no progress. (default: 10m)", valueName: "duration"))
    var idleTimeout: String?

    @Option(
        help: ArgumentHelp(
            "A proxy to the origins: http://[USER:PASSWORD@]HOST:PORT, https://, socks5://, env or none. (default: none)",
            valueName: "url"))
    var upstreamProxy: String?

    @Option(
        help: ArgumentHelp(
            "With whom HTTP/2 is spoken: auto, always (with origins also for HTTP/1 clients) or off. (default: auto)",
            valueName: "use"))
    var http2: String?

    @Option(
        help: ArgumentHelp(
            "The folder of the CA: ca.pem and ca.key. (default: $XDG_DATA_HOME/playhead)", valueName: "dir"))
    var caDir: String?

    @Option(help: ArgumentHelp("Your own CA certificate, PEM; with --ca-key.", valueName: "file"))
    var caCert: String?

    @Option(help: ArgumentHelp("Your own CA key, PEM; with --ca-cert.", valueName: "file"))
    var caKey: String?

    @Option(help: ArgumentHelp("Redaction rules that are not applied; all for none at all.", valueName: "list"))
    var noRedact: [String] = []

    @Option(
        help: ArgumentHelp(
            "Environment variables whose values are stored as {{NAME}} and put back at replay.", valueName: "list"))
    var secretsFromEnv: [String] = []

    @Option(
        help: ArgumentHelp(
            "A value in the JSON of replayed responses, or of live ones with --mode intercept, as isPremium=true or "
                + "'$.user.name=Ann'.",
            valueName: "key=value"))
    var jsonOverride: [String] = []

    @Option(
        help: ArgumentHelp(
            "Write a report of the run: FILE, FILE:json, FILE:junit or FILE:html; may be repeated. (default form: by the "
                + "extension .xml or .html, else json)", valueName: "file[:form]"))
    var report: [String] = []

    @Option(help: ArgumentHelp("Record anew when the oldest exchange is older, as 30d.", valueName: "age"))
    var reRecordAfter: String?

    @Flag(help: "Remove exchanges that this session neither played nor recorded.")
    var dropUnused = false

    @Option(
        help: ArgumentHelp(
            "The configuration file. (default: playhead.yaml, found upwards to the repository root)",
            valueName: "file"))
    var config: String?

    @Option(
        help: ArgumentHelp(
            "trace, debug, info, notice, warning, error or critical. (default: warning)", valueName: "level"))
    var logLevel: String?

    @Option(help: ArgumentHelp("text or json. (default: text)", valueName: "format"))
    var logFormat: String?

    @Flag(name: .shortAndLong, help: "Say nothing but errors and misses.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Log what the proxy does; the same as --log-level info.")
    var verbose = false

    /// The flags that were given, by setting.
    var flags: [SettingKey: [String]] {
        var flags: [SettingKey: [String]] = [
            .ignoreQuery: self.ignoreQuery, .ignoreHeader: self.ignoreHeader, .ignoreJSON: self.ignoreJSON,
            .ignoreForm: self.ignoreForm,
            .failOn: self.failOn, .only: self.only, .ignore: self.ignore, .tunnel: self.tunnel, .map: self.map,
            .upstreamCA: self.upstreamCA, .insecureUpstream: self.insecureUpstream, .noRedact: self.noRedact,
            .secretsFromEnvironment: self.secretsFromEnv,
            .jsonOverrides: self.jsonOverride,
            .report: self.report, .clientCertificate: self.clientCert,
        ]
        let singles: [(SettingKey, String?)] = [
            (.cassette, self.cassette), (.cassettesFolder, self.cassettes), (.mode, self.mode), (.match, self.match),
            (.repeats, self.repeats), (.onMiss, self.onMiss), (.caDirectory, self.caDir),
            (.caCertificate, self.caCert), (.caKey, self.caKey), (.reRecordAfter, self.reRecordAfter),
            (.logFormat, self.logFormat), (.http2, self.http2), (.encryptWith, self.encryptWith),
            (.logLevel, self.logLevel), (.quiet, self.quiet ? "true" : nil), (.verbose, self.verbose ? "true" : nil),
            (.connectTimeout, self.connectTimeout), (.tlsTimeout, self.tlsTimeout),
            (.responseTimeout, self.responseTimeout), (.idleTimeout, self.idleTimeout),
            (.upstreamProxy, self.upstreamProxy), (.dropUnused, self.dropUnused ? "true" : nil),
        ]
        for (key, value) in singles { if let value { flags[key] = [value] } }
        return flags.merging(self.playback.flags) { $1 }
    }
}
