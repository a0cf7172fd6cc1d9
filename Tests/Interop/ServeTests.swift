import Foundation
import Testing

/// The long-running proxy: readiness, signals, crashes, locks, load.
@Suite("serve", .timeLimit(.minutes(10)))
struct ServeTests {
    static let url = "https://api.example.test"

    @Test func saysThatItIsReadyWithEveryAddress() async throws {
        try await withWorkbench { bench in
            let ready = bench.folder + "/ready.json"
            let serve = try await Serve(
                bench,
                [
                    "--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes, "--listen", "127.0.0.1:0",
                    "--ready-file", ready, "--log-format", "json",
                ])
            struct Ready: Decodable {
                let listen: [String]
            }
            let line = try await eventually("the ready line") {
                serve.process.output.contains(UInt8(ascii: "\n")) ? serve.process.output : nil
            }
            let said = try JSONDecoder().decode(Ready.self, from: line)
            #expect(said.listen.count == 2)
            #expect(said.listen.contains("127.0.0.1:\(serve.port)"))
            let file = try JSONDecoder().decode(Ready.self, from: Data(contentsOf: URL(fileURLWithPath: ready)))
            #expect(file.listen == said.listen)
            #expect(try await serve.stop() == 0)
            // The last line is the report.
            let lines = serve.process.output.split(separator: UInt8(ascii: "\n"))
            struct Stopped: Decodable {
                struct Report: Decodable { let version, replayed, missed, mocked: Int }
                let event: String
                let code: Int
                let report: Report
            }
            try #require(lines.count == 2)
            let stopped = try JSONDecoder().decode(Stopped.self, from: Data(lines[1]))
            #expect(stopped.event == "stopped" && stopped.code == 0 && stopped.report.version == 1)
        }
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func savesOnSignals(_ signal: Int32) async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let serve = try await Serve(bench, try bench.options(for: origin))
            let answer = try await bench.finish(serve.curl(bench) + [Self.url + "/json"])
            try #require(answer.code == 0, "\(serve.process.errors)")
            serve.process.signal(signal)
            #expect(try await serve.process.exit(within: .seconds(30)) == 0)
            #expect(try bench.cassetteText().contains("/json"))
            #expect(Summary(serve.process.errors)?.recorded == 1)
        }
    }

    @Test func letsAnExchangeUnderWayFinishBeforeItEnds() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let serve = try await Serve(bench, try bench.options(for: origin))
            let client = try bench.start(serve.curl(bench) + [Self.url + "/slow?ms=1500"])
            try await eventually("the request has arrived") { origin.requests.isEmpty ? nil : true }
            #expect(try await serve.stop() == 0)
            #expect(try await client.exit() == 0)
            #expect(String(decoding: client.output, as: UTF8.self).contains("/slow"))
            #expect(try bench.cassetteText().contains("/slow"))
        }
    }

    /// SIGKILL in the middle of recording: what a client holds is in the cassette at the next start.
    @Test func aKillLosesNoExchangeThatAClientHolds() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            let serve = try await Serve(bench, options)
            let client = try bench.start(
                serve.curl(bench) + [
                    "-Z", "--parallel-max", "8", "-w", "%{url_effective} %{http_code} %{size_download}\n", "-o",
                    bench.work + "/got-#1", Self.url + "/bytes/3000?seed=[1-2000]",
                ])
            func received() -> [String] {
                String(decoding: client.output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
                    .dropLast().filter { $0.hasSuffix(" 200 3000") }.map { String($0.prefix { $0 != " " }) }
            }
            try await eventually("150 answers have been received") {
                if let code = client.pollExit() { throw HarnessError("curl ended with \(code)") }
                return received().count >= 150 ? true : nil
            }
            serve.process.kill()
            _ = try await client.exit()
            origin.stop()
            let held = received()
            #expect(held.count >= 150 && held.count < 2000)

            let again = try await Serve(bench, options + ["--mode", "none"])
            let list = held.enumerated().map { "url = \"\($1)\"\noutput = \"\(bench.work)/again-\($0)\"\n" }
            let config = try bench.write("urls", list.joined())
            let answer = try await bench.finish(
                again.curl(bench) + [
                    "-Z", "--parallel-max", "8", "-w", "%{http_code} %{size_download}\n", "-K", config,
                ])
            let good = answer.text.split(separator: "\n").count { $0 == "200 3000" }
            #expect(good == held.count, "\(again.process.errors)")
            // Bodies are those of the first time, not only of the same length.
            for (index, url) in held.enumerated() where index % 10 == 0 {
                let seed = url.split(separator: "=").last ?? ""
                let before = FileManager.default.contents(atPath: bench.work + "/got-\(seed)")
                #expect(before != nil && before == FileManager.default.contents(atPath: bench.work + "/again-\(index)"))
            }
            #expect(try await again.stop() == 0)
            let validated = try await bench.playhead(["cassette", "validate", "--cassettes", bench.cassettes])
            #expect(validated.code == 0, "\(validated.errors)")
        }
    }

    @Test func aSecondProcessOnOneCassetteGetsAClearError() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            let serve = try await Serve(bench, options)
            let second = try await bench.run(options, ["curl", "-s", Self.url + "/json"], within: .seconds(60))
            #expect(second.code != 0)
            #expect(second.text.isEmpty, "the command ran although its cassette could not be opened")
            #expect(second.errors.contains("default"), "\(second.errors)")
            #expect(second.errors.contains("\(serve.process.identifier)"), "the holder's pid is told: \(second.errors)")
            #expect(try await serve.stop() == 0)
            let third = try await bench.run(options, ["curl", "-s", Self.url + "/json"])
            #expect(third.code == 0, "the lock went with its holder: \(third.errors)")
        }
    }

    /// 1,000 URLs over 100 parallel connections: all recorded, all replayed, all descriptors given back.
    @Test func recordsAndReplaysAThousandURLsInParallel() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let options = try bench.options(for: origin)
            let fetch = [
                "-Z", "--parallel-max", "100", "--fail", "-w", "%{http_code} %{size_download}\n", "-o",
                bench.work + "/out-#1",
                Self.url + "/bytes/1234?seed=[1-1000]",
            ]
            func digest() async throws -> String {
                try await bench.finish(["sh", "-c", "cat out-* | openssl dgst -sha256; rm -f out-*"]).text
            }
            let serve = try await Serve(bench, options)
            let before = serve.descriptors
            let live = try await bench.finish(serve.curl(bench) + fetch, within: .seconds(180))
            #expect(live.code == 0, "\(serve.process.errors.suffix(2000))")
            #expect(live.text.split(separator: "\n").count { $0 == "200 1234" } == 1000)
            let first = try await digest()
            #expect(origin.requests.count == 1000)
            origin.stop()
            try await Self.expectDescriptors(of: serve, near: before, files: 3)
            #expect(try await serve.stop() == 0)
            #expect(Summary(serve.process.errors)?.recorded == 1000)

            let replay = try await Serve(bench, options + ["--mode", "none"])
            let idle = replay.descriptors
            let answer = try await bench.finish(replay.curl(bench) + fetch, within: .seconds(180))
            #expect(answer.code == 0)
            #expect(answer.text.split(separator: "\n").count { $0 == "200 1234" } == 1000)
            #expect(try await digest() == first)
            try await Self.expectDescriptors(of: replay, near: idle, files: 1)
            #expect(try await replay.stop() == 0)
            #expect(Summary(replay.process.errors)?.replayed == 1000)
        }
    }

    /// The count comes back to what it was, but for the cassette's own files.
    private static func expectDescriptors(of serve: Serve, near before: Int?, files: Int) async throws {
        guard let before else { return }
        do {
            try await eventually("the descriptors are given back", within: .seconds(60)) {
                (serve.descriptors ?? 0) <= before + files ? true : nil
            }
        } catch {
            Issue.record("\(before) descriptors before, \(serve.descriptors ?? -1) after")
        }
    }

    @Test func servesItsCertificateToAnyClient() async throws {
        try await withWorkbench { bench in
            let serve = try await Serve(bench, ["--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes])
            let answer = try await bench.finish(serve.curl(bench) + ["http://playhead.internal/ca.pem"])
            #expect(answer.output == FileManager.default.contents(atPath: bench.folder + "/ca/ca.pem"))
            #expect(!answer.text.contains("PRIVATE"))
            #expect(try await serve.stop() == 0)
        }
    }

    @Test func doesNotProxyToItself() async throws {
        try await withWorkbench { bench in
            let serve = try await Serve(
                bench, ["--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes, "--mode", "passthrough"])
            for host in ["127.0.0.1", "localhost", "127.1", "0.0.0.0", "[::ffff:127.0.0.1]", "2130706433"] {
                let answer = try await bench.finish(
                    serve.curl(bench) + ["-o", "/dev/null", "-w", "%{http_code}", "http://\(host):\(serve.port)/"])
                #expect(["403", "508", "400", "502"].contains(answer.text), "\(host): \(answer.text)")
            }
            #expect(try await serve.stop() == 0)
        }
    }
}
