/// A runtime or tool that speaks HTTP, as far as its way to find a proxy and a CA goes.
public enum ClientKind: String, Sendable, CaseIterable {
    case curl, wget, git, python, node, deno, bun, java, go, ruby, php, perl, rust, dotnet, swift, chromium, firefox
    case grpc

    /// The client that sends a `User-Agent`; nil for an unknown one.
    public init?(userAgent: String) {
        let text = userAgent.lowercased()
        // The first mark that is found counts: Chromium says Mozilla too, and cargo says curl.
        let marks: [(String, ClientKind)] = [
            ("cargo", .rust), ("reqwest", .rust), ("hyper/", .rust), ("git/", .git), ("grpc", .grpc), ("curl/", .curl),
            ("wget/", .wget), ("python", .python), ("aiohttp", .python), ("aws-cli", .python), ("pip/", .python),
            ("deno/", .deno), ("bun/", .bun), ("undici", .node), ("node", .node), ("npm/", .node), ("axios/", .node),
            ("java", .java), ("okhttp", .java), ("go-http-client", .go), ("ruby", .ruby), ("faraday", .ruby),
            ("guzzle", .php), ("php", .php), ("libwww-perl", .perl), ("http-tiny", .perl), (".net", .dotnet),
            ("cfnetwork", .swift), ("swift", .swift), ("chrome/", .chromium), ("firefox/", .firefox),
        ]
        guard let kind = marks.first(where: { text.contains($0.0) })?.1 else { return nil }
        self = kind
    }

    /// The client that a command most likely is; nil for an unknown one.
    public init?(command: [String]) {
        guard let first = command.first, let name = first.split(separator: "/").last else { return nil }
        if ["sh", "bash", "dash", "zsh", "env", "sudo", "timeout", "nice", "xvfb-run"].contains(name) {
            let words = command.dropFirst().flatMap { $0.split(whereSeparator: { " \t\n;&|()\"'".contains($0) }) }
            guard let kind = words.lazy.compactMap({ Self.named($0.split(separator: "/").last ?? "") }).first
            else { return nil }
            self = kind
            return
        }
        guard let kind = Self.named(name) else { return nil }
        self = kind
    }

    private static let names: [String: ClientKind] = [
        "pytest": .python, "pip": .python, "uv": .python, "poetry": .python, "tox": .python, "aws": .python,
        "npm": .node, "npx": .node, "yarn": .node, "pnpm": .node, "jest": .node, "vitest": .node, "tsx": .node,
        "mvn": .java, "gradle": .java, "gradlew": .java, "mvnw": .java, "kotlin": .java, "sbt": .java,
        "bundle": .ruby, "rake": .ruby, "rspec": .ruby, "rails": .ruby, "gem": .ruby, "composer": .php,
        "phpunit": .php, "cargo": .rust, "rustc": .rust, "google-chrome": .chromium, "chrome": .chromium,
        "chromium-browser": .chromium, "xcodebuild": .swift,
    ]

    /// `python3.11` is Python, `ruby3` Ruby.
    private static func named(_ name: Substring) -> ClientKind? {
        var base = name
        while let last = base.last, last.isNumber || last == "." { base.removeLast() }
        return ClientKind(rawValue: String(base)) ?? names[String(base)]
    }

    /// The variables that lead this client through a proxy and make it trust a CA.
    public var variables: Set<String> {
        let proxy: Set = ["http_proxy", "https_proxy", "HTTPS_PROXY", "HTTP_PROXY", "no_proxy", "NO_PROXY"]
        let openssl: Set = ["SSL_CERT_FILE", "SSL_CERT_DIR"]
        switch self {
        case .curl: return proxy.union(["CURL_CA_BUNDLE"])
        case .wget: return proxy.union(["WGETRC"])
        case .git: return proxy.union(["GIT_SSL_CAINFO"])
        case .python:
            return proxy.union(openssl).union([
                "REQUESTS_CA_BUNDLE", "PIP_CERT", "AWS_CA_BUNDLE", "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE",
                "HTTPLIB2_CA_CERTS", "ws_proxy", "wss_proxy",
            ])
        case .node:
            return proxy.union([
                "NODE_USE_ENV_PROXY", "NODE_EXTRA_CA_CERTS", "npm_config_proxy", "npm_config_https_proxy",
                "npm_config_cafile",
            ])
        case .deno: return proxy.union(["DENO_CERT", "NODE_USE_ENV_PROXY"])
        case .bun: return proxy.union(["NODE_EXTRA_CA_CERTS"])
        case .java: return ["JAVA_TOOL_OPTIONS"]
        case .go, .dotnet: return proxy.union(openssl)
        case .ruby: return proxy.union(openssl).union(["BUNDLE_SSL_CA_CERT"])
        case .php: return proxy.union(["PHP_INI_SCAN_DIR", "COMPOSER_CAFILE"])
        case .perl: return proxy.union(openssl).union(["PERL_LWP_SSL_CA_FILE", "HTTPS_CA_FILE"])
        case .rust: return proxy.union(openssl).union(["CARGO_HTTP_PROXY", "CARGO_HTTP_CAINFO"])
        case .swift, .chromium, .firefox: return proxy
        case .grpc: return ["grpc_proxy", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "no_proxy", "NO_PROXY"]
        }
    }
}
