import PlayheadTrust
import Testing

struct ClientAdviceTests {
    @Test func namesTheOneVariableOfTheClient() {
        #expect(ClientAdvice.distrust(agent: "curl/8.1", command: ["node"]).contains("CURL_CA_BUNDLE"))
        #expect(ClientAdvice.distrust(agent: nil, command: ["node", "x.js"]).contains("NODE_EXTRA_CA_CERTS"))
        #expect(ClientAdvice.distrust(agent: "odd/1", command: ["./app"]).contains("--isolate trust"))
    }

    @Test(arguments: ClientKind.allCases)
    func everyVariableThatIsNamedIsOneThatIsSet(kind: ClientKind) {
        let text = ClientAdvice(kind).trust
        let named = text.split { !($0.isUppercase || $0 == "_") }.filter { $0.contains("_") && $0.count > 4 }
        #expect(kind.variables.isSuperset(of: named.map { String($0) }), "\(text)")
    }

    @Test func aLeakNamesWhatTheRuntimeNeeds() {
        #expect(ClientAdvice.leak(command: ["node", "x.js"], proxiesLoopback: false).contains("22.21"))
        #expect(ClientAdvice.leak(command: ["./app"], proxiesLoopback: true).contains("--isolate network"))
    }

    @Test(arguments: [
        ("https://localhost:8443/x", "localhost"), ("127.0.0.1:80", "127.0.0.1"), ("http://[::1]/", "[::1]"),
        ("curl -s 'http://app.localhost/'", "app.localhost"), ("http://me@127.0.0.1?q", "127.0.0.1"),
    ])
    func aLeakToThisMachineNamesTheOptionThatStopsIt(word: String, name: String) {
        let told = ClientAdvice.leak(command: ["curl", "-s", word], proxiesLoopback: false)
        #expect(told.contains(" \(name) is this machine") && told.contains("--proxy-localhost"), "\(told)")
        #expect(told.contains("--noproxy"), "\(told)")
        let asked = ClientAdvice.leak(command: ["curl", "-s", word], proxiesLoopback: true)
        #expect(!asked.contains("--proxy-localhost"), "\(asked)")
    }

    @Test(arguments: ["https://localhost.example/", "127.0.0.1.example", "127.0.0", "--localhost", "127.0.0.12", ""])
    func aLeakElsewhereDoesNotNameThisMachine(word: String) {
        let told = ClientAdvice.leak(command: ["curl", word], proxiesLoopback: false)
        #expect(!told.contains("--proxy-localhost"), "\(told)")
    }
}
