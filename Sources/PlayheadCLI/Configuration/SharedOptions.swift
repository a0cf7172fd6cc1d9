import ArgumentParser

/// The options that `run` and `serve` share.
struct SharedOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: "The cassette's name. (default: default)")
    var cassette: String?

    @Option(help: "The folder of the cassettes. (default: ./cassettes)")
    var cassettes: String?

    @Option(
        name: .shortAndLong,
        help: "When to record: once, new_episodes, none, all, rewrite or passthrough. (default: once)")
    var mode: String?

    @Option(help: "What must be equal: a list of matchers. (default: method,scheme,host,port,path,query)")
    var match: String?

    @Option(help: "Query names that are left out of every comparison.")
    var ignoreQuery: [String] = []

    @Option(help: "Header names that are left out of every comparison.")
    var ignoreHeader: [String] = []

    @Option(help: "JSONPaths that are left out of every comparison.")
    var ignoreJSON: [String] = []

    @Option(help: "After the last recording of a request was played: none, last or cycle. (default: none)")
    var repeats: String?

    @Option(help: "What a request without a recording gets: status:N or close. (default: status:501)")
    var onMiss: String?

    @Option(help: "What makes the exit code tell: miss, unused or none. (default: miss)")
    var failOn: [String] = []

    @Option(help: "Hosts that take part; all others are relayed and not recorded.")
    var only: [String] = []

    @Option(help: "Hosts or URL keywords that are relayed and not recorded.")
    var ignore: [String] = []

    @Option(help: "Hosts whose tunnels are passed through untouched.")
    var tunnel: [String] = []

    @Option(help: "Connect to another address: HOST[:PORT]=ADDR[:PORT].")
    var map: [String] = []

    @Option(
        name: .customLong("upstream-ca"), help: "A PEM file of certificates to trust upstream, beside the system's.")
    var upstreamCA: [String] = []

    @Option(help: "A host whose certificate is not verified.")
    var insecureUpstream: [String] = []

    @Option(help: "The folder of the CA: ca.pem and ca.key. (default: $XDG_DATA_HOME/playhead)")
    var caDir: String?

    @Option(help: "Your own CA certificate, PEM; with --ca-key.")
    var caCert: String?

    @Option(help: "Your own CA key, PEM; with --ca-cert.")
    var caKey: String?

    @Option(help: "A redaction rule that is not applied; the cassette says so.")
    var noRedact: [String] = []

    @Option(help: "Write the report to FILE (JSON).")
    var report: [String] = []

    @Option(help: "Record anew when the oldest exchange is older, as 30d.")
    var reRecordAfter: String?

    @Flag(help: "Remove exchanges that this session neither played nor recorded.")
    var dropUnused = false

    @Option(help: "The configuration file. (default: playhead.yaml, found upwards)")
    var config: String?

    @Option(help: "trace, debug, info, notice, warning, error or critical. (default: warning)")
    var logLevel: String?

    @Option(help: "text or json. (default: text)")
    var logFormat: String?

    @Flag(name: .shortAndLong, help: "Say nothing but errors.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Say more.")
    var verbose = false

    /// The flags that were given, by setting.
    var flags: [SettingKey: [String]] {
        var flags: [SettingKey: [String]] = [
            .ignoreQuery: self.ignoreQuery, .ignoreHeader: self.ignoreHeader, .ignoreJSON: self.ignoreJSON,
            .failOn: self.failOn, .only: self.only, .ignore: self.ignore, .tunnel: self.tunnel, .map: self.map,
            .upstreamCA: self.upstreamCA, .insecureUpstream: self.insecureUpstream, .noRedact: self.noRedact,
            .report: self.report,
        ]
        let singles: [(SettingKey, String?)] = [
            (.cassette, self.cassette), (.cassettesFolder, self.cassettes), (.mode, self.mode), (.match, self.match),
            (.repeats, self.repeats), (.onMiss, self.onMiss), (.caDirectory, self.caDir),
            (.caCertificate, self.caCert), (.caKey, self.caKey), (.reRecordAfter, self.reRecordAfter),
            (.logFormat, self.logFormat),
            (.logLevel, self.quiet ? "error" : self.verbose ? "info" : self.logLevel),
            (.dropUnused, self.dropUnused ? "true" : nil),
        ]
        for (key, value) in singles { if let value { flags[key] = [value] } }
        return flags
    }
}
