/// The variables that lead a client through the proxy and make it trust our CA.
///
/// `docs` and the design page on trust say which client needs which variable.
public struct ProxyEnvironment: Sendable {
    /// The proxy's address, `http://[user[:token]@]host:port`.
    public var proxyURL: String
    /// The files that clients read.
    public var files: TrustFiles
    /// The cassette's name (`PLAYHEAD_CASSETTE`); nil leaves the variable, which is a setting too, as it is.
    public var cassette: String?
    /// When the cassette was recorded, as text (`PLAYHEAD_RECORDED_AT`).
    public var recordedAt: String?
    /// The address of the admin API (`PLAYHEAD_ADMIN_URL`).
    public var adminURL: String?
    /// Whether requests to loopback names go through the proxy too.
    public var proxyLocalhost: Bool
    /// Whether the user's own exceptions stay.
    public var keepNoProxy: Bool

    /// Describes what the variables lead to.
    public init(
        proxyURL: String, files: TrustFiles, cassette: String? = nil, recordedAt: String? = nil,
        adminURL: String? = nil,
        proxyLocalhost: Bool = false, keepNoProxy: Bool = false
    ) {
        self.proxyURL = proxyURL
        self.files = files
        self.cassette = cassette
        self.recordedAt = recordedAt
        self.adminURL = adminURL
        self.proxyLocalhost = proxyLocalhost
        self.keepNoProxy = keepNoProxy
    }

    /// The change to make to an inherited environment.
    public func change(inherited: [String: String]) -> EnvironmentChange {
        var change = EnvironmentChange()
        addProxy(to: &change, inherited: inherited)
        addExceptions(to: &change, inherited: inherited)
        addTrust(to: &change, inherited: inherited)
        change.set("JAVA_TOOL_OPTIONS", Self.appended(javaOptions(inherited), to: inherited["JAVA_TOOL_OPTIONS"], " "))
        addMarkers(to: &change)
        return change
    }

    private func addProxy(to change: inout EnvironmentChange, inherited: [String: String]) {
        change.set("http_proxy", proxyURL)
        change.set("https_proxy", proxyURL)
        change.set("HTTPS_PROXY", proxyURL)
        // httpoxy: under CGI the variable HTTP_PROXY is the client's header `Proxy`; Go refuses it, we must not rely on it.
        if inherited["REQUEST_METHOD"] == nil && inherited["GATEWAY_INTERFACE"] == nil {
            change.set("HTTP_PROXY", proxyURL)
        } else {
            change.unset("HTTP_PROXY")
        }
        for name in [
            "ws_proxy", "wss_proxy", "grpc_proxy", "npm_config_proxy", "npm_config_https_proxy", "CARGO_HTTP_PROXY",
        ] {
            change.set(name, proxyURL)
        }
        change.set("NODE_USE_ENV_PROXY", "1")
        // ALL_PROXY drags other protocols along; the rest are other spellings that would lead past us.
        for name in [
            "ALL_PROXY", "all_proxy", "WS_PROXY", "WSS_PROXY", "GRPC_PROXY", "NPM_CONFIG_PROXY",
            "NPM_CONFIG_HTTPS_PROXY", "NPM_CONFIG_CAFILE",
        ] {
            change.unset(name)
        }
    }

    /// Names that clients reach directly.
    ///
    /// Only bare names and leading-dot twins are understood by every client; `*.x`, ports and ranges are not.
    private func addExceptions(to change: inout EnvironmentChange, inherited: [String: String]) {
        var names: [String] = []
        if keepNoProxy {
            for variable in ["no_proxy", "NO_PROXY"] {
                for part in (inherited[variable] ?? "").split(separator: ",") {
                    let name = String(part.filter { $0 != " " && $0 != "\t" })
                    if !name.isEmpty && !names.contains(name) { names.append(name) }
                }
            }
        } else {
            for name in ["no_grpc_proxy", "npm_config_noproxy", "NPM_CONFIG_NOPROXY"] { change.unset(name) }
        }
        if !proxyLocalhost {
            for name in ["localhost", ".localhost", "127.0.0.1", "::1"] where !names.contains(name) {
                names.append(name)
            }
        }
        for variable in ["no_proxy", "NO_PROXY"] {
            if names.isEmpty {
                change.unset(variable)
            } else {
                change.set(variable, names.joined(separator: ","))
            }
        }
    }

    private func addTrust(to change: inout EnvironmentChange, inherited: [String: String]) {
        change.set("NODE_EXTRA_CA_CERTS", files.addedFile)
        change.set("DENO_CERT", files.caFile)
        for name in SystemRoots.replacingVariables {
            change.set(name, files.bundleFile)
            if name == "SSL_CERT_FILE" { change.set("SSL_CERT_DIR", files.hashedFolder) }
        }
        change.set("WGETRC", files.wgetrc)
        // The empty part before the colon stands for PHP's built-in folder.
        let folders = inherited["PHP_INI_SCAN_DIR"] ?? ""
        let ours = ":" + files.phpFolder
        change.set("PHP_INI_SCAN_DIR", folders.hasSuffix(ours) ? folders : folders + ours)
    }

    private func addMarkers(to change: inout EnvironmentChange) {
        change.set("PLAYHEAD_ACTIVE", "1")
        change.set("PLAYHEAD_PROXY_URL", proxyURL)
        change.set("PLAYHEAD_CA_FILE", files.caFile)
        change.set("PLAYHEAD_BUNDLE_FILE", files.bundleFile)
        if let cassette { change.set("PLAYHEAD_CASSETTE", cassette) }
        if let recordedAt {
            change.set("PLAYHEAD_RECORDED_AT", recordedAt)
        } else {
            change.unset("PLAYHEAD_RECORDED_AT")
        }
        if let adminURL { change.set("PLAYHEAD_ADMIN_URL", adminURL) } else { change.unset("PLAYHEAD_ADMIN_URL") }
    }

    /// Java reads no proxy variable, no CA variable and no PEM file: all goes by system properties.
    private func javaOptions(_ inherited: [String: String]) -> String {
        let (host, port) = Self.address(in: proxyURL)
        var direct = proxyLocalhost ? [] : ["localhost", "127.*", "[::1]"]
        if keepNoProxy {
            let kept = (inherited["no_proxy"] ?? inherited["NO_PROXY"] ?? "").split(separator: ",")
            for part in kept {
                let name = part.filter { $0 != " " && $0 != "\t" }
                if name.isEmpty || direct.contains(name) { continue }
                direct.append(name.hasPrefix(".") ? "*" + name : name)
            }
        }
        var options = [
            "-Dhttp.proxyHost=\(host)", "-Dhttp.proxyPort=\(port)", "-Dhttps.proxyHost=\(host)",
            "-Dhttps.proxyPort=\(port)", "-Dhttp.nonProxyHosts=\(direct.joined(separator: "|"))",
        ]
        if let store = files.javaStore {
            options.append(Self.javaQuoted("-Djavax.net.ssl.trustStore=\(store)"))
            options.append("-Djavax.net.ssl.trustStoreType=PKCS12")
            options.append(Self.javaQuoted("-Djavax.net.ssl.trustStorePassword=\(files.javaStorePassword)"))
        }
        return options.joined(separator: " ")
    }

    /// The JVM splits the variable at white space outside quotes.
    private static func javaQuoted(_ option: String) -> String {
        guard option.contains(where: { $0.isWhitespace || $0 == "'" || $0 == "\"" }) else { return option }
        // Inside one kind of quote the other is literal; there is no escape, so the parts alternate.
        return option.split(separator: "\"", omittingEmptySubsequences: false).map { "\"\($0)\"" }
            .joined(separator: "'\"'")
    }

    /// A shell may have had the same value from us before.
    private static func appended(_ value: String, to inherited: String?, _ separator: String) -> String {
        guard let inherited, !inherited.isEmpty, inherited != value else { return value }
        if inherited.hasSuffix(separator + value) { return inherited }
        return inherited + separator + value
    }

    /// The host, without brackets, and the port of a URL; port 80 when it names none.
    static func address(in url: String) -> (host: String, port: String) {
        var rest = url[...]
        if let scheme = rest.firstRange(of: "://") { rest = rest[scheme.upperBound...] }
        rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
            let after = rest[rest.index(after: end)...]
            let host = String(rest[rest.index(after: rest.startIndex)..<end])
            return (host, after.hasPrefix(":") ? String(after.dropFirst()) : "80")
        }
        guard let colon = rest.lastIndex(of: ":") else { return (String(rest), "80") }
        return (String(rest[..<colon]), String(rest[rest.index(after: colon)...]))
    }
}
