import Foundation
import Testing

/// Raw requests that are answered by a refusal; nothing of them reaches the origin, and the connection is closed.
struct MalformedRequest: Sendable, CustomTestStringConvertible {
    let name: String
    /// The request after its start line's target, as the bytes on the wire; `@` stands for the target.
    let bytes: [UInt8]

    init(_ name: String, _ text: String) {
        self.name = name
        self.bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    var testDescription: String { self.name }

    private static let host = "Host: api.example.test\r\n"

    private static func post(_ fields: String, _ body: String) -> String {
        "POST @/echo HTTP/1.1\r\n" + self.host + fields + "\r\n" + body
    }

    private static func get(_ fields: String) -> String { "GET @/json HTTP/1.1\r\n" + self.host + fields + "\r\n" }

    static let all: [MalformedRequest] = [
        // Framing
        .init("length and chunked", post("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")),
        .init("chunked and length", post("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", "0\r\n\r\n")),
        .init("two lengths that differ", post("Content-Length: 4\r\nContent-Length: 5\r\n", "abcde")),
        .init("two equal lengths", post("Content-Length: 4\r\nContent-Length: 4\r\n", "abcd")),
        .init("a list of lengths", post("Content-Length: 4, 4\r\n", "abcd")),
        .init("a negative length", post("Content-Length: -4\r\n", "abcd")),
        .init("a length with a sign", post("Content-Length: +4\r\n", "abcd")),
        .init("a hexadecimal length", post("Content-Length: 0x4\r\n", "abcd")),
        .init("an empty length", post("Content-Length: \r\n", "")),
        .init("a length of 30 digits", post("Content-Length: 100000000000000000000000000000\r\n", "abcd")),
        .init("a length with a space inside", post("Content-Length: 1 2\r\n", "abcd")),
        .init("transfer-encoding identity", post("Transfer-Encoding: identity\r\n", "0\r\n\r\n")),
        .init("chunked not last", post("Transfer-Encoding: chunked, gzip\r\n", "0\r\n\r\n")),
        .init("chunked twice", post("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n")),
        .init(
            "chunked in two fields", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")),
        .init("an odd coding", post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n")),
        .init("chunked with a vertical tab", post("Transfer-Encoding: \u{b}chunked\r\n", "0\r\n\r\n")),
        .init("chunked in HTTP/1.0", "POST @/echo HTTP/1.0\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        // Chunks
        .init("a chunk size that is no number", post("Transfer-Encoding: chunked\r\n", "zz\r\nabcd\r\n0\r\n\r\n")),
        .init("an empty chunk size", post("Transfer-Encoding: chunked\r\n", "\r\nabcd\r\n0\r\n\r\n")),
        .init("a chunk size with 0x", post("Transfer-Encoding: chunked\r\n", "0x4\r\nabcd\r\n0\r\n\r\n")),
        .init("a negative chunk size", post("Transfer-Encoding: chunked\r\n", "-4\r\nabcd\r\n0\r\n\r\n")),
        .init(
            "a chunk size over 64 bits",
            post("Transfer-Encoding: chunked\r\n", "10000000000000004\r\nabcd\r\n0\r\n\r\n")),
        .init("chunk data longer than its size", post("Transfer-Encoding: chunked\r\n", "3\r\nabcd\r\n0\r\n\r\n")),
        .init("a chunk that ends in a bare LF", post("Transfer-Encoding: chunked\r\n", "4\nabcd\n0\n\n")),
        // Lines
        .init("a folded field", get("X-Fold: one\r\n two\r\n")),
        .init("a folded first field", "GET @/json HTTP/1.1\r\n X: y\r\n" + host + "\r\n"),
        .init("bare LF lines", "GET @/json HTTP/1.1\nHost: api.example.test\n\n"),
        .init("a bare CR in a value", get("X-A: one\rX-B: two\r\n")),
        .init("NUL in a value", get("X-A: one\u{0}two\r\n")),
        .init("NUL in a name", get("X\u{0}A: one\r\n")),
        .init("a control byte in a value", get("X-A: one\u{1}two\r\n")),
        .init("a space before the colon", get("X-A : one\r\n")),
        .init("a space in a name", get("X A: one\r\n")),
        .init("a field without a colon", get("nonsense\r\n")),
        .init("an empty field name", get(": value\r\n")),
        .init("a Latin-1 byte in a name", get("X-\u{e9}: value\r\n")),
        // Host and start line
        .init("no Host", "GET @NOHOST/json HTTP/1.1\r\n\r\n"),
        .init("two Hosts", get("Host: api.example.test\r\n")),
        .init("two Hosts that differ", get("Host: other.example.test\r\n")),
        .init("a Host with a path", "GET @/json HTTP/1.1\r\nHost: api.example.test/x\r\n\r\n"),
        .init("a Host with userinfo", "GET @/json HTTP/1.1\r\nHost: a@api.example.test\r\n\r\n"),
        .init("two spaces in the start line", "GET  @/json HTTP/1.1\r\n" + host + "\r\n"),
        .init("a tab in the start line", "GET\t@/json HTTP/1.1\r\n" + host + "\r\n"),
        .init("a space in the target", "GET @/js on HTTP/1.1\r\n" + host + "\r\n"),
        .init("no version", "GET @/json\r\n" + host + "\r\n"),
        .init("version 2.0", "GET @/json HTTP/2.0\r\n" + host + "\r\n"),
        .init("version 1.10", "GET @/json HTTP/1.10\r\n" + host + "\r\n"),
        .init("a lower-case version", "GET @/json http/1.1\r\n" + host + "\r\n"),
        .init("a method that is no token", "G(T @/json HTTP/1.1\r\n" + host + "\r\n"),
        .init(
            "a start line of 100 KB",
            "GET @/" + String(repeating: "a", count: 100_000) + " HTTP/1.1\r\n" + host + "\r\n"),
        .init("a field of 300 KB", get("X-Long: " + String(repeating: "a", count: 300_000) + "\r\n")),
        .init("2,000 fields", get((0..<2000).map { "X-\($0): 1\r\n" }.joined())),
    ]

    /// The bytes for a connection straight to the proxy (absolute form) or inside a tunnel (origin form).
    func wire(absolute: Bool) -> [UInt8] {
        let text = String(String.UnicodeScalarView(self.bytes.map { Unicode.Scalar($0) }))
            // Without a Host there must be no other name to go by, so the origin form is used in both places.
            .replacingOccurrences(of: "@NOHOST", with: "")
            .replacingOccurrences(of: "@/", with: absolute ? "http://api.example.test/" : "/")
        return text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }
}

@Suite("Malformed requests", .timeLimit(.minutes(10)))
struct MalformedRequestTests {
    private static let second = "GET http://api.example.test/smuggled HTTP/1.1\r\nHost: api.example.test\r\n\r\n"

    /// Sends one to a fresh connection, with another request right behind, and judges what comes back.
    private static func judge(_ request: MalformedRequest, port: Int, tunnel: Bool) async throws -> String? {
        let connection = try RawConnection(port: port)
        if tunnel {
            connection.send("CONNECT api.example.test:80 HTTP/1.1\r\nHost: api.example.test:80\r\n\r\n")
            let answer = connection.receive(until: "\r\n\r\n")
            guard answer.hasPrefix("HTTP/1.1 200") else { return "CONNECT: \(answer.prefix(80))" }
        }
        connection.send(request.wire(absolute: !tunnel))
        connection.send(
            tunnel ? Self.second.replacingOccurrences(of: "http://api.example.test", with: "") : Self.second)
        let (text, closed) = connection.receiveToEnd()
        // A reset may take the answer with it, since bytes behind the refusal are never read.
        if text.isEmpty { return closed ? nil : "no answer and no end" }
        let status = text.dropFirst("HTTP/1.1 ".count).prefix(3)
        guard text.hasPrefix("HTTP/1."), let number = Int(status),
            (400..<500).contains(number) || [501, 505].contains(number)
        else { return "answered by \(text.prefix(120).debugDescription)" }
        guard closed else { return "not closed after \(number)" }
        guard text.components(separatedBy: "\nHTTP/1.").count == 1, !text.dropFirst().contains("}HTTP/1.") else {
            return "more than one answer: \(text.debugDescription)"
        }
        return nil
    }

    @Test(arguments: [false, true])
    func areRefusedAndReachNobody(inATunnel tunnel: Bool) async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let serve = try await Serve(bench, try bench.options(for: origin))
            for request in MalformedRequest.all {
                let before = origin.requests.count
                if let fault = try await Self.judge(request, port: serve.port, tunnel: tunnel) {
                    Issue.record("\(request.name): \(fault)")
                }
                #expect(
                    origin.requests.count == before, "\(request.name) reached the origin: \(origin.requests.suffix(2))")
            }
            // The proxy is as good as before.
            let answer = try await bench.finish(serve.curl(bench) + ["http://api.example.test/json"])
            #expect(answer.code == 0 && answer.text.contains("/json"))
            #expect(try await serve.stop() == 0, "\(serve.process.errors)")
            #expect(Summary(serve.process.errors)?.recorded == 1)
        }
    }

    @Test(arguments: [
        "CONNECT api.example.test HTTP/1.1", "CONNECT :443 HTTP/1.1", "CONNECT api.example.test:0 HTTP/1.1",
        "CONNECT api.example.test:99999 HTTP/1.1", "CONNECT *.example.test:443 HTTP/1.1",
        "CONNECT a,DNS:b.test:443 HTTP/1.1", "CONNECT \(String(repeating: "a", count: 64)).test:443 HTTP/1.1",
        "CONNECT http://api.example.test/ HTTP/1.1", "CONNECT user@api.example.test:443 HTTP/1.1",
        "CONNECT [fe80::1%25eth0]:443 HTTP/1.1", "CONNECT a..b.test:443 HTTP/1.1",
        "GET ftp://api.example.test/ HTTP/1.1",
    ])
    func odd(startLine: String) async throws {
        try await withWorkbench { bench in
            let serve = try await Serve(bench, ["--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes])
            let connection = try RawConnection(port: serve.port)
            connection.send(startLine + "\r\nHost: api.example.test\r\n\r\n")
            let answer = connection.receive(until: "\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 4") || answer.hasPrefix("HTTP/1.1 501"), "\(answer)")
            #expect(try await serve.stop() == 0)
        }
    }

    /// A tunnel with something that is neither TLS nor HTTP gets an answer, not a hang.
    @Test func otherBytesInATunnelAreRefused() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let serve = try await Serve(bench, try bench.options(for: origin))
            for bytes in [
                "SSH-2.0-OpenSSH_9.2\r\n", "\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}", "EHLO x\r\n",
                "\u{16}\u{3}\u{1}\u{0}",
            ] {
                let connection = try RawConnection(port: serve.port)
                connection.send("CONNECT api.example.test:443 HTTP/1.1\r\nHost: api.example.test:443\r\n\r\n")
                #expect(connection.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
                connection.send(bytes)
                connection.finishSending()
                #expect(connection.receiveToEnd(within: 30_000).closed, "\(bytes.debugDescription)")
            }
            #expect(origin.requests.isEmpty)
            #expect(try await serve.stop() == 0)
        }
    }
}
