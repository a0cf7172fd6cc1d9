/// What makes a client use the proxy and trust our CA, in words.
public struct ClientAdvice: Sendable, Equatable {
    /// The client; nil when it is not known.
    public let client: ClientKind?

    /// Advice for a client.
    public init(_ client: ClientKind?) { self.client = client }

    /// The one thing that makes it trust our CA.
    public var trust: String {
        switch client {
        case .curl: "curl trusts the file in CURL_CA_BUNDLE, unless --cacert names another one"
        case .wget: "wget trusts the file that `ca_certificate` names in the file of WGETRC"
        case .git: "git trusts the file in GIT_SSL_CAINFO"
        case .python:
            "Python trusts the file in SSL_CERT_FILE, requests the one in REQUESTS_CA_BUNDLE; code that calls "
                + "certifi or sets `verify` decides by itself"
        case .node: "Node trusts the file in NODE_EXTRA_CA_CERTS, read at its start; a `ca` option in code replaces it"
        case .deno: "Deno trusts the file in DENO_CERT"
        case .bun: "Bun trusts the file in NODE_EXTRA_CA_CERTS"
        case .java: "Java trusts the store that -Djavax.net.ssl.trustStore names in JAVA_TOOL_OPTIONS"
        case .go: "Go trusts the file in SSL_CERT_FILE, on macOS the keychain alone (playhead cert install)"
        case .ruby: "Ruby trusts the file in SSL_CERT_FILE"
        case .php: "PHP trusts the file of openssl.cafile and curl.cainfo in the folder of PHP_INI_SCAN_DIR"
        case .perl: "Perl's LWP trusts the file in PERL_LWP_SSL_CA_FILE, HTTP::Tiny the one in SSL_CERT_FILE"
        case .rust:
            "cargo trusts the file in CARGO_HTTP_CAINFO; reqwest the one in SSL_CERT_FILE, unless it was built with "
                + "webpki-roots"
        case .dotnet: ".NET on Linux trusts the file in SSL_CERT_FILE"
        case .grpc: "gRPC trusts the file in GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"
        case .swift: "URLSession reads no variable for a CA: run with --isolate trust (Linux), or playhead cert install"
        case .chromium, .firefox: "browsers trust their own store: playhead cert install"
        case nil:
            "if it reads no variable for a CA, run it with --isolate trust (Linux), or trust the CA with "
                + "`playhead cert install`"
        }
    }

    /// The one thing that makes it use the proxy.
    public var proxy: String {
        switch client {
        case .python: "aiohttp uses a proxy only in sessions made with trust_env=True"
        case .node:
            "Node reads the proxy variables from 22.21 and 24 on (NODE_USE_ENV_PROXY); older ones need an agent in code"
        case .java: "Java takes its proxy from JAVA_TOOL_OPTIONS, unless the program sets a ProxySelector of its own"
        case .go: "in Go, an http.Transport needs Proxy: http.ProxyFromEnvironment, and loopback always goes direct"
        case .swift:
            "AsyncHTTPClient reads no variable: its Configuration.proxy is to be set; URLSession reads https_proxy"
        case .php: "PHP's curl reads https_proxy; streams need the file that PHP_INI_SCAN_DIR leads to"
        case .chromium: "Chromium reads https_proxy when the desktop has no setting; --proxy-server wins"
        case .firefox: "Firefox has a proxy setting of its own"
        case .dotnet: ".NET's HttpClient reads https_proxy, unless its handler has UseProxy = false"
        case .curl: "curl goes past it with --noproxy or a proxy of its own in ~/.curlrc"
        default: "--isolate network (Linux) leaves a program no other way, so that one that ignores the proxy fails"
        }
    }

    /// What to say of a client that refused our certificate.
    ///
    /// - Parameters:
    ///   - agent: what the client called itself, if it did.
    ///   - command: the command that was run, for a client that did not.
    public static func distrust(agent: String?, command: [String]) -> String {
        // A shell's script may start many programs, and the first one named need not be this one.
        ClientAdvice(agent.flatMap(ClientKind.init(userAgent:)) ?? ClientKind(command: command)).trust
    }

    /// What to say of a command that sent nothing through the proxy.
    ///
    /// - Parameters:
    ///   - command: the command that was run.
    ///   - proxiesLoopback: whether its variables send names of this machine through the proxy too.
    public static func leak(command: [String], proxiesLoopback: Bool) -> String {
        let client = ClientAdvice(ClientKind(command: command)).proxy
        let cause =
            if !proxiesLoopback, let name = Self.loopbackName(in: command) {
                "\(name) is this machine, and goes past the proxy without --proxy-localhost. If that is not it: "
            } else {
                "If it speaks to servers: "
            }
        return "the command sent nothing through the proxy. " + cause + client
    }

    /// The first name or address of this machine in the words of a command; nil without one.
    private static func loopbackName(in command: [String]) -> String? {
        for word in command {
            if word.contains("[::1]") { return "[::1]" }
            let names = word.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-")) }
            if let name = names.first(where: Self.isLoopback) { return String(name) }
        }
        return nil
    }

    /// The names that `ProxyEnvironment` excepts.
    private static func isLoopback(_ name: Substring) -> Bool {
        let name = name.lowercased()
        return name == "127.0.0.1" || name == "localhost" || name.hasSuffix(".localhost")
    }
}
