/// What a setting is for, which values it takes, and what holds when nobody sets it.
///
/// `config show` and `config schema` are made from these, and a test holds each against what the program does.
struct SettingDescription: Sendable {
    /// The texts that a value, or an item of a list, may be.
    enum Form: Sendable {
        case text
        /// One of these words.
        case words([String])
        /// `8s`, `10m`, or seconds.
        case duration
        /// A pattern of JSON Schema (ECMA-262).
        case pattern(String)
        case flag
    }

    var summary: String
    var form: Form
    /// The default as it would be written; nil when there is none, or it depends on the place.
    var standard: String?

    init(_ summary: String, _ form: Form = .text, _ standard: String? = nil) {
        self.summary = summary
        self.form = form
        self.standard = standard
    }

    static let all: [SettingKey: SettingDescription] = Self.session.merging(Self.network) { $1 }
        .merging(Self.process) { $1 }

    /// What is recorded and how it is played.
    private static let session: [SettingKey: SettingDescription] = [
        .cassette: .init("The cassette.", .text, "default"),
        .cassettesFolder: .init("The folder of the cassettes.", .text, "cassettes"),
        .mode: .init(
            "When to record.", .words(["once", "new_episodes", "none", "all", "rewrite", "passthrough", "intercept"]),
            "once"),
        .match: .init(
            "What must be equal for a recording to answer.",
            .pattern("^(method|uri|scheme|host|port|path|query|headers(\\(.*\\))?|body|raw_body)$"),
            "method,scheme,host,port,path,query"),
        .ignoreQuery: .init("Query names that are left out of every comparison."),
        .ignoreHeader: .init("Header names that are left out of every comparison."),
        .ignoreJSON: .init("JSONPaths that are left out of every comparison.", .pattern("^\\$")),
        .ignoreForm: .init("Form fields that are left out of every comparison."),
        .encryptWith: .init("Where the key is that cassettes are encrypted with."),
        .repeats: .init(
            "What happens after the last recording of a request.", .words(["none", "last", "cycle"]), "none"),
        .websocket: .init(
            "What the client of a recorded WebSocket may say.", .words(["strict", "lenient"]), "strict"),
        .speed: .init(
            "When answers come: instant, recorded, or a factor.", .pattern("^(instant|recorded|x[0-9.]+)$"), "instant"),
        .playback: .init(
            "Whether concurrent answers keep the recorded order.", .words(["momentary", "chronological"]),
            "momentary"),
        .valueEcho: .init("Request values that replayed responses mirror: names, JSONPaths, or all."),
        .refreshDates: .init("Shift the dates in replayed responses by the age of the recording.", .flag, "false"),
        .templates: .init("Fill in templates in replayed responses.", .flag, "false"),
        .templateEnvironment: .init("Variables that {{env.NAME}} may tell."),
        .jsonOverrides: .init("Values in the JSON of responses: KEY=VALUE, or a dictionary."),
        .onMiss: .init(
            "What a request without a recording gets.", .pattern("^(close|status:[2-5][0-9][0-9])$"), "status:501"),
        .only: .init("Hosts, or parts of URLs with a slash, that take part."),
        .ignore: .init("Hosts, or parts of URLs with a slash, that are relayed and not recorded."),
        .tunnel: .init("Hosts whose TLS is passed through untouched."),
        .noRedact: .init("Redaction rules that are not applied; all for none at all."),
        .secretsFromEnvironment: .init("Variables whose values are stored as {{NAME}} and put back at replay."),
        .reRecordAfter: .init("Record anew when the oldest exchange is older.", .duration),
        .dropUnused: .init("Remove exchanges that were neither played nor recorded.", .flag, "false"),
        .discardOnFailure: .init("Do not save when the command of run fails.", .flag, "false"),
    ]

    /// What leads to the servers.
    private static let network: [SettingKey: SettingDescription] = [
        .map: .init("Connect elsewhere: HOST[:PORT]=ADDR[:PORT].", .pattern("^[^=]+=.+$")),
        .upstreamCA: .init("Files of certificates to trust upstream, beside the system's."),
        .insecureUpstream: .init("Hosts whose certificate is not verified."),
        .upstreamProxy: .init("The proxy that leads to the servers: a URL, env or none.", .text, "none"),
        .clientCertificate: .init(
            "Our certificates for servers that ask for one: HOST=CERT,KEY.", .pattern("^[^=]+=.+$")),
        .connectTimeout: .init("For the name look-up and the connection to a server.", .duration, "10s"),
        .tlsTimeout: .init("For a TLS handshake, on either side.", .duration, "10s"),
        .responseTimeout: .init("For the first octet of a response.", .duration),
        .idleTimeout: .init("How long a message may make no progress.", .duration, "10m"),
        .http2: .init("With whom HTTP/2 is spoken.", .words(["auto", "always", "off"]), "auto"),
        .allowMetadata: .init("Allow cloud metadata addresses when listening off loopback.", .flag, "false"),
    ]

    /// What the process is and tells.
    private static let process: [SettingKey: SettingDescription] = [
        .listen: .init("Where serve listens: HOST:PORT, port 0 for a free one.", .text, "127.0.0.1:8080"),
        .reverse: .init(
            "Ports that stand for a server, as 9000=https://api.example.com.", .pattern("^[^=]+=https?://.+$")),
        .admin: .init("Where the admin API of serve listens, or off.", .text, "127.0.0.1:8081"),
        .requireAuth: .init("Ask the proxy's clients for a token.", .flag, "false"),
        .proxyTokenFile: .init("The file of the proxy's token."),
        .allowFrom: .init("Networks that clients may come from, as 10.0.0.0/8."),
        .adminHost: .init("Names that the admin API answers to, beside localhost and literal addresses."),
        .adminTokenFile: .init("The file of the admin API's token."),
        .metrics: .init("Who may read /metrics.", .words(["token", "open"]), "token"),
        .shareCA: .init("A folder that gets the public CA files before serve is ready."),
        .advertise: .init("The proxy's URL as clients see it."),
        .readyFile: .init("A file that gets the ready line as JSON when serve is ready."),
        .portFile: .init("A file that gets the port of the first listener when serve is ready."),
        .maxSessions: .init(
            "How many cassettes clients of serve may have open by name.", .pattern("^[0-9]+$"), "256"),
        .sessionIdle: .init(
            "When a cassette that a client named and nobody uses is saved and closed, or none.",
            .pattern("^(none|[0-9]+(ms|s|m|h|d)?)$"), "1h"),
        .shutdownGrace: .init("How long exchanges under way may take at the end.", .duration, "8s"),
        .caDirectory: .init("The folder with ca.pem and ca.key."),
        .caCertificate: .init("Your own CA certificate; with ca_key."),
        .caKey: .init("Your own CA key; with ca_cert."),
        .failOn: .init("What makes the exit code tell.", .words(ReportVerdict.names), "miss"),
        .allowUnused: .init("No is the same as unused in fail_on.", .flag, "true"),
        .report: .init("Files that get a report of the run: FILE, FILE:json, FILE:junit or FILE:html."),
        .isolate: .init("What holds the command of run.", .words(["env", "trust", "network"]), "env"),
        .environmentFor: .init("Clients whose variables alone run and env set."),
        .proxyLocalhost: .init("Send requests to loopback names through the proxy too.", .flag, "false"),
        .keepNoProxy: .init("Keep the inherited NO_PROXY.", .flag, "false"),
        .timeout: .init("End the command of run after this time.", .duration),
        .logLevel: .init(
            "What is logged.", .words(["trace", "debug", "info", "notice", "warning", "error", "critical"]),
            "warning"),
        .logFormat: .init("How logs are written.", .words(["text", "json"]), "text"),
        .quiet: .init("Say nothing but errors and misses.", .flag, "false"),
        .verbose: .init("Log what the proxy does.", .flag, "false"),
    ]
}
