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

    /// HTTP/2 by prior knowledge, and WebSockets over every way that leads to the port; then without the server.
    @Test(
        .enabled(
            if: HTTP2Origin.isInstalled(.hypercorn) && ClientPython.has("websockets") && Tool.has("node"),
            "hypercorn, websockets or node is not installed"))
    func takesHTTP2AndWebSocketsInEveryForm() async throws {
        let script = """
            import asyncio, ssl, sys, websockets
            async def main(url):
                trust = ssl.create_default_context(cafile=sys.argv[1]) if url.startswith("wss") else None
                async with websockets.connect(url, subprotocols=["chat.v1", "chat.v2"], ssl=trust, proxy=None) as socket:
                    print(socket.subprotocol, await socket.recv())
                    await socket.send("hello")
                    print(await socket.recv())
                    await socket.send("bye")
                    try:
                        await socket.recv()
                    except websockets.ConnectionClosed as error:
                        print("closed", error.rcvd.code, error.rcvd.reason)
            for url in sys.argv[2:]:
                asyncio.run(main(url))
            """
        try await withWorkbench { bench in
            let origin = try await HTTP2Origin(.hypercorn, bench)
            let options = try origin.options(bench)
            try bench.write("upload", Data(repeating: 0x61, count: 300_000))
            for mode in ["once", "none"] {
                let reverse = try await Reverse(bench, options + ["--mode", mode], ["https://api.example.test"])
                let place = "localhost:\(reverse.ports[0])"
                // One at a time: curl 7.88 cannot use such a connection twice, with whatever server.
                for path in ["a", "b"] {
                    let plain = try await bench.finish(
                        Self.curl + [
                            "--http2-prior-knowledge", "-w", "%{http_version} %{http_code}\n", "--data-binary",
                            "@\(bench.work)/upload", "http://\(place)/\(path)",
                        ])
                    #expect(plain.text == "2 POST /\(path) 300000\n2 200\n", "\(mode): \(plain.errors)")
                }
                let ca = bench.folder + "/ca/ca.pem"
                let sockets = try await bench.finish(
                    [try #require(ClientPython.path), "-c", script, ca, "ws://\(place)/chat", "wss://\(place)/chat"])
                let talk = "chat.v2 welcome over 1.1\nhello\nclosed 3001 done\n"
                #expect(sockets.text == talk + talk, "\(mode): \(sockets.errors)\n\(reverse.serve.process.errors)")
                for scheme in ["http", "https"] {
                    let stream = try await bench.finish(
                        [
                            "env", "NODE_EXTRA_CA_CERTS=" + ca, "node", Playhead.resource("Clients/h2socket.mjs"),
                            "\(scheme)://\(place)/chat", "direct",
                        ])
                    #expect(
                        stream.text.hasPrefix("200 chat.v2\n81 welcome over 2\n81 hello\n"), "\(mode): \(stream.errors)"
                    )
                    #expect(stream.text.hasSuffix("88 \u{0B}\u{B9}done\n"), "\(mode): \(stream.errors)")
                }
                #expect(try await reverse.serve.stop() == 0)
                let summary = Summary(reverse.serve.process.errors)
                #expect((mode == "once" ? summary?.recorded : summary?.replayed) == 6)
                origin.stop()
            }
        }
    }

    @Test(.enabled(if: ClientPython.has("grpc"), "the Python module grpc is not installed"))
    func standsForAServerOfGRPC() async throws {
        try await withWorkbench { bench in
            let origin = try await GRPCOrigin(bench)
            var texts: [String] = []
            for mode in ["once", "none"] {
                let reverse = try await Reverse(
                    bench, try origin.options(bench) + ["--mode", mode], ["http://api.example.test"])
                let done = try await bench.finish(
                    [
                        try #require(ClientPython.path), Playhead.resource("Clients/grpc_client.py"),
                        "localhost:\(reverse.ports[0])", "insecure", "say", "count", "join", "talk",
                    ], within: .seconds(60))
                #expect(done.code == 0 && done.text.contains("join b'a+b+c'"), "\(done.errors)")
                texts.append(done.text)
                #expect(try await reverse.serve.stop() == 0)
                let summary = Summary(reverse.serve.process.errors)
                #expect((mode == "once" ? summary?.recorded : summary?.replayed) == 4)
                origin.stop()
            }
            #expect(texts[0] == texts[1])
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
