import PlayheadHTTP
import Testing

@Suite struct HopByHopTests {
    private func kept(_ fields: [(String, String)], upgrade: Bool = false) -> [String] {
        var headers = HeaderList(fields)
        HopByHop.removeFromRequest(&headers, keepingUpgrade: upgrade)
        var response = HeaderList(fields)
        HopByHop.removeFromResponse(&response, keepingUpgrade: upgrade)
        #expect(headers == response)
        return headers.indices.map { "\(headers.name(at: $0)): \(headers.value(at: $0))" }
    }

    @Test func leavesEndToEndFieldsAlone() {
        let fields = [
            ("Host", "a"), ("accept", "*/*"), ("Cookie", "a=b"), ("cookie", "c=d"), ("Trailer", "X"), ("Via", "1.1 x"),
            ("Te-St", "y"), ("Connections", "close"), ("Upgrade-Insecure-Requests", "1"), ("Expect", "100-continue"),
        ]
        #expect(self.kept(fields) == fields.map { "\($0.0): \($0.1)" })
    }

    @Test(arguments: [
        "Connection", "KEEP-ALIVE", "proxy-connection", "Proxy-Authorization", "Proxy-Authenticate",
        "Proxy-Authentication-Info", "TE", "Transfer-Encoding", "Upgrade", "HTTP2-Settings",
    ])
    func removes(_ name: String) {
        #expect(self.kept([("A", "1"), (name, "x"), ("B", "2"), (name.lowercased(), "y")]) == ["A: 1", "B: 2"])
    }

    @Test func removesWhatConnectionNames() {
        #expect(
            self.kept([
                ("X-Secret", "1"), ("Connection", "close, x-secret ,,"), ("Y", "2"), ("connection", "Y"), ("Z", "3"),
            ]) == ["Z: 3"])
    }

    @Test(arguments: [
        "Host", "Content-Length", "Content-Type", "Content-Encoding", "Authorization", "Cookie", "Set-Cookie",
        "Cache-Control",
    ])
    func neverRemovesByNomination(_ name: String) {
        #expect(self.kept([(name, "1"), ("Connection", "\(name.uppercased()), X"), ("X", "2")]) == ["\(name): 1"])
    }

    @Test func keepsOnlyTheTEThatAsksForTrailers() {
        #expect(self.kept([("TE", "Trailers"), ("Connection", "TE")]) == ["TE: Trailers"])
        #expect(self.kept([("TE", "gzip, trailers;q=0.5")]) == [])
    }

    @Test func keepsAnUpgradeWhenAsked() {
        let fields = [
            ("Connection", "keep-alive, Upgrade, X"), ("Upgrade", "websocket"), ("X", "1"), ("Connection", "a"),
        ]
        #expect(self.kept(fields, upgrade: true) == ["Connection: Upgrade", "Upgrade: websocket"])
        #expect(
            self.kept([("A", "1"), ("Upgrade", "w")], upgrade: true) == ["A: 1", "Upgrade: w", "Connection: Upgrade"])
        #expect(self.kept([("Connection", "x"), ("A", "1")], upgrade: true) == ["A: 1"])
    }

    @Test func readsPersistenceFromVersionAndConnection() {
        for (version, value, keeps) in [
            (HTTPVersion.http1_1, nil, true), (.http1_0, nil, false), (.http1_1, "close", false),
            (.http1_1, "x, CLOSE", false), (.http1_0, "Keep-Alive", true), (.http1_0, "a , keep-alive", true),
            (.http1_0, "keep-alive, close", false), (.http1_1, "closed", true),
        ] as [(HTTPVersion, String?, Bool)] {
            let headers = HeaderList(value.map { [("Connection", $0)] } ?? [])
            #expect(HopByHop.keepsConnection(headers, version: version) == keeps, "\(version) \(value ?? "-")")
        }
    }
}
