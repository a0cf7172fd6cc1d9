/// One setting: the name it has as a flag, as a variable and in `playhead.yaml`.
///
/// The raw value is the key in the file; the flag has hyphens in place of underscores, the variable is upper case
/// behind `PLAYHEAD_`.
enum SettingKey: String, CaseIterable, Sendable {
    case cassette, mode, match, repeats, only, ignore, tunnel, map, report, listen, reverse, quiet, verbose
    case admin, metrics, advertise
    case http2
    case cassettesFolder = "cassettes"
    case ignoreQuery = "ignore_query"
    case ignoreHeader = "ignore_header"
    case ignoreJSON = "ignore_json"
    case ignoreForm = "ignore_form"
    case encryptWith = "encrypt_with"
    case onMiss = "on_miss"
    case failOn = "fail_on"
    case upstreamCA = "upstream_ca"
    case insecureUpstream = "insecure_upstream"
    case upstreamProxy = "upstream_proxy"
    case requireAuth = "require_auth"
    case proxyTokenFile = "proxy_token_file"
    case allowFrom = "allow_from"
    case clientCertificate = "client_cert"
    case connectTimeout = "connect_timeout"
    case tlsTimeout = "tls_timeout"
    case responseTimeout = "response_timeout"
    case caDirectory = "ca_dir"
    case caCertificate = "ca_cert"
    case caKey = "ca_key"
    case noRedact = "no_redact"
    case secretsFromEnvironment = "secrets_from_env"
    case jsonOverrides = "json_overrides"
    case adminHost = "admin_host"
    case adminTokenFile = "admin_token_file"
    case shareCA = "share_ca"
    case logLevel = "log_level"
    case logFormat = "log_format"
    case readyFile = "ready_file"
    case portFile = "port_file"
    case shutdownGrace = "shutdown_grace"
    case idleTimeout = "idle_timeout"
    case allowMetadata = "allow_metadata"
    case maxSessions = "max_sessions"
    case sessionIdle = "session_idle"
    case isolate
    case environmentFor = "env_for"
    case proxyLocalhost = "proxy_localhost"
    case keepNoProxy = "keep_no_proxy"
    case timeout
    case reRecordAfter = "re_record_after"
    case discardOnFailure = "discard_on_failure"
    case speed, playback, websocket, templates
    case valueEcho = "value_echo"
    case refreshDates = "refresh_dates"
    case templateEnvironment = "template_env"
    case dropUnused = "drop_unused"
    case allowUnused = "allow_unused"

    /// What values a setting takes.
    enum Shape: Sendable { case single, list, flag }

    var shape: Shape {
        switch self {
        case .valueEcho, .templateEnvironment, .match, .only, .ignore, .tunnel, .map, .listen, .reverse, .ignoreQuery,
            .ignoreHeader, .ignoreJSON, .ignoreForm, .failOn, .upstreamCA, .insecureUpstream, .clientCertificate,
            .noRedact, .secretsFromEnvironment, .jsonOverrides, .report, .adminHost, .allowFrom, .environmentFor:
            .list
        case .proxyLocalhost, .keepNoProxy, .discardOnFailure, .dropUnused, .allowUnused, .allowMetadata, .quiet,
            .verbose, .refreshDates, .templates, .requireAuth:
            .flag
        default: .single
        }
    }

    /// Whether the values are paths; in `playhead.yaml` they start from the file's folder.
    var isPath: Bool {
        switch self {
        case .cassettesFolder, .caDirectory, .caCertificate, .caKey, .upstreamCA, .report, .readyFile, .portFile,
            .adminTokenFile, .shareCA, .proxyTokenFile:
            true
        default: false
        }
    }

    /// The name as a command-line flag.
    var flag: String {
        // One flag is one override.
        self == .jsonOverrides ? "--json-override" : "--" + self.rawValue.replacing("_", with: "-")
    }

    /// Whether a value may hold a comma, so that a list is never split at one.
    var isUnsplit: Bool {
        self == .report || self == .ignoreJSON || self == .jsonOverrides || self == .clientCertificate
    }

    /// The name as an environment variable.
    var variable: String { "PLAYHEAD_" + self.rawValue.uppercased() }
}
