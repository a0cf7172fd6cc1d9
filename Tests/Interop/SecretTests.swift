import Foundation
import Testing

/// Secrets in every place, sent and answered through the built program: none may be left anywhere but with the client.
///
/// Every secret holds the word `hush`, so one search finds any of them.
@Suite("Secrets", .timeLimit(.minutes(10)))
struct SecretTests {
    static let word = "hush"

    /// The requests of one run as arguments of curl; `mark` goes into every secret.
    private func requests(_ mark: String, packed: String) -> [[String]] {
        let base = "https://api.example.test/vault"
        let query = "?mark=\(mark)"
        let json =
            #"{"list":[{"x":{"client_secret":"hush-deep-request-\#(mark)"}}],"mark":"\#(mark)","blob":"\#(packed)"}"#
        return [
            [
                "-H", "Authorization: Bearer hush-bearer-\(mark)", "-b", "sid=hush-cookie-\(mark)", "-H",
                "X-Api-Key: hush-api-key-\(mark)", "\(base)/json\(query)&access_token=hush-query-\(mark)",
            ],
            ["-u", "ann:hush-basic-\(mark)", "\(base)/plain\(query)"],
            ["-H", "Content-Type: application/json", "-d", json, "\(base)/plain\(query)&of=json"],
            ["-d", "client_secret=hush-form-\(mark)&mark=\(mark)", "\(base)/plain\(query)&of=form"],
            ["-F", "password=hush-part-\(mark)", "-F", "mark=\(mark)", "\(base)/plain\(query)&of=parts"],
            ["\(base)/packed\(query)"], ["-N", "\(base)/sse\(query)"], ["\(base)/big\(query)"],
            ["\(base)/partial\(query)"],
        ]
    }

    /// Sends them all and returns what the clients saw.
    private func ask(_ bench: Workbench, _ serve: Serve, _ mark: String, packed: String) async throws -> String {
        var seen = ""
        for arguments in self.requests(mark, packed: packed) {
            seen += try await bench.finish(serve.curl(bench) + ["-i", "--compressed"] + arguments).text
        }
        // A client that puts credentials into the request target, to a server that answers and one that does not.
        for host in ["api.example.test", "refused.example.test"] {
            let raw = try RawConnection(port: serve.port)
            raw.send(
                "GET http://ann:hush-userinfo-\(mark)@\(host)/vault/plain?mark=\(mark) HTTP/1.1\r\nHost: \(host)\r\n"
                    + "Connection: close\r\n\r\n")
            seen += raw.receiveToEnd().text
        }
        // The proxy's own user and password.
        let proxied = serve.curl(bench).map {
            $0.replacingOccurrences(of: "http://127", with: "http://default:hush-proxy-\(mark)@127")
        }
        seen += try await bench.finish(proxied + ["-i", "https://api.example.test/vault/plain?mark=\(mark)&of=user"])
            .text
        return seen
    }

    /// A JSON text with a password, gzip inside base64.
    private func packed(_ bench: Workbench, _ mark: String) async throws -> String {
        let python = try #require(ClientPython.path)
        let program =
            "import base64,gzip;print(base64.b64encode(gzip.compress(b'{\"password\":\"hush-packed-\(mark)\"}')).decode())"
        let made = try await bench.finish([python, "-c", program])
        return made.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The long runs of base64 in a text.
    private func packedTexts(in text: String) -> Set<String> {
        Set(text.matches(of: /[A-Za-z0-9+\/]{48,}={0,2}/).map { String($0.output) })
    }

    private func files(below folder: String) -> [String: Data] {
        var files: [String: Data] = [:]
        for name in FileManager.default.enumerator(atPath: folder)?.compactMap({ $0 as? String }) ?? [] {
            files[name] = FileManager.default.contents(atPath: folder + "/" + name)
        }
        return files
    }

    /// Fails where a secret is found; `forms` are other ways in which one is written.
    private func expectNone(
        in texts: [String: Data], forms: Set<String>, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for (name, data) in texts {
            for form in forms.union([Self.word]) {
                guard let found = data.range(of: Data(form.utf8)) else { continue }
                let around = data[max(0, found.lowerBound - 60)..<min(data.count, found.upperBound + 60)]
                Issue.record(
                    "\(name) holds \(form): …\(String(decoding: around, as: UTF8.self))…",
                    sourceLocation: sourceLocation)
            }
        }
    }

    @Test func noneIsInCassetteJournalSideFilesLogsReportsOrMisses() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let reports = ["json", "xml", "html"].map { bench.file("report." + $0) }
            let options =
                try bench.options(for: origin) + reports.flatMap { ["--report", $0] } + [
                    "--map", "refused.example.test:80=127.0.0.1:9", "--log-level", "trace", "--match",
                    "default,headers,body",
                ]
            let first = try await self.packed(bench, "one")
            let recording = try await AdminTests.Admin(bench, options)
            let live = try await self.ask(bench, recording.serve, "one", packed: first)
            // What the clients of a recording got is what the server sent.
            for place in ["deep", "clone", "set-cookie", "location", "answer-header", "big", "partial"] {
                #expect(live.contains("hush-\(place)-one"), "the client did not get \(place)")
            }
            #expect(live.contains("ghp_hush"))
            let packed = self.packedTexts(in: live).union([first])
            #expect(packed.count >= 2, "\(packed)")
            let basic = Data("ann:hush-basic-one".utf8).base64EncodedString()
            let userinfo = Data("ann:hush-userinfo-one".utf8).base64EncodedString()
            let proxy = Data("default:hush-proxy-one".utf8).base64EncodedString()
            let forms = packed.union([
                basic, userinfo, proxy, "oneabcdefghijk", "abcdefghijklmnopqrs", "lmnopqrstuvwx", "yz01234",
            ])

            // While the session is open: the journal and the side files.
            let open = bench.storedFiles()
            #expect(
                open.keys.contains("default.journal") && open.keys.contains { $0.contains(".bodies/") }, "\(open.keys)")
            self.expectNone(in: open, forms: forms)
            var told: [String: Data] = [:]
            for path in [
                "/api/v1/report", "/api/v1/cassettes", "/api/v1/exchanges", "/api/v1/misses", "/api/v1/status",
                "/metrics",
            ] {
                told["admin " + path] = Data(try await recording.curl(bench, path).body.utf8)
            }
            #expect(try await recording.serve.stop() == 0, "\(recording.serve.process.errors.suffix(2000))")

            // Afterwards: the cassette, its side files, the log, the reports and what is left in temporary folders.
            let text = try bench.cassetteText()
            for rule in [
                "authorization", "cookie", "api-key", "token", "secret", "password", "set-cookie", "github-token",
            ] {
                #expect(text.contains("[REDACTED:\(rule)#"), "no \(rule) in the cassette")
            }
            told["log of recording"] = Data(recording.serve.process.errors.utf8) + recording.serve.process.output
            #expect(told["log of recording"]?.isEmpty == false)
            for path in reports { told[path] = try Data(contentsOf: URL(filePath: path)) }
            told.merge(self.files(below: bench.folder + "/tmp")) { $1 }
            told.merge(self.files(below: bench.folder + "/home")) { $1 }
            self.expectNone(in: bench.storedFiles(), forms: forms)
            self.expectNone(in: told, forms: forms)

            // Every request again with other secrets; none is recorded, so each is a miss that tells what differs.
            origin.stop()
            let second = try await self.packed(bench, "two")
            let replay = try await AdminTests.Admin(bench, options + ["--mode", "none"])
            let missed = try await self.ask(bench, replay.serve, "two", packed: second)
            #expect(missed.lowercased().components(separatedBy: "playhead-miss:").count > 9, "\(missed)")
            #expect(missed.contains("nearest"))
            told = ["miss texts": Data(missed.utf8)]
            for path in ["/api/v1/report", "/api/v1/exchanges", "/api/v1/misses", "/api/v1/status"] {
                told["admin " + path] = Data(try await replay.curl(bench, path).body.utf8)
            }
            #expect(told["admin /api/v1/misses"]?.range(of: Data("vault".utf8)) != nil)
            #expect(try await replay.serve.stop() == 3)
            told["log of replay"] = Data(replay.serve.process.errors.utf8) + replay.serve.process.output
            for path in reports { told[path] = try Data(contentsOf: URL(filePath: path)) }
            self.expectNone(in: bench.storedFiles(), forms: forms.union([second]))
            self.expectNone(in: told, forms: forms.union([second]))
            let scan = try await bench.playhead(["cassette", "scan", "--cassettes", bench.cassettes])
            #expect(scan.code == 0, "\(scan.text)")
        }
    }

    @Test func anEncryptedSessionLeavesNothingReadable() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let key = try bench.write("playhead.key", String(repeating: "5a", count: 32))
            let options = try bench.options(for: origin) + ["--encrypt-with", key]
            let serve = try await Serve(bench, options)
            for path in ["json", "big", "plain"] {
                let answer = try await bench.finish(serve.curl(bench) + ["https://api.example.test/vault/\(path)"])
                #expect(answer.code == 0 && !answer.text.isEmpty)
            }
            func expectSealed(_ what: String) {
                let files = bench.storedFiles()
                #expect(!files.isEmpty)
                for (name, data) in files {
                    for text in ["vault", "example.test", "REDACTED", "nothing to see", "GET"] {
                        #expect(data.range(of: Data(text.utf8)) == nil, "\(what): \(name) holds \(text)")
                        #expect(!name.contains(text), "\(what): \(name)")
                    }
                }
            }
            expectSealed("while it is open")
            // A process that is killed leaves its journal, which the next one takes over.
            serve.process.kill()
            let again = try await bench.run(options + ["--mode", "new_episodes"], ["true"])
            #expect(again.code == 0, "\(again.errors)")
            expectSealed("afterwards")
            origin.stop()
            let replayed = try await bench.run(
                options + ["--mode", "none"], ["curl", "-s", "https://api.example.test/vault/big"])
            #expect(replayed.code == 0 && replayed.text.contains("nothing to see"), "\(replayed.errors)")
            let other = try bench.write("other.key", String(repeating: "a5", count: 32))
            let before = bench.storedFiles()
            for (arguments, words) in [
                (["--encrypt-with", other], "the key does not fit"),
                ([], "is encrypted; name its key with --encrypt-with"),
            ] {
                let refused = try await bench.run(
                    try bench.options(for: origin) + arguments + ["--mode", "new_episodes"], ["true"])
                #expect(refused.code == 65 && refused.errors.contains(words), "\(refused.errors)")
                #expect(refused.errors.split(separator: "\n").count <= 2, "one clear error: \(refused.errors)")
            }
            #expect(bench.storedFiles() == before, "a wrong key changes nothing")
        }
    }

    /// `--fail-on secret` means what `cassette scan` finds, wherever it is asked: of `run`, `serve`, and both reports.
    @Test func aSecretThatWasLeftFailsWhoAsksForIt() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            let curl = ["curl", "-s", "https://api.example.test/json?access_token=hush-left"]
            let report = bench.file("report.json")
            let careless = try await bench.run(
                options + ["--no-redact", "token", "--report", report, "--fail-on", "secret"], curl)
            #expect(careless.code == 0, "what the rules that hold do not find is none: \(careless.errors)")
            let quiet = try await bench.run(options + ["--mode", "none", "--no-redact", "token"], curl)
            #expect(quiet.code == 0 && quiet.summary?.replayed == 1, "\(quiet.errors)")

            let asked = options + ["--mode", "none", "--report", report, "--fail-on", "secret"]
            let caught = try await bench.run(asked, ["true"])
            #expect(caught.code == 5, "\(caught.errors)")
            #expect(caught.errors.contains("playhead cassette scan"), "\(caught.errors)")
            #expect(!caught.errors.contains("hush"))
            #expect(try await bench.run(asked, ["sh", "-c", "exit 9"]).code == 9)
            for (list, code) in [("secret", 5), ("miss,secret", 5), ("miss", 0), ("none", 0)] as [(String, Int32)] {
                let judged = try await bench.playhead(["report", report, "--fail-on", list])
                #expect(judged.code == code, "\(list): \(judged.text)\(judged.errors)")
                // In the URL, and in the answer, which repeats it.
                #expect(judged.text.contains("2 secrets"), "\(judged.text)")
            }
            let serve = try await Serve(bench, options + ["--mode", "none", "--fail-on", "secret"])
            serve.process.signal(SIGTERM)
            #expect(try await serve.process.exit(within: .seconds(30)) == 5, "\(serve.process.errors)")

            let redacted = try await bench.playhead(["cassette", "redact", "--cassettes", bench.cassettes, "default"])
            #expect(redacted.code == 0, "\(redacted.errors)")
            #expect(try await bench.run(asked, ["true"]).code == 0)
            #expect(try await bench.playhead(["report", report, "--fail-on", "secret"]).code == 0)
            let old = try bench.write("old.json", #"{"version":1,"missed":0}"#)
            let unknown = try await bench.playhead(["report", old, "--fail-on", "secret"])
            #expect(unknown.code == 66 && unknown.errors.contains("playhead cassette scan"), "\(unknown.errors)")
        }
    }

    @Test func aServiceThatNobodyUsedIsALeakWhenAsked() async throws {
        try await withWorkbench { bench in
            let options = ["--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes, "--fail-on", "leak"]
            let serve = try await Serve(bench, options)
            serve.process.signal(SIGTERM)
            #expect(try await serve.process.exit(within: .seconds(30)) == 6, "\(serve.process.errors)")
            #expect(serve.process.errors.contains("nothing came through the proxy"), "\(serve.process.errors)")
        }
    }
}
