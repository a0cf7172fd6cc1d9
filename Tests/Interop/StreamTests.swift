import Foundation
import Testing

/// A stream of server-sent events: live while it is recorded, and replayed at each speed.
@Suite("Streams", .timeLimit(.minutes(10)))
struct StreamTests {
    /// What `Clients/stream.py` saw.
    private struct Seen: Decodable {
        var sizes: [Int]
        var texts: [String]
        /// Milliseconds from the request to each event.
        var came: [Double]
        /// Milliseconds from the origin's sending to each event's arrival.
        var delays: [Double]
        var total: Double
    }

    private func seen(_ bench: Workbench, _ options: [String]) async throws -> Seen {
        let python = try #require(ClientPython.path)
        let client = [
            python, Playhead.resource("Clients/stream.py"), "https://api.example.test/ticks?events=200&pause=20",
        ]
        let run = try await bench.run(options, client)
        try #require(run.code == 0, "\(run.errors)")
        return try JSONDecoder().decode(Seen.self, from: run.output)
    }

    @Test func arriveLiveAndReplayAtEachSpeedWithTheSameBorders() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            let live = try await self.seen(bench, options)
            #expect(live.sizes.count == 200)
            // Half of them, since a test machine may be busy; docs/performance.md has what an idle one does.
            let typical = live.delays.sorted()[100]
            #expect(typical < 50, "half of the events took more than \(typical) ms")
            origin.stop()

            let recorded = try await self.seen(bench, options + ["--mode", "none", "--speed", "recorded"])
            let fast = try await self.seen(bench, options + ["--mode", "none", "--speed", "x10"])
            let instant = try await self.seen(bench, options + ["--mode", "none"])
            for replay in [recorded, fast, instant] {
                #expect(replay.sizes == live.sizes)
                #expect(replay.texts == live.texts)
            }
            // The last event was sent 3980 ms after the first.
            #expect(recorded.came[199] - recorded.came[0] > 3900)
            #expect(fast.came[199] - fast.came[0] > 390)
            #expect(fast.total < live.total)
            #expect(instant.total < live.total)
        }
    }

    /// A stream without an end, left by its client, and one that SIGTERM cuts.
    @Test(.enabled(if: Tool.has("curl"), "curl is not installed"))
    func replayAsFarAsTheyCameWhoeverCutsThem() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin) + ["--shutdown-grace", "0"]
            let (left, cut) = ("/ticks?events=100000&pause=20&n=1", "/ticks?events=100000&pause=20&n=2")
            func leave(_ serve: Serve) async throws -> String {
                let curl = serve.curl(bench).joined(separator: " ")
                return try await bench.finish(
                    ["sh", "-c", "\(curl) -N 'https://api.example.test\(left)' | head -n 6"]
                ).text
            }

            let live = try await Serve(bench, options)
            let seenByLeaver = try await leave(live)
            #expect(seenByLeaver.split(separator: "\n").count == 3)
            let client = try bench.start(live.curl(bench) + ["-N", "https://api.example.test\(cut)"])
            try await eventually("five events have come") {
                String(decoding: client.output, as: UTF8.self).contains("\"n\": 4") ? true : nil
            }
            #expect(try await live.stop() == 0, "\(live.process.errors)")
            // curl's codes for a transfer, or a stream of HTTP/2, that breaks off.
            let cuts: [Int32] = [18, 92]
            #expect(cuts.contains(try await client.exit()))
            origin.stop()
            let cassette = try bench.cassetteText()
            #expect(cassette.contains("kind: client_left") && cassette.contains("kind: stopped"))

            let replay = try await Serve(bench, options + ["--mode", "none"])
            #expect(try await leave(replay) == seenByLeaver)
            let again = try await bench.finish(replay.curl(bench) + ["-N", "https://api.example.test\(cut)"])
            #expect(cuts.contains(again.code))
            expectSameBytes(client.output, again.output)
            #expect(try await replay.stop() == 0, "\(replay.process.errors)")
        }
    }
}
