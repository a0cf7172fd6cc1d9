import Foundation
import Testing

/// Several cassettes behind one `serve`, chosen by the proxy user or the header.
@Suite("Sessions", .timeLimit(.minutes(10)))
struct SessionTests {
    static let url = "https://api.example.test"

    /// A curl that names its session in the proxy's URL.
    private func curl(_ bench: Workbench, _ serve: Serve, user: String) -> [String] {
        [
            "curl", "-s", "--max-time", "60", "--proxy", "http://\(user)@127.0.0.1:\(serve.port)", "--cacert",
            bench.folder + "/ca/ca.pem",
        ]
    }

    @Test func theProxyUserChoosesTheCassette() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            let serve = try await Serve(bench, options)
            for user in ["checkout", "login"] {
                let answer = try await bench.finish(
                    self.curl(bench, serve, user: user) + [
                        Self.url + "/json?of=\(user)", "http://api.example.test/json?plain=\(user)",
                    ])
                #expect(answer.code == 0 && answer.text.contains("of=\(user)"), "\(serve.process.errors)")
            }
            let plain = try await bench.finish(serve.curl(bench) + [Self.url + "/json?of=nobody"])
            #expect(plain.code == 0)
            #expect(!origin.requests.isEmpty)
            #expect(try await serve.stop() == 0, "\(serve.process.errors)")
            for user in ["checkout", "login"] {
                let text = try bench.cassetteText("\(user).yaml")
                #expect(text.contains("of=\(user)") && text.contains("plain=\(user)"))
                #expect(!text.lowercased().contains("proxy-authorization"))
            }
            let standard = try bench.cassetteText()
            #expect(standard.contains("of=nobody") && !standard.contains("of=login"))

            origin.stop()
            let again = try await Serve(bench, options + ["--mode", "none"])
            let own = try await bench.finish(
                self.curl(bench, again, user: "login") + ["-w", "%{http_code}", Self.url + "/json?of=login"])
            #expect(own.text.hasSuffix("200"))
            let other = try await bench.finish(
                self.curl(bench, again, user: "checkout") + [
                    "-o", "/dev/null", "-w", "%{http_code}", Self.url + "/json?of=login",
                ])
            #expect(other.text == "501")
            #expect(try await again.stop() == 3, "\(again.process.errors)")
        }
    }

    @Test func theHeaderChoosesTheCassetteAndGoesNoFurther() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let serve = try await Serve(bench, try bench.options(for: origin))
            let answer = try await bench.finish(
                serve.curl(bench) + ["-H", "Playhead-Cassette: by-header", "http://api.example.test/inspect"])
            #expect(answer.code == 0)
            #expect(!answer.text.lowercased().contains("playhead-cassette"))
            #expect(try await serve.stop() == 0)
            #expect(try bench.cassetteText("by-header.yaml").contains("/inspect"))
            #expect(try !bench.cassetteText("by-header.yaml").lowercased().contains("playhead-cassette"))
        }
    }

    /// 50 users ask the same URLs at the same time; every answer of the origin is another one.
    @Test func fiftySessionsAtOnceDoNotMix() async throws {
        guard let python = ClientPython.path else { return }
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            let users = (0..<50).map { "user-\($0)" }
            @Sendable func ask(_ serve: Serve, _ users: [String]) async throws -> [String: [Int]] {
                let answer = try await bench.finish(
                    [
                        python, Playhead.resource("Clients/sessions.py"), "\(serve.port)",
                        bench.folder + "/ca/ca.pem", "6",
                    ] + users)
                let seen = try JSONDecoder().decode([String: [Int]].self, from: answer.output)
                #expect(seen.count == users.count && seen.values.allSatisfy { $0.count == 6 })
                return seen
            }
            // Half of them are recorded by one process.
            let first = try await Serve(bench, options)
            let recorded = try await ask(first, Array(users[..<25]))
            #expect(Set(recorded.values.joined()).count == 25 * 6)
            #expect(try await first.stop() == 0, "\(first.process.errors)")

            // The next one replays these and records the others, all at once.
            let second = try await Serve(bench, options)
            let mixed = try await ask(second, users)
            #expect(mixed.filter { recorded[$0.key] != nil } == recorded)
            #expect(Set(mixed.values.joined()).count == 50 * 6)
            #expect(try await second.stop() == 0, "\(second.process.errors)")
            for (user, counts) in mixed {
                let text = try bench.cassetteText("\(user).yaml")
                #expect(text.components(separatedBy: "/json?n=").count > 6)
                let own = try Regex("served[^0-9]+([0-9]+)")
                #expect(text.matches(of: own).compactMap { $0[1].substring.flatMap { Int($0) } } == counts, "\(user)")
            }

            // And everything comes from the cassettes in the end.
            origin.stop()
            let third = try await Serve(bench, options + ["--mode", "none"])
            #expect(try await ask(third, users) == mixed)
            #expect(try await third.stop() == 0, "\(third.process.errors)")
        }
    }

    @Test func moreSessionsThanTheBoundAreRefusedAndIdleOnesMakeRoom() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin) + ["--max-sessions", "1", "--session-idle"]
            let request = ["-w", " %{http_code}", "http://api.example.test/json"]
            let strict = try await Serve(bench, options + ["none"])
            let first = try await bench.finish(self.curl(bench, strict, user: "one") + request)
            #expect(first.text.hasSuffix(" 200"))
            let refused = try await bench.finish(self.curl(bench, strict, user: "two") + request)
            #expect(
                refused.text.contains("1 cassettes are open by name, the most that --max-sessions allows")
                    && refused.text.hasSuffix(" 503"), "\(refused.text)")
            #expect(try await strict.stop() == 0, "\(strict.process.errors)")

            let serve = try await Serve(bench, options + ["1s"])
            for user in ["three", "four"] {
                let answer = try await bench.finish(self.curl(bench, serve, user: user) + request)
                #expect(answer.text.hasSuffix(" 200"), "\(answer.text)")
                // Saved as soon as it is idle: the file is there while the proxy runs.
                _ = try await eventually("\(user) is saved") { try? bench.cassetteText("\(user).yaml") }
            }
            #expect(try await serve.stop() == 0, "\(serve.process.errors)")
        }
    }

    @Test(arguments: ["../outside", "/etc/passwd", "a//b", ".hidden", "a/../../b", "a%00b", "con", "x:y"])
    func namesThatWouldLeaveTheFolderAreRefused(_ name: String) async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let serve = try await Serve(bench, try bench.options(for: origin))
            let answer = try await bench.finish(
                serve.curl(bench) + [
                    "-H", "Playhead-Cassette: \(name)", "-o", "/dev/null", "-w", "%{http_code}",
                    "http://api.example.test/json",
                ])
            #expect(answer.text == "400", "\(serve.process.errors)")
            #expect(origin.requests.isEmpty)
            #expect(try await serve.stop() == 0)
            #expect(!bench.storedFiles().keys.contains { $0.contains("outside") || $0.hasSuffix(".yaml") })
        }
    }
}
