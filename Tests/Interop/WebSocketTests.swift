import Foundation
import Testing

/// WebSocket libraries, each as client of each as server, over TLS and plain; recorded, then replayed without the servers.
@Suite(
    "WebSocket", .timeLimit(.minutes(10)),
    .enabled(
        if: ClientPython.has("websockets") && ClientPython.has("aiohttp"),
        "the Python modules websockets and aiohttp are not installed (PLAYHEAD_CLIENTS_PYTHON)"))
struct WebSocketTests {
    private static func client(_ library: String, _ more: [String] = []) throws -> [String] {
        let python = try #require(ClientPython.path)
        return [python, Playhead.resource("Clients/sockets.py"), library] + WebSocketOrigin.hosts.values.sorted() + more
    }

    @Test(arguments: ["websockets", "aiohttp"]) func replayMessageByMessage(_ library: String) async throws {
        try await withWorkbench { bench in
            let origin = try await WebSocketOrigin(bench)
            let options = try origin.options(bench)
            let live = try await bench.run(options, try Self.client(library))
            try #require(live.code == 0, "\(live.errors)")
            // Two hosts over TLS and plain: a denied one and two open ones each.
            #expect(live.summary?.recorded == 12, "\(live.errors)")
            #expect(live.text.contains("closed 3001 done"))
            #expect(live.text.contains("closed 4000"))
            #expect(live.text.contains("chat.v2"))
            origin.stop()

            let cassette = try bench.cassetteText()
            #expect(cassette.contains("[REDACTED:"))
            #expect(cassette.contains("fragments: [1, 3, 0, 6, 0]") == (library == "websockets"))
            #expect(!cassette.contains("permessage-deflate"))
            let stored = bench.storedFiles()
            let replay = try await bench.run(options + ["--mode", "none"], try Self.client(library))
            #expect(replay.code == 0, "\(replay.errors)")
            expectSameBytes(live.output, replay.output)
            #expect(replay.summary == Summary("playhead: 12 replayed, 0 recorded, 0 missed"), "\(replay.errors)")
            #expect(bench.storedFiles() == stored, "replaying changed the cassette")
            bench.expectNoSecrets(live.errors, replay.errors)

            let other = try await bench.run(
                options + ["--mode", "none"], try Self.client(library, ["--say", "other"]))
            #expect(other.code == 3, "\(other.errors)")
            let difference = #"message 3: recorded "grüße 🙂", requested "other""#
            #expect(other.text.contains("closed 1011 playhead: " + difference))
            #expect(other.errors.contains(difference))
            let lenient = try await bench.run(
                options + ["--mode", "none", "--websocket", "lenient"], try Self.client(library, ["--say", "other"]))
            #expect(lenient.code == 0, "\(lenient.errors)")
            expectSameBytes(live.output, lenient.output)
        }
    }

    /// These servers do not speak RFC 8441: what the client opens over HTTP/2 goes on over HTTP/1.1.
    @Test(.enabled(if: Tool.has("node"), "node is not installed"))
    func openOverHTTP2() async throws {
        try await withWorkbench { bench in
            let origin = try await WebSocketOrigin(bench)
            let options = try origin.options(bench)
            let client = ["node", Playhead.resource("Clients/h2socket.mjs"), "https://chat.example.test/chat"]
            let live = try await bench.run(options, client)
            #expect(live.code == 0, "\(live.errors)")
            for line in ["200 chat.v2", "81 welcome", "81 hello", "89 are you there", "81 ponged"] {
                #expect(live.text.contains(line + "\n"), "no \(line) in \(live.text)")
            }
            #expect(live.text.hasSuffix("88 \u{0B}\u{B9}done\n"))
            origin.stop()
            let replay = try await bench.run(options + ["--mode", "none"], client)
            #expect(replay.code == 0, "\(replay.errors)")
            expectSameBytes(live.output, replay.output)
            #expect(replay.summary == Summary("playhead: 1 replayed, 0 recorded, 0 missed"), "\(replay.errors)")
        }
    }

    /// hypercorn speaks RFC 8441; what the server says tells the version that it was spoken to in.
    @Test(
        .enabled(if: Tool.has("node") && HTTP2Origin.isInstalled(.hypercorn), "node or hypercorn is not installed"),
        arguments: [("node", [], "2"), ("python", ["--http2", "always"], "2"), ("python", [], "1.1")])
    func goOverHTTP2WhereTheServerCan(client: String, more: [String], version: String) async throws {
        let script = """
            import asyncio, websockets
            async def main():
                url = "wss://api.example.test/chat"
                async with websockets.connect(url, subprotocols=["chat.v1", "chat.v2"]) as socket:
                    print(socket.subprotocol, await socket.recv())
                    for message in ["hello", b"\\x00\\xff", "x" * 300000]:
                        await socket.send(message)
                        print(await socket.recv() == message)
                    await socket.send("bye")
                    try:
                        await socket.recv()
                    except websockets.ConnectionClosed as error:
                        print("closed", error.rcvd.code, error.rcvd.reason)
            asyncio.run(main())
            """
        try await withWorkbench { bench in
            let origin = try await HTTP2Origin(.hypercorn, bench)
            let options = try origin.options(bench) + more
            let command =
                client == "node"
                ? ["node", Playhead.resource("Clients/h2socket.mjs"), "https://api.example.test/chat"]
                : [try #require(ClientPython.path), "-c", script]
            let live = try await bench.run(options, command)
            #expect(live.code == 0, "\(live.errors)")
            #expect(
                live.text
                    == (client == "node"
                        ? "200 chat.v2\n81 welcome over 2\n81 hello\n81 ping\n81 gr\u{C3}\u{BC}\u{C3}\u{9F}e\n88 \u{0B}\u{B9}done\n"
                        : "chat.v2 welcome over \(version)\nTrue\nTrue\nTrue\nclosed 3001 done\n"))
            #expect(try bench.cassetteText().contains("http: HTTP/2") == (client == "node" || version == "2"))
            origin.stop()
            let replay = try await bench.run(options + ["--mode", "none"], command)
            #expect(replay.code == 0, "\(replay.errors)")
            expectSameBytes(live.output, replay.output)
            #expect(replay.summary == Summary("playhead: 1 replayed, 0 recorded, 0 missed"), "\(replay.errors)")
        }
    }
}
