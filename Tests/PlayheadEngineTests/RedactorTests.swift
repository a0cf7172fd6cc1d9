import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

struct RedactorTests {
    private func redact(_ exchange: Exchange) -> Exchange {
        var ledger = RedactionLedger()
        return Redactor.standard.redact(exchange, ledger: &ledger)
    }

    @Test func replacesCredentialsAndKeepsTheScheme() {
        let clean = redact(
            exchange("https://a.test/", headers: [("Authorization", "Bearer s3cr3t"), ("Accept", "*/*")]))
        #expect(clean.request.headers.first("authorization") == "Bearer [REDACTED:authorization#1]")
        #expect(clean.request.headers.first("accept") == "*/*")
    }

    @Test(arguments: [
        "Authorization", "Proxy-Authorization", "X-Api-Key", "Api-Key", "X-Auth-Token", "X-Access-Token",
        "X-Amz-Security-Token", "X-Goog-Api-Key", "X-Goog-Iam-Authorization-Token", "Private-Token", "Job-Token",
        "X-Vault-Token", "X-CSRF-Token", "X-XSRF-Token", "Ocp-Apim-Subscription-Key", "aeg-sas-key",
        "X-Functions-Key", "X-MS-Copy-Source-Authorization", "DD-API-KEY", "X-Shopify-Access-Token", "X-My-Password",
        "X-Session-Id", "My-Credential", "X-Hub-Signature-256", "X-JWT-Assertion", "x-client-secret",
    ])
    func redactsHeader(name: String) {
        let clean = redact(
            exchange("https://a.test/", headers: [(name, "zq81hush")], answerHeaders: [(name, "zq81hush")]))
        #expect(!clean.everything.contains("zq81hush"))
        #expect(clean.everything.contains("[REDACTED:"))
    }

    @Test func keepsCookieNamesAndAttributes() {
        let clean = redact(
            exchange(
                "https://a.test/", headers: [("Cookie", "sid=abc123; theme=dark")],
                answerHeaders: [("Set-Cookie", "sid=abc123; Path=/; HttpOnly"), ("Set-Cookie", "gone=; Max-Age=0")]))
        #expect(clean.request.headers.first("cookie") == "sid=[REDACTED:cookie#1]; theme=[REDACTED:cookie#2]")
        #expect(
            clean.response.headers.values("set-cookie") == [
                "sid=[REDACTED:set-cookie#1]; Path=/; HttpOnly", "gone=; Max-Age=0",
            ])
    }

    @Test func leavesChallengesAndCountsAlone() {
        let fields = [
            ("WWW-Authenticate", "Bearer realm=\"x\""), ("x-ratelimit-remaining-tokens", "149984"),
            ("Access-Control-Allow-Headers", "authorization"),
        ]
        let clean = redact(exchange("https://a.test/", answerHeaders: fields))
        #expect(clean == exchange("https://a.test/", answerHeaders: fields))
    }

    @Test func redactsQueryValuesUserinfoAndLocation() {
        let clean = redact(
            exchange(
                "https://me:pw99@a.test/p?access_token=hush1&page=2&X-Amz-Signature=hush2&code=US&code=SplxlOBeZQQ",
                answerHeaders: [("Location", "https://b.test/cb?state=1&code=hush3hush3#x")]))
        #expect(
            clean.request.url
                == "https://[REDACTED:userinfo#1]@a.test/p?access_token=[REDACTED:token#2]&page=2"
                + "&X-Amz-Signature=[REDACTED:signature#3]&code=US&code=[REDACTED:code#4]")
        #expect(clean.response.headers.first("location") == "https://b.test/cb?state=1&code=[REDACTED:code#5]#x")
    }

    @Test func redactsFormFields() {
        let clean = redact(
            exchange(
                "https://a.test/", method: "POST", headers: [("Content-Type", "application/x-www-form-urlencoded")],
                body: "grant_type=password&username=joe&password=p%40ss&client_secret=zz"))
        #expect(
            octets(clean.request.body)
                == "grant_type=password&username=joe&password=[REDACTED:password#1]&client_secret=[REDACTED:secret#2]")
    }

    @Test(arguments: [
        ("user[password]=hush-1&a[b]=1", "user[password]=[REDACTED:password#1]&a[b]=1"),
        ("user%5Bclient_secret%5D%5B%5D=hush-1", "user%5Bclient_secret%5D%5B%5D=[REDACTED:secret#1]"),
        ("api_key[]=hush-1&password[x]=kept", "api_key[]=[REDACTED:api-key#1]&password[x]=kept"),
        ("[]=a&]=b&a]=c", nil),
    ])
    func redactsNestedFormFields(form: String, clean: String?) {
        let redacted = redact(
            exchange(
                "https://a.test/?" + form, method: "POST",
                headers: [("Content-Type", "application/x-www-form-urlencoded")], body: form))
        #expect(octets(redacted.request.body) == clean ?? form)
        #expect(!redacted.request.url.contains("api_key[]=hush"))
    }

    @Test func theSameSecretHasTheSameNumberWithinALedger() {
        var ledger = RedactionLedger()
        let redactor = Redactor.standard
        let login = redactor.redact(
            exchange("https://a.test/login?password=q", answer: #"{"access_token":"tok-77"}"#), ledger: &ledger)
        let use = redactor.redact(
            exchange("https://a.test/me", headers: [("Authorization", "Bearer tok-77")]), ledger: &ledger)
        #expect(octets(login.response.body) == #"{"access_token":"[REDACTED:token#2]"}"#)
        #expect(use.request.headers.first("authorization") == "Bearer [REDACTED:authorization#2]")
        var continued = RedactionLedger(continuing: [login, use])
        #expect(continued.next == 3)
        let more = redactor.redact(exchange("https://a.test/?token=new"), ledger: &continued)
        #expect(more.request.url == "https://a.test/?token=[REDACTED:token#3]")
    }

    @Test func redactingTwiceChangesNothing() {
        let once = redact(
            exchange(
                "https://u:p@a.test/?token=abc", method: "POST",
                headers: [("Authorization", "Basic dTpw"), ("Cookie", "a=b")],
                body: #"{"password":"x"}"#, answer: "ghp_0123456789abcdefghij0123456789abcdef"))
        #expect(redact(once) == once)
    }

    @Test func aDisabledRuleLeavesItsSecrets() throws {
        let redactor = try Redactor.withoutRules(named: ["token"])
        var ledger = RedactionLedger()
        let clean = redactor.redact(exchange("https://a.test/?token=abc&password=d"), ledger: &ledger)
        #expect(clean.request.url == "https://a.test/?token=abc&password=[REDACTED:password#1]")
        #expect(throws: EngineError.self) { try Redactor.withoutRules(named: ["tokens"]) }
    }

    @Test(arguments: [
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "AKIAIOSFODNN7EXAMPLE",
        "ghp_0123456789abcdefghij0123456789abcdef", "glpat-0123456789abcdefghij", "xoxb-123456789012-abcdefghijkl",
        "sk_live_0123456789abcdefghij", "sk-proj-0123456789abcdefghij0123", "AIzaSyA0123456789abcdefghij0123456789ab",
        "ya29.a0AfH6SMBx0123456789abcdef", "npm_0123456789abcdefghij0123456789abcdef",
        "pypi-AgEIcHlwaS5vcmcCJDAwMDA", "github_pat_0123456789abcdefghij_0123456789",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc==\n-----END RSA PRIVATE KEY-----",
    ])
    func knowsTokenByItsLook(token: String) {
        let clean = redact(
            exchange(
                "https://a.test/bot/\(token.prefix(20).contains("-----") ? "x" : token)/send", method: "POST",
                headers: [("X-Note", "see \(token.replacing("\n", with: " "))")], body: "note: \(token), done",
                answer: "{\"n\":\"\(token.replacing("\n", with: "\\n"))\"}"))
        for piece in token.split(separator: "\n") where !piece.hasPrefix("--") {
            #expect(!clean.everything.contains(piece))
        }
        #expect(octets(clean.request.body).hasSuffix(", done"))
    }

    @Test func chunkBordersFollowTheEdits() {
        let answer = "data: ghp_0123456789abcdefghij0123456789abcdef\n\ndata: end\n\n"
        var recorded = exchange("https://a.test/", answer: answer)
        var response = recorded.response
        response.chunks = [
            .init(at: 1, length: 20), .init(at: 2, length: 28), .init(at: 3, length: answer.utf8.count - 48),
        ]
        recorded.outcome = .response(response)
        let clean = redact(recorded).response
        #expect(clean.chunks.map(\.length).reduce(0, +) == clean.body.count)
        #expect(clean.chunks.count == 3)
        #expect(octets(clean.body).hasSuffix("\n\ndata: end\n\n"))
        #expect(clean.chunks.last?.length == "data: end\n\n".utf8.count)
    }

    @Test func masksURLsForMessagesAndLogs() {
        #expect(
            Redactor.standard.maskURL("https://u:p@a.test/x?token=abc&d=1")
                == "https://[REDACTED:userinfo]@a.test/x?token=[REDACTED:token]&d=1")
        #expect(Redactor.standard.logURL("https://a.test/x?token=abc&d=1&e") == "https://a.test/x?token=…&d=…&e")
    }

    @Test func aRedactedValueMatchesAnyValue() throws {
        let recorded = redact(
            exchange("https://a.test/x?token=first&d=1", headers: [("Authorization", "Bearer one")]))
        let rules = try MatchRules.parse(list: "method,scheme,host,port,path,query,headers(authorization)")
        var playback = Playback(exchanges: [recorded, recorded], rules: rules)
        let other = try request("https://a.test/x?d=1&token=other", headers: [("Authorization", "Bearer two")])
        #expect(playback.position(other) == 0)
        let wrong = try request("https://a.test/x?d=2&token=other", headers: [("Authorization", "Bearer two")])
        #expect(playback.position(wrong) == nil)
        let withoutHeader = try request("https://a.test/x?d=1&token=other")
        #expect(playback.position(withoutHeader) == nil)
    }

    @Test func aRedactedPathMatchesAnySegment() throws {
        let recorded = redact(exchange("https://a.test/bot/ghp_0123456789abcdefghij0123456789abcdef/send"))
        var playback = Playback(exchanges: [recorded], rules: .standard)
        #expect(playback.position(try request("https://a.test/bot/x/get")) == nil)
        #expect(playback.position(try request("https://a.test/bot/other/send")) == 0)
    }
}
