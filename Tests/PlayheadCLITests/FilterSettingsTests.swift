import PlayheadEngine
import Testing

@testable import PlayheadCLI

struct FilterSettingsTests {
    private func chain(_ text: String) throws -> FilterChain {
        try ConfigurationFile.parse(Array(text.utf8), path: "playhead.yaml").1
    }

    @Test func readsEveryKind() throws {
        let chain = try chain(
            """
            mode: none
            filters:
              host: {"*.staging.test": api.test}
              path: {/users/4711: /users/1}
              query: {session: S, utm: ~}
              request-headers:
                X-Tenant: tenant
                User-Agent: ~
              response_headers: {Server: }
              request_body: {$.user.email: ann@a.test}
              response_body: {created_at: "2026"}
              text: {Alice: Ann}
              regex: {'id-([0-9]+)': id-$1}
            """)
        #expect(chain.hosts.map(\.host) == ["api.test"])
        #expect(chain.query.map(\.name) == ["session", "utm"])
        #expect(chain.requestHeaders.count == 2 && chain.responseHeaders.count == 1)
        #expect(!chain.requestBody.isEmpty && !chain.responseBody.isEmpty)
        #expect(chain.path.count == 1 && chain.text.count == 1 && chain.patterns.count == 1)
        #expect(try self.chain("mode: none\n").isEmpty)
        #expect(try self.chain("filters:\n").isEmpty)
    }

    @Test(arguments: [
        ("mode: none\nfilters:\n  quary: {a: b}\n", 3, "Did you mean query?"), ("filters: [a]\n", 1, "dictionary"),
        ("filters:\n  query: a\n", 2, "query"), ("filters:\n  query:\n    a: [b]\n", 3, "a list"),
        ("filters:\n  regex:\n    ok: a\n    '(': b\n", 4, "regular expression"),
        ("filters:\n  request_body:\n    '$[?(@)]': b\n", 3, "JSONPath"),
        ("filters:\n  host:\n    a.test: ~\n", 3, "another host"), ("filters:\n  host:\n    a.test: b/c\n", 3, "host"),
        ("filtres:\n  host: {}\n", 1, "filters"),
    ])
    func namesTheLineOfWhatIsWrong(text: String, line: Int, word: String) throws {
        let failure = try #require(throws: CommandFailure.self) { try self.chain(text) }
        #expect(failure.code == .badConfiguration)
        #expect(failure.message.contains("playhead.yaml, line \(line):"), "\(failure.message)")
        #expect(failure.message.contains(word), "\(failure.message)")
    }
}

struct JSONOverrideSettingsTests {
    private func values(_ text: String) throws -> [String]? {
        try ConfigurationFile.parse(Array(text.utf8), path: "playhead.yaml").0[.jsonOverrides]?.values
    }

    @Test func aDictionaryAndAListSayTheSame() throws {
        let wanted = ["isPremium=true", "name=\"5\"", "n=5", "$.a=[1,2]"]
        #expect(try values("json_overrides:\n  isPremium: true\n  name: '5'\n  n: 5\n  $.a: '[1,2]'\n") == wanted)
        #expect(try values("json_overrides: [isPremium=true, 'name=\"5\"', n=5, '$.a=[1,2]']\n") == wanted)
        #expect(throws: CommandFailure.self) { try values("json_overrides: {a: [1]}\n") }
    }

    @Test func aWrongOneNamesItsPlace() throws {
        let scratch = try Scratch()
        let settings = Settings(
            flags: [.jsonOverrides: ["a=1,2", "nonsense"]], environment: [:], file: nil)
        #expect(settings.list(.jsonOverrides).count == 2)
        let failure = try #require(
            failure { _ = try SessionSetup(settings: settings, host: scratch.host()).overrides() })
        #expect(failure.code == .usage && failure.message.contains("--json-override"), "\(failure.message)")
    }

    @Test func secretsComeFromTheEnvironment() throws {
        let scratch = try Scratch()
        let settings = Settings(
            flags: [:], environment: ["PLAYHEAD_SECRETS_FROM_ENV": "API_KEY, OTHER"], file: nil)
        let setup = SessionSetup(settings: settings, host: scratch.host(["API_KEY": "hush-hush"]))
        let redactor = try setup.redactor()
        #expect(redactor.secrets.names == ["API_KEY", "OTHER"] && redactor.secrets.unset == ["OTHER"])
        #expect(redactor.maskText("x hush-hush") == "x {{API_KEY}}")
        let bad = Settings(flags: [.secretsFromEnvironment: ["A-B"]], environment: [:], file: nil)
        let failure = try #require(failure { _ = try SessionSetup(settings: bad, host: scratch.host()).redactor() })
        #expect(failure.message.contains("--secrets-from-env"), "\(failure.message)")
    }
}
