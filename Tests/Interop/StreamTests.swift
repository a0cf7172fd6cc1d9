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
}
