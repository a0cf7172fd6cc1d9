import Foundation
import Testing

/// grpcio through the proxy: all kinds of calls, recorded, and replayed with the server gone.
@Suite(
    "gRPC", .timeLimit(.minutes(3)),
    .enabled(if: ClientPython.has("grpc"), "the Python module grpc is not installed"))
struct GRPCTests {
    private static let calls = ["say", "fail", "count", "join", "talk", "bye"]

    private static func client(_ security: String, _ calls: [String]) throws -> [String] {
        guard let python = ClientPython.path else { throw HarnessError("no python3") }
        return [
            python, Playhead.resource("Clients/grpc_client.py"),
            "api.example.test:\(security == "secure" ? 443 : 80)", security,
        ] + calls
    }

    @Test(arguments: ["secure", "insecure"])
    func recordsAndReplaysEveryKindOfCall(security: String) async throws {
        try await withWorkbench { bench in
            let origin = try await GRPCOrigin(bench)
            let options = try origin.options(bench)
            let command = try Self.client(security, Self.calls)
            let live = try await bench.run(options, command, within: .seconds(60))
            try #require(live.code == 0, "\(live.errors)")
            let expected = """
                say b'you said hello' [('x-initial', 'first')] [('x-trailing', 'last'), ('x-trailing-bin', b'\\x00\\xff')] StatusCode.OK
                fail error FAILED_PRECONDITION not now: 100 % sure
                count [b'number 0', b'number 1', b'number 2', b'number 3', b'number 4']
                join b'a+b+c'
                talk b'echo one'
                talk b'echo two'
                talk b'echo three'
                talk [] StatusCode.OK
                bye [b'echo bye'] StatusCode.OK

                """
            #expect(live.text == expected)
            #expect(live.summary?.recorded == 6, "\(live.errors)")
            origin.stop()

            // Trailers and message borders are in the cassette: five octets in front of each message.
            let cassette = try bench.cassetteText()
            #expect(cassette.contains("grpc-status"))
            #expect(cassette.matches(of: /http: HTTP\/2\n/).count == 12)
            #expect(cassette.contains(/chunks: \[(\[\d+, 13\](, )?){5}\]/), "\(cassette)")
            #expect(cassette.contains(/chunks: \[\[\d+, 13, 1\], \[\d+, 13, 2\], \[\d+, 15, 3\]\]/), "\(cassette)")

            let replay = try await bench.run(options + ["--mode", "none"], command, within: .seconds(60))
            #expect(replay.text == expected, "\(replay.errors)")
            #expect(replay.code == 0)
            #expect(replay.summary?.replayed == 6)
        }
    }

    @Test func aMissIsStatusUnimplementedWithTheReason() async throws {
        try await withWorkbench { bench in
            let origin = try await GRPCOrigin(bench)
            let options = try origin.options(bench)
            let live = try await bench.run(options, try Self.client("secure", ["talk"]), within: .seconds(60))
            try #require(live.code == 0, "\(live.errors)")
            origin.stop()
            let miss = try await bench.run(
                options + ["--mode", "none", "--match", "method,host,path,body"],
                try Self.client("secure", ["unknown", "other", "talk", "talk"]), within: .seconds(60))
            #expect(miss.text.hasPrefix("unknown error UNIMPLEMENTED playhead: "), "\(miss.text)")
            #expect(miss.text.contains("other error UNIMPLEMENTED playhead: the one recording"), "\(miss.text)")
            #expect(miss.text.contains("talk [] StatusCode.OK"), "\(miss.text)")
            #expect(miss.text.contains("talk error UNIMPLEMENTED playhead: "), "\(miss.text)")
            #expect(miss.code == 3)
            // A chat with a method that has no recording is refused at once, not at its end.
            let chat = try await bench.run(
                options + ["--mode", "none", "--cassette", "empty"], try Self.client("secure", ["talk"]),
                within: .seconds(60))
            #expect(chat.text.hasPrefix("talk error UNIMPLEMENTED"), "\(chat.text)")
        }
    }
}
