import Foundation
import Testing

/// One `curl` command line, recorded and replayed.
struct CurlCase: Sendable, CustomTestStringConvertible {
    let name: String
    let arguments: [String]
    /// Exchanges that it makes.
    var exchanges = 1
    /// curl's exit code; nil for any but 0.
    var code: Int32? = 0

    var testDescription: String { self.name }

    private static let url = "https://api.example.test"

    static let all: [CurlCase] = [
        CurlCase(name: "GET", arguments: ["-si", url + "/json?x=1&y=2"]),
        CurlCase(name: "GET of 3 MB", arguments: ["-s", url + "/bytes/3000000"]),
        CurlCase(name: "POST of JSON", arguments: ["-si", "--json", #"{"a": [1, 2]}"#, url + "/echo"]),
        CurlCase(name: "POST of a form", arguments: ["-si", "-d", "a=1&b=two words", url + "/echo"]),
        CurlCase(name: "POST of multipart", arguments: ["-s", "-F", "a=1", "-F", "f=@upload.bin", url + "/upload"]),
        CurlCase(name: "PUT of a file", arguments: ["-si", "-T", "upload.bin", "-H", "Expect:", url + "/upload"]),
        CurlCase(
            name: "PUT of a file with Expect: 100-continue",
            arguments: ["-s", "-T", "upload.bin", "-H", "Expect: 100-continue", url + "/upload"]),
        CurlCase(
            name: "chunked both ways",
            arguments: [
                "-s", "--raw", "-H", "Transfer-Encoding: chunked", "--data-binary", "@upload.bin", url + "/upload",
            ]),
        CurlCase(name: "chunk borders", arguments: ["-si", "--raw", url + "/chunks?sizes=1,2,300,50,1"]),
        CurlCase(name: "chunks larger than a read", arguments: ["-si", url + "/chunks?sizes=5000,1,70000,40000"]),
        CurlCase(name: "trailers", arguments: ["-si", "--raw", url + "/chunks?sizes=5,6&trailer=abc"]),
        CurlCase(name: "server-sent events", arguments: ["-siN", "--raw", url + "/sse?events=5"]),
        CurlCase(name: "HEAD", arguments: ["-sI", url + "/bytes/1000"]),
        CurlCase(name: "HEAD of a chunked answer", arguments: ["-sI", url + "/chunks"]),
        CurlCase(name: "304", arguments: ["-si", "-H", #"If-None-Match: "v1""#, url + "/etag"]),
        CurlCase(name: "204", arguments: ["-si", url + "/empty"]),
        CurlCase(name: "404", arguments: ["-si", url + "/status/404"]),
        CurlCase(name: "503", arguments: ["-si", url + "/status/503"]),
        CurlCase(name: "an unassigned status", arguments: ["-si", url + "/status/799"]),
        CurlCase(name: "DELETE", arguments: ["-si", "-X", "DELETE", url + "/json"]),
        CurlCase(name: "three redirects", arguments: ["-siL", url + "/redirect/2"], exchanges: 4),
        CurlCase(name: "gzip", arguments: ["-s", "--compressed", url + "/gzip"]),
        CurlCase(name: "deflate", arguments: ["-s", "--compressed", url + "/deflate"]),
        CurlCase(name: "odd header case, repeats, Latin-1", arguments: ["-si", url + "/odd-headers"]),
        CurlCase(name: "HTTP/1.0 client", arguments: ["-si", "--http1.0", url + "/json"]),
        CurlCase(name: "HTTP/1.0 client, chunked origin", arguments: ["-si", "--http1.0", url + "/chunks"]),
        CurlCase(name: "HTTP/1.0 origin", arguments: ["-si", url + "/http10"]),
        CurlCase(name: "slow first byte", arguments: ["-si", url + "/slow?ms=700"]),
        CurlCase(name: "plain http", arguments: ["-si", "http://api.example.test/json"]),
        CurlCase(name: "plain http in a tunnel", arguments: ["-sip", "http://api.example.test/json"]),
        CurlCase(
            name: "one connection, three requests",
            arguments: ["-s", url + "/json?a", url + "/json?b", url + "/json?c"],
            exchanges: 3),
        CurlCase(
            name: "the same URL three times", arguments: ["-s", url + "/json", url + "/json", url + "/json"],
            exchanges: 3),
        CurlCase(
            name: "twenty in parallel",
            arguments: ["-sZ", "--fail", "-o", "/dev/null", url + "/bytes/2000?seed=[1-20]"],
            exchanges: 20),
        CurlCase(name: "a body shorter than its length", arguments: ["-si", url + "/truncated"], code: nil),
        CurlCase(name: "chunks without the last one", arguments: ["-si", "--raw", url + "/unfinished"], code: nil),
        CurlCase(name: "a reset in mid body", arguments: ["-si", url + "/reset?after=100"], code: nil),
        CurlCase(name: "a reset before the answer", arguments: ["-si", url + "/reset-early"]),
    ]
}

@Suite("curl", .timeLimit(.minutes(10)))
struct CurlTests {
    @Test(arguments: CurlCase.all)
    func recordsAndReplays(_ scenario: CurlCase) async throws {
        try await withWorkbench { bench in
            try bench.write("upload.bin", TestBytes.make(count: 300_000, seed: 7))
            try await bench.recordsAndReplays(
                ["curl", "--max-time", "60"] + scenario.arguments, exchanges: scenario.exchanges, code: scenario.code)
        }
    }

    @Test func uploadsFiftyMegabytes() async throws {
        try await withWorkbench { bench in
            let data = TestBytes.make(count: 50_000_000, seed: 1)
            try bench.write("big.bin", data)
            let answer = try await bench.recordsAndReplays(
                ["curl", "-s", "-T", "big.bin", "https://api.example.test/upload"], exchanges: 1)
            let sum = try #require(
                try await bench.finish(["openssl", "dgst", "-sha256", "big.bin"]).text.split(separator: " ").last)
            #expect(answer.text.contains(sum.trimmingCharacters(in: .newlines)))
            #expect(answer.text.contains("50000000"))
        }
    }

    @Test func downloadsFiftyMegabytes() async throws {
        try await withWorkbench { bench in
            let answer = try await bench.recordsAndReplays(
                ["curl", "-s", "https://api.example.test/bytes/50000000"], exchanges: 1)
            #expect(answer.output.count == 50_000_000)
        }
    }

    /// Headers reach the origin as curl wrote them: order, case, repeats; only hop-by-hop ones are gone.
    @Test func passesRequestHeadersOnUnchanged() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let answer = try await bench.run(
                try bench.options(for: origin),
                [
                    "curl", "--http1.1", "-s", "-H", "x-LOWER: 1", "-H", "X-Twice: a", "-H", "X-Between: b", "-H",
                    "X-Twice: c",
                    "-H",
                    "Connection: x-hop", "-H", "X-Hop: gone", "-H", "Proxy-Connection: keep-alive", "-H", "X-Empty;",
                    "https://api.example.test/inspect",
                ])
            struct Seen: Decodable {
                let headers: [[String]]
            }
            let seen = try JSONDecoder().decode(Seen.self, from: answer.output).headers
            #expect(
                seen.map(\.first) == [
                    "Host", "User-Agent", "Accept", "x-LOWER", "X-Twice", "X-Between", "X-Twice", "X-Empty",
                ])
            #expect(seen.first == ["Host", "api.example.test"])
            #expect(seen.filter { $0.first == "X-Twice" }.map(\.last) == ["a", "c"])
        }
    }

    /// The live client gets the true cookies, the cassette and the replay none of their values.
    @Test func givesCookiesToTheLiveClientOnly() async throws {
        try await withWorkbench { bench in
            let command = ["curl", "--http1.1", "-si", "https://api.example.test/cookies"]
            let live = try await bench.recordsAndReplays(command, exchanges: 1, sameOutput: false)
            #expect(live.text.contains("first=cookie-value-one"))
            #expect(live.text.contains("third=cookie-value-three; Max-Age=60"))
            let text = try bench.cassetteText()
            for value in ["cookie-value-one", "cookie-value-two", "cookie-value-three"] {
                #expect(!text.contains(value))
            }
            let replay = try await bench.run(
                ["--cassettes", bench.cassettes, "--ca-dir", bench.folder + "/ca"], command)
            let cookies = replay.text.split(separator: "\r\n").filter { $0.hasPrefix("Set-Cookie: ") }
            #expect(cookies.count == 3)
            #expect(cookies.first?.hasSuffix("; Path=/; HttpOnly") == true)
        }
    }
}
