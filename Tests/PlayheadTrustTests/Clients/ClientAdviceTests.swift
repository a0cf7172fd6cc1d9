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
        #expect(ClientAdvice.leak(command: ["node", "x.js"]).contains("22.21"))
        #expect(ClientAdvice.leak(command: ["./app"]).contains("--isolate network"))
    }
}
