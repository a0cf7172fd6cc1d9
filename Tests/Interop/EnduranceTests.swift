import Foundation
import Testing

/// Bounds that hold whatever passes through: memory, disk, several processes at once.
@Suite("Endurance", .timeLimit(.minutes(10)))
struct EnduranceTests {
    static let url = "https://api.example.test"

    /// The largest resident size so far, in octets (Linux), or nil.
    private static func peak(of serve: Serve) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(serve.process.identifier)/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
        else { return nil }
        return Int(line.filter(\.isNumber)).map { $0 * 1024 }
    }

    private static func transfer(_ bench: Workbench, _ serve: Serve) async throws {
        let down = try await bench.finish(
            serve.curl(bench) + ["-o", "/dev/null", "-w", "%{size_download}", Self.url + "/bytes/90000000"])
        #expect(down.text == "90000000")
        let up = try await bench.finish(serve.curl(bench) + ["-T", "big.bin", Self.url + "/upload"])
        #expect(up.text.contains("90000000"))
    }

    @Test func bodiesPassInBoundedMemory() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let serve = try await Serve(bench, try bench.options(for: origin) + ["--mode", "passthrough"])
            let warm = try await bench.finish(serve.curl(bench) + ["-o", "/dev/null", Self.url + "/bytes/1000000"])
            #expect(warm.code == 0)
            let before = Self.peak(of: serve) ?? 0
            try bench.write("big.bin", TestBytes.make(count: 90_000_000, seed: 5))
            try await Self.transfer(bench, serve)
            if let after = Self.peak(of: serve) {
                #expect(after - before < 60_000_000, "\(before) then \(after) octets")
            }
            #expect(try await serve.stop() == 0)
        }
    }

    /// Recording takes bounded memory too, and so does the replay of what was recorded.
    @Test func hugeBinaryBodiesAreRecordedAndReplayedInBoundedMemory() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            try bench.write("big.bin", TestBytes.make(count: 90_000_000, seed: 5))
            let recorder = try await Serve(bench, options)
            try await Self.transfer(bench, recorder)
            #expect(Self.peak(of: recorder) ?? 0 < 120_000_000)
            #expect(try await recorder.stop() == 0, "\(recorder.process.errors)")
            origin.stop()
            let player = try await Serve(bench, options + ["--mode", "none"])
            try await Self.transfer(bench, player)
            #expect(Self.peak(of: player) ?? 0 < 120_000_000)
            #expect(try await player.stop() == 0, "\(player.process.errors)")
        }
    }

    /// Text over the bound of what is searched in memory is recorded whole, and no secret of it is.
    @Test func hugeTextIsRecordedWholeWithoutItsSecrets() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let line = "a line of plain text, again and again\n"
            let token = "ghp_" + String(repeating: "a1B2c3D4e", count: 4)
            let text = String(repeating: line, count: 1_800_000) + "token \(token) end\n"
            try bench.write("big.txt", text)
            let done = try await bench.run(
                try bench.options(for: origin),
                ["curl", "-s", "-H", "Content-Type: text/plain", "-T", "big.txt", Self.url + "/upload"])
            #expect(done.text.contains("\"bytes\""))
            #expect(done.code == 0, "\(done.errors)")
            #expect(!done.errors.contains("truncated"), "\(done.errors)")
            let folder = bench.file("cassettes/default.bodies")
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
            let stored = try Data(contentsOf: URL(filePath: folder + "/" + name))
            #expect(stored.count > line.utf8.count * 1_800_000)
            let end = String(decoding: stored.suffix(60), as: UTF8.self)
            #expect(end.hasSuffix("token [REDACTED:github-token#1] end\n"), "\(end)")
        }
    }

    /// A client that reads slowly does not make the proxy hold what the origin sends.
    @Test func aSlowClientHoldsTheOriginBack() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let serve = try await Serve(bench, try bench.options(for: origin) + ["--mode", "passthrough"])
            let warm = try await bench.finish(serve.curl(bench) + ["-o", "/dev/null", Self.url + "/bytes/1000000"])
            #expect(warm.code == 0)
            let before = Self.peak(of: serve) ?? 0
            let client = try bench.start(
                serve.curl(bench) + ["--limit-rate", "1M", "-o", bench.file("slow"), Self.url + "/bytes/150000000"])
            try await eventually("three megabytes have come") {
                let size = try? FileManager.default.attributesOfItem(atPath: bench.file("slow"))[.size] as? Int
                return (size ?? 0) > 3_000_000 ? true : nil
            }
            if let after = Self.peak(of: serve) {
                #expect(after - before < 40_000_000, "\(before) then \(after) octets")
            }
            client.kill()
            #expect(try await serve.stop() == 0)
        }
    }

    /// A full disk: the client's answer is not harmed, and the run says that the recording is not complete.
    @Test func aFullDiskHarmsTheRecordingOnly() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            let run = ([bench.binary, "run"] + options + ["--"]).map { "'\($0)'" }.joined(separator: " ")
            // A file size limit of 4 MiB (blocks of 512 octets) stands for the full disk.
            let script = """
                ulimit -f 8192
                exec \(run) curl -s -o /dev/null -w '%{http_code} %{size_download}' '\(Self.url)/bytes/20000000'
                """
            let done = try await bench.finish(["sh", "-c", script])
            #expect(done.text == "200 20000000", "\(done.errors)")
            #expect(done.code == 73, "\(done.errors)")
            #expect(done.errors.contains("recording failed"), "\(done.errors)")
        }
    }

    /// Two first starts at once agree on one CA.
    @Test func startsAtTheSameTimeShareOneCA() async throws {
        try await withWorkbench { bench in
            async let first = Serve(
                bench, ["--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes, "-c", "a"])
            async let second = Serve(
                bench, ["--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes, "-c", "b"])
            for serve in [try await first, try await second] {
                let answer = try await bench.finish(
                    serve.curl(bench) + ["-o", "/dev/null", "-w", "%{http_code}", "http://playhead.internal/ca.pem"])
                #expect(answer.text == "200")
                let secure = try await bench.finish(
                    serve.curl(bench) + ["-o", "/dev/null", "-w", "%{ssl_verify_result}", "https://a.example.invalid/"])
                #expect(secure.code == 0 && secure.text == "0", "its leaves are not of the CA on disk: \(secure.code)")
            }
        }
    }

    @Test(arguments: ["nested/name", "name.json", "with space", "name.yaml"])
    func cassetteNamesOfEveryKindReplay(_ name: String) async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin) + ["-c", name]
            let first = try await bench.run(options, ["curl", "-s", Self.url + "/json"])
            #expect(first.code == 0 && first.summary?.recorded == 1, "\(first.errors)")
            origin.stop()
            let second = try await bench.run(options, ["curl", "-s", Self.url + "/json"])
            expectSameBytes(first.output, second.output)
            #expect(second.summary?.replayed == 1, "\(second.errors)")
            let listed = try await bench.playhead(["cassette", "list", "--cassettes", bench.cassettes])
            #expect(listed.code == 0 && listed.text.contains("1 exchange"), "\(listed.text)\(listed.errors)")
        }
    }

    /// The same recording twice gives the same file: no clock, no order of arrival, no random ids in what a person reads.
    @Test func aReplayLeavesTheFileAndItsTimeAlone() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            _ = try await bench.run(options, ["curl", "-s", Self.url + "/json"])
            let path = bench.cassettes + "/default.yaml"
            func stamp() throws -> Date? {
                try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
            }
            let before = try stamp()
            _ = try await bench.run(options, ["curl", "-s", Self.url + "/json"])
            _ = try await bench.run(options + ["--mode", "new_episodes"], ["curl", "-s", Self.url + "/json"])
            #expect(try stamp() == before)
        }
    }
}
