import Foundation
import Testing

/// Ports of our own that stand for a server, for programs that cannot use a proxy.
@Suite("Reverse", .timeLimit(.minutes(10)))
struct ReverseTests {
    /// A running `serve` with the reverse ports that its ready file names, in order.
    private struct Reverse {
        let serve: Serve
        let ports: [Int]

        init(_ bench: Workbench, _ options: [String], _ urls: [String]) async throws {
            let ready = bench.folder + "/ready-" + UUID().uuidString
            self.serve = try await Serve(
                bench, options + ["--ready-file", ready] + urls.flatMap { ["--reverse", "0=\($0)"] })
            struct Ready: Decodable {
                struct Port: Decodable { let listen: String, url: String }
                let reverse: [Port]
            }
            let data = try await eventually("the ready file") { FileManager.default.contents(atPath: ready) }
            let list = try JSONDecoder().decode(Ready.self, from: data).reverse
            #expect(list.map(\.url) == urls)
            self.ports = list.compactMap { $0.listen.split(separator: ":").last.flatMap { Int($0) } }
        }
    }

    private static let curl = ["curl", "-s", "--noproxy", "*", "--max-time", "60"]

    @Test func recordsLikeAForwardProxyAndReplaysEitherWay() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            let urls = ["https://api.example.test", "http://api.example.test/inspect"]
            let live = try await Reverse(bench, options, urls)
            let paths = ["/json?a=1", "/redirect/1", "/gzip", "/chunks"]
            let get = { (port: Int) in
                Self.curl + ["-L", "--compressed"] + paths.map { "http://localhost:\(port)\($0)" }
            }
            let first = try await bench.finish(get(live.ports[0]))
            #expect(first.code == 0, "\(first.errors)")
            let post = Self.curl + ["-d", "body", "http://127.0.0.1:\(live.ports[1])/echo"]
            #expect(try await bench.finish(post).text.contains("\"target\": \"/inspect/echo\""))
            #expect(try await live.serve.stop() == 0)
            #expect(Summary(live.serve.process.errors)?.recorded == 7, "\(live.serve.process.errors)")
            let text = try bench.cassetteText()
            #expect(text.contains("https://api.example.test/json?a=1") && !text.contains("localhost"))
            origin.stop()

            let replay = try await Reverse(bench, options + ["--mode", "none"], urls)
            let second = try await bench.finish(get(replay.ports[0]))
            expectSameBytes(first.output, second.output)
            #expect(try await replay.serve.stop() == 0)
            let forward = try await Serve(bench, options + ["--mode", "none"])
            let third = try await bench.finish(
                forward.curl(bench) + ["-L", "--compressed"] + paths.map { "https://api.example.test" + $0 })
            expectSameBytes(first.output, third.output)
            #expect(try await forward.stop() == 0)
        }
    }

    /// A session in `requests`, whose cookie jar knows no exception for localhost.
    @Test func pythonKeepsItsSessionThroughARedirectBetweenPorts() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            let script = """
                import requests, sys
                site, login = sys.argv[1:]
                with requests.Session() as session:
                    session.trust_env = False
                    answer = session.get(login + "/login?next=https://git.example.test/inspect", timeout=60)
                    assert answer.url == site + "/inspect", answer.url
                    fields = {name.lower(): value for name, value in answer.json()["headers"]}
                    print(fields["host"], len(answer.history), fields.get("cookie", "").split("=")[0])
                    answer = session.get(login + "/inspect", headers={"Origin": login}, timeout=60)
                    print({name.lower(): value for name, value in answer.json()["headers"]}["origin"])
                """
            let urls = ["https://git.example.test", "https://api.example.test"]
            for mode in ["once", "none"] {
                let reverse = try await Reverse(bench, options + ["--mode", mode], urls)
                let done = try await bench.finish(
                    [try #require(ClientPython.path), "-c", script] + reverse.ports.map { "http://localhost:\($0)" })
                #expect(
                    done.text == "git.example.test 1 sid\nhttps://api.example.test\n",
                    "\(mode): \(done.errors)\n\(reverse.serve.process.errors)")
                #expect(try await reverse.serve.stop() == 0)
                origin.stop()
            }
        }
    }

    @Test func speaksTLSAndHTTP2Too() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let reverse = try await Reverse(bench, try bench.options(for: origin), ["https://api.example.test"])
            let done = try await bench.finish(
                Self.curl + [
                    "--http2", "--cacert", bench.folder + "/ca/ca.pem", "-o", "/dev/null", "-w",
                    "%{http_version} %{http_code} %{redirect_url}", "https://localhost:\(reverse.ports[0])/login",
                ])
            #expect(done.text == "2 302 https://localhost:\(reverse.ports[0])/inspect", "\(done.errors)")
            #expect(try await reverse.serve.stop() == 0)
        }
    }

    @Test func isNoProxyAndAnswersToItsOwnNamesAlone() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            let reverse = try await Reverse(bench, options, ["https://api.example.test"])
            let port = reverse.ports[0]
            for arguments in [
                ["-H", "Host: rebound.example", "http://localhost:\(port)/json"],
                ["--noproxy", "none", "-x", "http://localhost:\(port)", "http://git.example.test/json"],
            ] {
                let done = try await bench.finish(Self.curl + ["-w", " %{http_code}"] + arguments)
                #expect(done.text.hasSuffix(" 421") && done.text.contains("--reverse"), "\(done.text)")
            }
            let tunnel = try await bench.finish(
                Self.curl + [
                    "--noproxy", "none", "-p", "-w", "%{http_connect}", "-x", "http://localhost:\(port)",
                    "https://api.example.test/json",
                ])
            #expect(tunnel.text == "405")
            let forward = try await bench.finish(reverse.serve.curl(bench) + ["http://localhost:\(port)/json"])
            #expect(forward.text.contains("this proxy itself"))
            #expect(origin.connections == 0)
            #expect(try await reverse.serve.stop() == 0)
            for value in ["9000", "9000=ftp://a.example", "9000=https://a.example/?q", "x=https://a.example"] {
                let wrong = try await bench.playhead(["serve", "--reverse", value])
                #expect(wrong.code == 64 && wrong.errors.contains("--reverse"), "\(wrong.errors)")
            }
        }
    }
}
