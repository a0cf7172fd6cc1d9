import NIOCore
import PlayheadHTTP
import Testing

@Suite struct HTTP1RequestDecoderTests {
    /// Requests that are fine, each with what must be read.
    static let good: [(String, [String])] = [
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", ["head GET / HTTP/1.1 none Host:a", "end "]),
        ("GET / HTTP/1.0\r\n\r\n", ["head GET / HTTP/1.0 none ", "end "]),
        ("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n\r\n", ["head GET / HTTP/1.1 none Host:a", "end "]),
        (
            "!#$%&'*+-.^_`|~9 * HTTP/1.1\r\nhOsT:\t a:80 \t\r\nX:\r\nx:  b  c\t\r\n\r\n",
            ["head !#$%&'*+-.^_`|~9 * HTTP/1.1 none hOsT:a:80|X:|x:b\\32\\32c", "end "]
        ),
        (
            "get http://u@A/\\x%0d%0a\"<>^`{|}#f HTTP/1.1\r\nHost: [::1]:8080\r\nL: caf\u{E9}\r\n\r\n",
            ["head get http://u@A/\\x%0d%0a\"<>^`{|}#f HTTP/1.1 none Host:[::1]:8080|L:caf\\233", "end "]
        ),
        (
            "PUT /\u{C3}\u{A9} HTTP/1.1\r\nHost: a_b.example.\r\nContent-Length: 005\r\n\r\nhello",
            ["head PUT /é HTTP/1.1 length(5) Host:a_b.example.|Content-Length:005", "body hello", "end "]
        ),
        (
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\n\r\n"
                + "5\r\nhello\r\n000A;x=\"y\";z\r\n, world!\r\n\r\n0;last\r\nX: y\r\nX: z\r\n\r\n",
            [
                "head POST / HTTP/1.1 chunked Host:a|Transfer-Encoding:CHUNKED", "body hello", "end of chunk",
                "body ,\\32world!\\13\\10", "end of chunk", "end X:y|X:z",
            ]
        ),
        (
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
                + "Content-Length: 3\r\nHost: b\r\ntransfer-encoding: x\r\nConnection: y\r\nAuthorization: z\r\nOk: 1\r\n\r\n",
            ["head POST / HTTP/1.1 chunked Host:a|Transfer-Encoding:chunked", "end Ok:1"]
        ),
        (
            "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi"
                + "POST /2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"
                + "GET /3 HTTP/1.1\r\nHost: a\r\n\r\n\r\nGET /4 HTTP/1.0\r\nContent-Length: 0\r\n\r\n",
            [
                "head POST /1 HTTP/1.1 length(2) Host:a|Content-Length:2", "body hi", "end ",
                "head POST /2 HTTP/1.1 chunked Host:a|Transfer-Encoding:chunked", "body x", "end of chunk", "end ",
                "head GET /3 HTTP/1.1 none Host:a", "end ",
                "head GET /4 HTTP/1.0 length(0) Content-Length:0", "end ",
            ]
        ),
        (
            "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\nContent-Length: 0\r\n\r\n\u{16}\u{03}\u{01}",
            ["head CONNECT a:443 HTTP/1.1 none Host:a:443|Content-Length:0", "end ", "rest \\22\\3\\1"]
        ),
        (
            "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nX : y\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
            ["head GET / HTTP/1.1 none Host:a", "end ", "error 400 spaceBeforeColon"]
        ),
    ]

    @Test(arguments: good.indices)
    func readsTheSameHoweverTheInputIsCut(_ index: Int) {
        let (message, expected) = Self.good[index]
        for pieces in splits(of: latin1(message)) {
            let transcript = requestTranscript(pieces)
            guard transcript.lines == expected else {
                Issue.record("cut \(pieces.map(\.count)): \(transcript.lines) instead of \(expected)")
                return
            }
        }
    }

    @Test func refusesATargetThatIsNotUTF8() {
        let transcript = requestTranscript([latin1("GET /\u{E9} HTTP/1.1\r\nHost: a\r\n\r\n")[...]])
        #expect(transcript.lines == ["error 400 badTarget"])
    }

    @Test func judgesFramingBeforeTheHeadIsHandedOut() {
        let transcript = requestTranscript(
            [latin1("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n")[...]], ends: false)
        #expect(transcript.lines == ["error 400 badTransferEncoding"])
    }

    @Test func staysFailedAndReadsNothingMore() throws {
        var decoder = HTTP1RequestDecoder()
        decoder.append(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"))
        let first = #expect(throws: HTTP1Error.self) { try decoder.next() }
        decoder.append(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
        let second = #expect(throws: HTTP1Error.self) { try decoder.next() }
        #expect(first == second)
        #expect(throws: HTTP1Error.self) { try decoder.finish() }
        #expect(decoder.bufferedBytes == 0)
        #expect(!decoder.isBetweenMessages)
    }

    @Test func leavesTheTunnelAloneUntilResumed() throws {
        var decoder = HTTP1RequestDecoder()
        decoder.append(
            ByteBuffer(string: "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\nGET /next HTTP/1.1\r\nHost: a\r\n\r\n"))
        guard case .head(let connect, .none) = try decoder.next() else { return #expect(Bool(false), "no head") }
        #expect(connect.target == "a:443")
        #expect(try decoder.next() == .end(HeaderList()))
        #expect(try decoder.next() == nil)
        #expect(decoder.bufferedBytes > 0)
        decoder.resume()
        guard case .head(let next, .none) = try decoder.next() else { return #expect(Bool(false), "no head") }
        #expect(next.target == "/next")
    }

    @Test func handsBodiesOutAsSlicesOfTheInput() throws {
        var decoder = HTTP1RequestDecoder()
        let input = ByteBuffer(string: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhello")
        let start = input.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) }
        decoder.append(input)
        _ = try decoder.next()
        guard case .body(let body, false) = try decoder.next() else { return #expect(Bool(false), "no body") }
        let address = body.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) }
        #expect(address == start + UInt(input.readableBytes) - 5)
        #expect(try decoder.next() == nil)
    }

    @Test func knowsWhenItIsBetweenMessages() throws {
        var decoder = HTTP1RequestDecoder()
        #expect(decoder.isBetweenMessages)
        decoder.append(ByteBuffer(string: "GET / HTTP/1.1\r\n"))
        #expect(!decoder.isBetweenMessages)
        #expect(try decoder.next() == nil)
        #expect(!decoder.isBetweenMessages)
        decoder.append(ByteBuffer(string: "Host: a\r\n\r\n"))
        #expect(try decoder.next() != nil)
        #expect(try decoder.next() == .end(HeaderList()))
        #expect(decoder.isBetweenMessages)
        try decoder.finish()
    }

    @Test func doesNotKeepWhatAPipelinedConnectionConsumed() throws {
        var decoder = HTTP1RequestDecoder()
        let request = "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 1_000))\r\n\r\n"
        // Every append ends inside the next request, so the buffer never runs empty.
        decoder.append(ByteBuffer(string: String(request.prefix(10))))
        var ends = 0
        for _ in 0..<2_000 {
            decoder.append(ByteBuffer(string: String(request.dropFirst(10)) + request.prefix(10)))
            while let part = try decoder.next() { if case .end = part { ends += 1 } }
            #expect(decoder.bufferedBytes == 10)
        }
        #expect(ends == 2_000)
        #expect(decoder.takeRemaining().storageCapacity < 64 * 1024)
    }

    @Test(.timeLimit(.minutes(1))) func readsALongHeadByteByByteInLinearTime() throws {
        var decoder = HTTP1RequestDecoder()
        let value = String(repeating: "v", count: 60_000)
        let head = "GET / HTTP/1.1\r\nHost: a\r\nA: \(value)\r\nB: \(value)\r\nC: \(value)\r\n\r\n"
        var parts = 0
        for octet in head.utf8 {
            decoder.append(ByteBuffer(bytes: [octet]))
            while try decoder.next() != nil { parts += 1 }
        }
        #expect(parts == 2)
    }
}
