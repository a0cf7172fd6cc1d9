import Foundation
import Testing

/// The admin API of a running `serve`: who may ask, what a sidecar's neighbours find, what is refused.
@Suite("admin", .timeLimit(.minutes(5)))
struct AdminTests {
    struct Ready: Decodable {
        let listen: [String]
        let caFile: String
        let admin: String?
        let adminTokenFile: String?
        let shareCA: String?

        enum CodingKeys: String, CodingKey {
            case listen, admin
            case caFile = "ca_file"
            case adminTokenFile = "admin_token_file"
            case shareCA = "share_ca"
        }
    }

    /// A `serve` with an admin API on a free port.
    final class Admin: Sendable {
        let serve: Serve
        let ready: Ready
        let url: String
        let token: String

        init(_ bench: Workbench, _ options: [String], environment: [String: String] = [:]) async throws {
            let file = bench.folder + "/ready-\(UUID().uuidString).json"
            self.serve = try await Serve(
                bench, ["--admin", "127.0.0.1:0", "--ready-file", file] + options, environment: environment)
            let text = try await eventually("the ready file") { FileManager.default.contents(atPath: file) }
            self.ready = try JSONDecoder().decode(Ready.self, from: text)
            self.url = try #require(self.ready.admin)
            let path = try #require(self.ready.adminTokenFile)
            self.token = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(
                in: .whitespacesAndNewlines)
        }

        /// The status and the body of a request made with curl.
        func curl(_ bench: Workbench, _ path: String, _ options: [String] = [], withToken: Bool = true) async throws
            -> (status: String, body: String)
        {
            let token = withToken ? ["-H", "Authorization: Bearer \(self.token)"] : []
            let done = try await bench.finish(
                ["curl", "-s", "--noproxy", "*", "--path-as-is", "--max-time", "30", "-w", "\n%{http_code}"] + token
                    + options
                    + [self.url + path])
            let lines = done.text.split(separator: "\n", omittingEmptySubsequences: false)
            return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n"))
        }
    }

    private static func options(_ bench: Workbench) -> [String] {
        ["--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes]
    }

    @Test func theReadyFileLeadsToTheAPI() async throws {
        try await withWorkbench { bench in
            let admin = try await Admin(bench, Self.options(bench))
            let path = try #require(admin.ready.adminTokenFile)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(admin.ready.caFile == bench.folder + "/ca/ca.pem")
            #expect(try await admin.curl(bench, "/api/v1/status").status == "200")
            #expect(try await admin.curl(bench, "/api/v1/status", withToken: false).status == "401")
            #expect(try await admin.curl(bench, "/readyz", withToken: false).status == "200")
            #expect(try await admin.curl(bench, "/metrics").body.contains("playhead_ready 1"))
            #expect(
                try await admin.curl(bench, "/ca.pem", withToken: false).body
                    == String(contentsOfFile: admin.ready.caFile, encoding: .utf8))
            let out = String(decoding: admin.serve.process.output, as: UTF8.self) + admin.serve.process.errors
            #expect(!out.contains(admin.token), "a log is no place for the token")
            #expect(try await admin.serve.stop() == 0)
            #expect(!FileManager.default.fileExists(atPath: path), "a token of a process that ended opens nothing")
        }
    }

    @Test func refusesWhatAPageInABrowserCouldSend() async throws {
        try await withWorkbench { bench in
            let admin = try await Admin(bench, Self.options(bench))
            let refused: [([String], String)] = [
                (["-H", "Host: evil.example"], "421"), (["-H", "Origin: http://evil.example"], "403"),
                (["-H", "Sec-Fetch-Site: cross-site"], "403"), (["-H", "Origin: null"], "403"),
                (["-X", "OPTIONS", "-H", "Access-Control-Request-Method: POST"], "405"),
            ]
            for (options, status) in refused {
                let answer = try await admin.curl(bench, "/api/v1/status", options + ["-i"])
                #expect(answer.status == status, "\(options)")
                #expect(!answer.body.lowercased().contains("access-control-allow"))
            }
            #expect(try await admin.serve.stop() == 0)
        }
    }

    /// The proxy is no way to the admin API, by any name for this machine.
    @Test func isNotReachedThroughTheProxy() async throws {
        try await withWorkbench { bench in
            let admin = try await Admin(
                bench,
                Self.options(bench) + [
                    "--mode", "passthrough", "--tunnel", "tunnel.test", "--map", "named.test=127.0.0.1", "--map",
                    "tunnel.test=127.0.0.1",
                ])
            let port = try #require(admin.url.split(separator: ":").last)
            for host in [
                "127.0.0.1", "localhost", "localhost.", "127.1", "0.0.0.0", "0", "[::ffff:127.0.0.1]",
                "[::ffff:7f00:1]", "[::1]", "[::]", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.0.0.2",
                "named.test", ProcessInfo.processInfo.hostName,
            ] {
                let answer = try await bench.finish(
                    admin.serve.curl(bench) + ["-w", "\n%{http_code}", "http://\(host):\(port)/healthz"])
                let status = answer.text.split(separator: "\n").last.map(String.init) ?? ""
                #expect(["400", "403", "502", "508"].contains(status), "\(host): \(answer.text)")
                let inside = try await bench.finish(
                    admin.serve.curl(bench) + ["-p", "-w", "\n%{http_code}", "http://\(host):\(port)/healthz"])
                let line = inside.text.split(separator: "\n").last.map(String.init) ?? ""
                #expect(["000", "400", "403", "502", "508"].contains(line), "CONNECT \(host): \(inside.text)")
                let socks = try await bench.finish(
                    [
                        "curl", "-s", "--max-time", "20", "--socks5-hostname", "127.0.0.1:\(admin.serve.port)", "-w",
                        "\n%{http_code}", "http://\(host):\(port)/healthz",
                    ])
                let end = socks.text.split(separator: "\n").last.map(String.init) ?? ""
                #expect(["000", "400", "403", "502", "508"].contains(end), "SOCKS \(host): \(socks.text)")
            }
            let tunnel = try await bench.finish(
                admin.serve.curl(bench) + ["-p", "-w", "%{http_connect}", "http://tunnel.test:\(port)/healthz"])
            #expect(tunnel.code != 0 && !tunnel.text.contains("ok"), "\(tunnel.text)")
            // Only the certificate is served under our own name.
            for path in ["/healthz", "/api/v1/status", "/ca.pem/../api/v1/status"] {
                let answer = try await bench.finish(
                    admin.serve.curl(bench) + [
                        "--path-as-is", "-o", "/dev/null", "-w", "%{http_code}", "http://playhead.internal\(path)",
                    ])
                #expect(answer.text == "404", "\(path)")
            }
            #expect(try await admin.serve.stop() == 0)
        }
    }

    @Test func sharesThePublicFilesBeforeItIsReady() async throws {
        try await withWorkbench { bench in
            let share = bench.folder + "/share"
            let origin = try await bench.origin()
            let admin = try await Admin(
                bench, try bench.options(for: origin) + ["--share-ca", share],
                environment: ["PLAYHEAD_ADMIN_HOST": "proxy"])
            #expect(admin.ready.shareCA == share)
            for name in ["ca.pem", "bundle.pem", "truststore.p12", "env.sh"] {
                #expect(FileManager.default.isReadableFile(atPath: share + "/" + name), "\(name)")
            }
            for (name, data) in Self.files(below: share) {
                #expect(data.range(of: Data("PRIVATE KEY".utf8)) == nil, "\(name)")
                #expect(data.range(of: Data(admin.token.utf8)) == nil, "\(name)")
            }
            // A neighbour needs nothing but the folder.
            let job = try await bench.finish(
                ["sh", "-c", ". '\(share)/env.sh' && curl -s --fail https://api.example.test/json"])
            #expect(job.code == 0, "\(job.errors)")
            let status = try await admin.curl(bench, "/api/v1/status", ["-H", "Host: proxy:8081"])
            #expect(status.body.contains("\"recorded\":1"), "\(status.body)")
            #expect(try await admin.serve.stop() == 0)
        }
    }

    /// What a test makes up is answered inside TLS too, whichever HTTP the client speaks.
    @Test(arguments: ["--http1.1", "--http2"]) func mocksAndFaultsAreInsideTLS(_ version: String) async throws {
        try await withWorkbench { bench in
            let admin = try await Admin(bench, Self.options(bench) + ["--mode", "none"])
            func put(_ kind: String, _ rules: String) async throws {
                let answer = try await admin.curl(
                    bench, "/api/v1/\(kind)",
                    ["-X", "PUT", "-H", "Content-Type: application/json", "-d", "{\"\(kind)\":\(rules)}"])
                #expect(answer.status == "200", "\(answer.body)")
            }
            func ask(_ options: [String] = []) async throws -> Workbench.Finished {
                try await bench.finish(
                    admin.serve.curl(bench) + [version, "-w", " %{http_code}", "https://api.example.test/users/7"]
                        + options)
            }
            try await put("mocks", #"[{"host":"*.example.test","path":"/users/{id}","status":201,"text":"made up"}]"#)
            #expect(try await ask().text == "made up 201")
            try await put("faults", #"[{"kind":"delay","delay_ms":20}]"#)
            let body = try bench.write("body", String(repeating: "x", count: 300_000))
            #expect(try await ask(["-d", "@" + body]).text == "made up 201")
            try await put("faults", #"[{"kind":"status","status":429}]"#)
            #expect(try await ask().text.hasSuffix(" 429"))
            try await put("faults", #"[{"kind":"reset"}]"#)
            let broken = try await ask()
            #expect(broken.code != 0 && broken.text == " 000")
            #expect(try await admin.serve.stop() == 0)
        }
    }

    /// An open stream and a request that hangs do not keep `serve` beyond its grace.
    @Test func servesEndIsTheEndOfStreams() async throws {
        try await withWorkbench { bench in
            let admin = try await Admin(
                bench, Self.options(bench) + ["--mode", "none", "--shutdown-grace", "1s", "--fail-on", "none"])
            let bearer = ["-H", "Authorization: Bearer \(admin.token)"]
            let stream = try bench.start(
                ["curl", "-sN", "--noproxy", "*", "--max-time", "60"] + bearer + [admin.url + "/api/v1/events"])
            let fault = try await admin.curl(
                bench, "/api/v1/faults",
                ["-X", "PUT", "-H", "Content-Type: application/json", "-d", #"{"faults":[{"kind":"hang"}]}"#])
            #expect(fault.status == "200", "\(fault.body)")
            _ = try await eventually("the stream is open") { stream.output.isEmpty ? nil : true }
            let hanging = try bench.start(admin.serve.curl(bench) + ["http://api.example.test/"])
            let event = try await eventually("the event") {
                let text = String(decoding: stream.output, as: UTF8.self)
                return text.contains("event: exchange") ? text : nil
            }
            #expect(event.contains("\"outcome\":\"faulted\"") && event.contains("\"fault\":\"hang\""))
            let began = ContinuousClock.now
            #expect(try await admin.serve.stop() == 0)
            #expect(ContinuousClock.now - began < .seconds(8))
            #expect(try await hanging.exit(within: .seconds(20)) != 0)
            _ = try await stream.exit(within: .seconds(20))
        }
    }

    @Test func theHealthcheckFollowsReadiness() async throws {
        try await withWorkbench { bench in
            let admin = try await Admin(bench, Self.options(bench))
            let good = try await bench.playhead(["healthcheck", "--url", admin.url])
            #expect(good.code == 0, "\(good.errors)")
            let place = String(admin.url.dropFirst("http://".count))
            let byVariable = try await bench.playhead(["healthcheck"], environment: ["PLAYHEAD_ADMIN": place])
            #expect(byVariable.code == 0, "\(byVariable.errors)")
            let withoutAPI = try await bench.playhead(
                ["healthcheck"],
                environment: ["PLAYHEAD_ADMIN": "off", "PLAYHEAD_LISTEN": "127.0.0.1:\(admin.serve.port)"])
            #expect(withoutAPI.code == 0, "\(withoutAPI.errors)")
            #expect(try await admin.serve.stop() == 0)
            let gone = try await bench.playhead(["healthcheck", "--url", admin.url])
            #expect(gone.code == 1)
            #expect(gone.errors.contains("serve"))
        }
    }

    /// Nobody asked for port 8081, so a second `serve` takes a free one; a port that was asked for must be had.
    @Test func aTakenPortIsAnErrorOnlyWhenItWasAskedFor() async throws {
        try await withWorkbench { bench in
            let admin = try await Admin(bench, Self.options(bench))
            let port = try #require(admin.url.split(separator: ":").last)
            let second = try await bench.playhead(
                ["serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:\(port)", "--mode", "none"]
                    + Self.options(bench))
            #expect(second.code == 69)
            #expect(second.errors.contains("--admin 127.0.0.1:0"), "\(second.errors)")
            #expect(try await admin.serve.stop() == 0)

            var urls: Set<String> = []
            var running: [ChildProcess] = []
            for number in 0..<2 {
                let file = bench.folder + "/free-\(number).json"
                let arguments = ["serve", "--listen", "127.0.0.1:0", "--ready-file", file, "--mode", "none"]
                let process = try bench.start([bench.binary] + arguments + Self.options(bench))
                running.append(process)
                let text = try await eventually("the ready file") { FileManager.default.contents(atPath: file) }
                urls.insert(try #require(try JSONDecoder().decode(Ready.self, from: text).admin))
            }
            #expect(urls.count == 2)
            for process in running {
                process.signal(SIGTERM)
                #expect(try await process.exit(within: .seconds(30)) == 0)
            }
        }
    }

    /// A leased port is a session of its own: its cassette is recorded there alone and saved when it ends.
    @Test func leasedPortsRecordIntoTheirOwnCassettes() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let admin = try await Admin(bench, try bench.options(for: origin))
            let lease = { body in try await Self.lease(bench, admin, body) }
            let get = { session, path in try await Self.get(bench, session, path) }
            let getOverSOCKS = { session, path in try await Self.get(bench, session, path, scheme: "socks5h") }
            let (one, two) = (try await lease(#"{"cassette":"one"}"#), try await lease(#"{"cassette":"two"}"#))
            #expect(try await get(one, "/json?n=1") == 0)
            #expect(try await getOverSOCKS(two, "/json?n=2") == 0)
            #expect(try await admin.curl(bench, "/api/v1/sessions/\(one.id)", ["-X", "DELETE"]).status == "200")
            #expect(try bench.cassetteText("one.yaml").contains("n=1"))
            #expect(try !bench.cassetteText("one.yaml").contains("n=2"))
            let replay = try await lease(#"{"cassette":"one","mode":"none"}"#)
            #expect(try await get(replay, "/json?n=1") == 0)
            #expect(try await get(replay, "/json?n=1") == 22, "played once")
            #expect(
                try await admin.curl(bench, "/api/v1/sessions/\(replay.id)/rewind", ["-X", "POST"]).status == "200")
            #expect(try await get(replay, "/json?n=1") == 0)
            #expect(origin.requests.count == 2)
            #expect(try await admin.serve.stop() == 3, "the miss of the leased session counts")
            #expect(try bench.cassetteText("two.yaml").contains("n=2"))
            #expect(!bench.storedFiles().keys.contains { $0.hasPrefix("other") || $0.hasSuffix(".journal") })
        }
    }

    struct Session: Decodable {
        let id: String
        let port: Int
    }

    private static func lease(_ bench: Workbench, _ admin: Admin, _ body: String) async throws -> Session {
        let answer = try await admin.curl(
            bench, "/api/v1/sessions", ["-H", "Content-Type: application/json", "-d", body])
        try #require(answer.status == "201", "\(answer.body)")
        return try JSONDecoder().decode(Session.self, from: Data(answer.body.utf8))
    }

    /// curl's exit code for a page asked for through a session's port.
    private static func get(
        _ bench: Workbench, _ session: Session, _ path: String, scheme: String = "http"
    ) async throws -> Int32 {
        let done = try await bench.finish([
            "curl", "-s", "--fail", "--max-time", "30", "--proxy", "\(scheme)://other:x@127.0.0.1:\(session.port)",
            "--cacert", bench.folder + "/ca/ca.pem", "https://api.example.test" + path,
        ])
        return done.code
    }

    private static func files(below folder: String) -> [String: Data] {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.reduce(into: [:]) { $0[$1] = FileManager.default.contents(atPath: folder + "/" + $1) }
    }
}
