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
