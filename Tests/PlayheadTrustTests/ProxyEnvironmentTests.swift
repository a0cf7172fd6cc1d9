import PlayheadTrust
import Testing

struct ProxyEnvironmentTests {
    private let files = TrustFiles(folder: "/t", hasJavaStore: true)

    private func change(
        _ inherited: [String: String] = [:], adjust: (inout ProxyEnvironment) -> Void = { _ in }
    ) -> EnvironmentChange {
        var environment = ProxyEnvironment(proxyURL: "http://127.0.0.1:9", files: files, cassette: "default")
        adjust(&environment)
        return environment.change(inherited: inherited)
    }

    @Test func setsEveryVariableOfTheContract() {
        let change = change()
        for name in [
            "http_proxy", "https_proxy", "HTTPS_PROXY", "HTTP_PROXY", "ws_proxy", "wss_proxy", "grpc_proxy",
            "npm_config_proxy", "npm_config_https_proxy", "CARGO_HTTP_PROXY",
        ] {
            #expect(change[name] == "http://127.0.0.1:9", "\(name)")
        }
        for name in [
            "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "AWS_CA_BUNDLE", "GIT_SSL_CAINFO",
            "CARGO_HTTP_CAINFO", "PERL_LWP_SSL_CA_FILE", "HTTPS_CA_FILE", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
            "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE", "HTTPLIB2_CA_CERTS", "NIX_SSL_CERT_FILE", "HEX_CACERTS_PATH",
            "BUNDLE_SSL_CA_CERT", "COMPOSER_CAFILE", "npm_config_cafile", "PLAYHEAD_BUNDLE_FILE",
        ] {
            #expect(change[name] == "/t/bundle.pem", "\(name)")
        }
        for name in ["NODE_EXTRA_CA_CERTS", "DENO_CERT", "PLAYHEAD_CA_FILE"] {
            #expect(change[name] == "/t/ca.pem", "\(name)")
        }
        #expect(change["SSL_CERT_DIR"] == "/t/certs")
        #expect(change["WGETRC"] == "/t/wgetrc")
        #expect(change["NODE_USE_ENV_PROXY"] == "1")
        #expect(change["PLAYHEAD_ACTIVE"] == "1")
        #expect(change["PLAYHEAD_CASSETTE"] == "default")
        #expect(change["PLAYHEAD_PROXY_URL"] == "http://127.0.0.1:9")
        #expect(change["PLAYHEAD_RECORDED_AT"] == nil)
        #expect(Set(change.set.map(\.name)).isDisjoint(with: change.unset))
        #expect(Set(change.set.map(\.name)).count == change.set.count)
    }

    @Test(arguments: ["REQUEST_METHOD", "GATEWAY_INTERFACE"])
    func leavesUppercaseHTTPProxyOutUnderCGI(marker: String) {
        let result = change([marker: "GET", "HTTP_PROXY": "http://evil"]).applied(to: ["HTTP_PROXY": "http://evil"])
        #expect(result["HTTP_PROXY"] == nil)
        #expect(result["http_proxy"] == "http://127.0.0.1:9")
    }

    @Test func removesALLPROXYInBothCases() {
        let inherited = ["ALL_PROXY": "socks5://a", "all_proxy": "socks5://a", "HOME": "/h"]
        let result = change(inherited).applied(to: inherited)
        #expect(result["ALL_PROXY"] == nil)
        #expect(result["all_proxy"] == nil)
        #expect(result["HOME"] == "/h")
    }

    @Test func dropsInheritedExceptionsAndListsLoopbackOnly() {
        let change = change(["NO_PROXY": "internal", "no_proxy": "*.corp:80"])
        #expect(change["no_proxy"] == "localhost,.localhost,127.0.0.1,::1")
        #expect(change["NO_PROXY"] == change["no_proxy"])
    }

    @Test func proxiesLoopbackWhenAsked() {
        let inherited = ["NO_PROXY": "internal", "no_proxy": "x", "no_grpc_proxy": "y"]
        let change = change(inherited) { $0.proxyLocalhost = true }
        let result = change.applied(to: inherited)
        #expect(result["NO_PROXY"] == nil)
        #expect(result["no_proxy"] == nil)
        #expect(result["no_grpc_proxy"] == nil)
        #expect(change["JAVA_TOOL_OPTIONS"]?.contains("-Dhttp.nonProxyHosts= ") == true)
    }

    @Test func keepsInheritedExceptionsWhenAsked() {
        let change = change(["NO_PROXY": "a, .b", "no_proxy": "a,c"]) { $0.keepNoProxy = true }
        #expect(change["NO_PROXY"] == "a,c,.b,localhost,.localhost,127.0.0.1,::1")
        #expect(change["JAVA_TOOL_OPTIONS"]?.contains("nonProxyHosts=localhost|127.*|[::1]|a|c ") == true)
    }

    @Test func appendsToJavaOptions() {
        #expect(
            change(["JAVA_TOOL_OPTIONS": "-Xmx1g"])["JAVA_TOOL_OPTIONS"]
                == "-Xmx1g -Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=9 -Dhttps.proxyHost=127.0.0.1 "
                + "-Dhttps.proxyPort=9 -Dhttp.nonProxyHosts=localhost|127.*|[::1] "
                + "-Djavax.net.ssl.trustStore=/t/truststore.p12 -Djavax.net.ssl.trustStoreType=PKCS12 "
                + "-Djavax.net.ssl.trustStorePassword=changeit")
    }

    @Test func quotesJavaPathsWithSpaces() {
        let change = change { $0.files.javaStore = "/my files/it's.p12" }
        #expect(change["JAVA_TOOL_OPTIONS"]?.contains(#""-Djavax.net.ssl.trustStore=/my files/it's.p12""#) == true)
    }

    @Test func takesUserAndBracketsOffForJava() {
        let change = change { $0.proxyURL = "http://name:to@ken@[::1]:81/" }
        #expect(change["JAVA_TOOL_OPTIONS"]?.hasPrefix("-Dhttp.proxyHost=::1 -Dhttp.proxyPort=81 ") == true)
    }

    @Test func appendsToPHPFoldersAndKeepsTheBuiltInOne() {
        #expect(change()["PHP_INI_SCAN_DIR"] == ":/t/php")
        #expect(change(["PHP_INI_SCAN_DIR": "/a:/b"])["PHP_INI_SCAN_DIR"] == "/a:/b:/t/php")
    }

    /// `eval "$(playhead env)"` may come twice in one shell, the second time with another cassette.
    @Test(arguments: [[:], ["JAVA_TOOL_OPTIONS": "-Xmx1g", "PHP_INI_SCAN_DIR": "/a"]])
    func changesNothingMoreTheSecondTime(inherited: [String: String]) {
        let once = change(inherited)
        let twice = change(once.applied(to: inherited))
        #expect(twice["JAVA_TOOL_OPTIONS"] == once["JAVA_TOOL_OPTIONS"])
        #expect(twice["PHP_INI_SCAN_DIR"] == once["PHP_INI_SCAN_DIR"])
    }

    @Test func orderDoesNotDependOnTheInheritedVariables() {
        #expect(change().set.map(\.name) == change(["A": "1", "JAVA_TOOL_OPTIONS": "x"]).set.map(\.name))
    }

    @Test func leavesTheCassetteVariableAloneWhenNoneIsNamed() {
        let environment = ProxyEnvironment(proxyURL: "http://127.0.0.1:9", files: TrustFiles(folder: "/t"))
        let change = environment.change(inherited: ["PLAYHEAD_CASSETTE": "mine"])
        #expect(change["PLAYHEAD_CASSETTE"] == nil)
        #expect(!change.unset.contains("PLAYHEAD_CASSETTE"))
    }
}
