import PlayheadTrust
import Testing

struct ClientKindTests {
    @Test(arguments: [
        ("curl/7.88.1", ClientKind.curl), ("Wget/1.21.3", .wget), ("git/2.39.5", .git),
        ("python-requests/2.34.2", .python),
        ("Python-urllib/3.11", .python), ("node", .node), ("undici", .node), ("Java-http-client/17.0.13", .java),
        ("Go-http-client/1.1", .go), ("Ruby", .ruby), ("libwww-perl/6.68", .perl), ("cargo/1.95.0", .rust),
        ("fetch (unknown version) curl/7.88.1", .curl), ("App/1 CFNetwork/1410.0.3 Darwin/22.6.0", .swift),
        ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0", .chromium),
    ])
    func isKnownByItsUserAgent(agent: String, kind: ClientKind) { #expect(ClientKind(userAgent: agent) == kind) }

    @Test func anUnknownAgentIsNobody() {
        #expect(ClientKind(userAgent: "checkout/1.0") == nil)
        #expect(ClientKind(userAgent: "") == nil)
    }

    @Test(arguments: [
        (["python3.11", "x.py"], ClientKind.python), (["/usr/bin/node", "x.js"], .node), (["pytest"], .python),
        (["npm", "test"], .node), (["sh", "-c", "cd app && ./gradlew test"], .java),
        (["env", "A=1", "ruby3.1"], .ruby),
        (["bash", "-c", "(/usr/bin/curl -s x)"], .curl), (["swift", "test"], .swift),
    ])
    func isGuessedFromTheCommand(command: [String], kind: ClientKind) { #expect(ClientKind(command: command) == kind) }

    @Test(arguments: [[], ["./app"], ["sh", "-c", "exit 3"], [""], ["/"]] as [[String]])
    func anUnknownCommandIsNobody(command: [String]) { #expect(ClientKind(command: command) == nil) }

    /// A name with a slip in it would silently be left out of `--env-for`.
    @Test(arguments: ClientKind.allCases)
    func itsVariablesAreAmongThoseThatAreSet(kind: ClientKind) {
        let change = ProxyEnvironment(proxyURL: "http://127.0.0.1:9", files: TrustFiles(folder: "/t")).change(
            inherited: [:])
        #expect(kind.variables.isSubset(of: change.set.map(\.name)))
        #expect(!kind.variables.isEmpty)
    }
}
