import NIOCore
import PlayheadHTTP
import Testing

@Suite struct HTTP1ResponseDecoderTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var message: String
        var methods: [String]
        var expected: [String]
        var testDescription: String { "\(self.methods) \(self.message.debugDescription.prefix(80))" }

        init(_ message: String, _ expected: [String], methods: [String] = ["GET"]) {
            self.message = message
            self.methods = methods
            self.expected = expected
        }
    }

    static let good: [Case] = [
        Case(
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
            ["head 200 OK HTTP/1.1 length(2) Content-Length:2", "body hi", "end "]),
        Case("HTTP/1.1 299\r\n\r\nhi", ["head 299  HTTP/1.1 untilClose ", "body hi", "end "]),
        Case("HTTP/1.0 200 \r\n\r\n", ["head 200  HTTP/1.0 untilClose ", "end "]),
        Case(
            "HTTP/1.1 999 caf\u{E9} \r\nContent-Length: 0\r\n\r\n",
            ["head 999 café  HTTP/1.1 length(0) Content-Length:0", "end "]),
        Case(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nA: b\r\n\r\n",
            ["head 200 OK HTTP/1.1 chunked Transfer-Encoding:chunked", "body hi", "end of chunk", "end A:b"]),
        Case(
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: y\r\ncontent-length: 2\r\n\r\nhi",
            ["head 200 OK HTTP/1.1 length(2) Content-Length:2|X:y", "body hi", "end "]),
        Case(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 204 No\r\n\r\n",
            [
                "informational 100 Continue ", "informational 103 Early Hints Link:a", "head 204 No HTTP/1.1 none ",
                "end ",
            ]),
        Case(
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            [
                "head 200 OK HTTP/1.1 none Content-Length:5", "end ",
                "head 200 OK HTTP/1.1 none Transfer-Encoding:chunked", "end ",
            ], methods: ["HEAD", "HEAD"]),
        Case("HTTP/1.1 304 NM\r\nContent-Length: 5\r\n\r\n", ["head 304 NM HTTP/1.1 none Content-Length:5", "end "]),
        Case(
            "HTTP/1.1 204 NC\r\nContent-Length: 5\r\n\r\nhello",
            ["head 204 NC HTTP/1.1 none Content-Length:5", "end ", "rest hello"]),
        Case("HTTP/1.1 205 RC\r\n\r\n", ["head 205 RC HTTP/1.1 none ", "end "]),
        Case(
            "HTTP/1.1 205 RC\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            ["head 205 RC HTTP/1.1 chunked Transfer-Encoding:chunked", "end "]),
        Case(
            "HTTP/1.1 101 SP\r\nUpgrade: x\r\n\r\n\u{01}\r\n\u{02}",
            ["head 101 SP HTTP/1.1 none Upgrade:x", "end ", "rest \\1\\13\\10\\2"]),
        Case(
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n\u{16}",
            ["head 200 OK HTTP/1.1 none Content-Length:5|Transfer-Encoding:chunked", "end ", "rest \\22"],
            methods: ["CONNECT"]),
        Case(
            "HTTP/1.1 407 Auth\r\nContent-Length: 1\r\n\r\nx",
            ["head 407 Auth HTTP/1.1 length(1) Content-Length:1", "body x", "end "], methods: ["CONNECT"]),
        Case(
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n",
            [
                "head 200 OK HTTP/1.1 length(0) Content-Length:0", "end ",
                "rest HTTP/1.1\\32200\\32OK\\13\\10",
            ]),
        Case("HTTP/1.1 408 Timeout\r\n\r\n", ["rest HTTP/1.1\\32408\\32Timeout\\13\\10\\13\\10"], methods: []),
        Case(
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
            ["head 200 OK HTTP/1.1 length(5) Content-Length:5", "body hel", "error 502 unexpectedEnd"]),
        Case(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
            [
                "head 200 OK HTTP/1.1 chunked Transfer-Encoding:chunked", "body hello", "end of chunk",
                "error 502 unexpectedEnd",
            ]),
        Case("", ["error 502 unexpectedEnd"]),
        Case("HTTP/1.1 100 C\r\n\r\n", ["informational 100 C ", "error 502 unexpectedEnd"]),
    ]

    static let bad: [Case] = [
        ("SSH-2.0-x", "notHTTP"), ("\r\nHTTP/1.1 200 OK\r\n\r\n", "notHTTP"),
        ("HTTP/1.1 20 OK\r\n\r\n", "badStatusLine"),
        ("HTTP/1.1 099 OK\r\n\r\n", "badStatusLine"), ("HTTP/1.1 2000 OK\r\n\r\n", "badStatusLine"),
        ("HTTP/1.1  200 OK\r\n\r\n", "badStatusLine"), ("HTTP/1.1 +20 OK\r\n\r\n", "badStatusLine"),
        ("HTTP/1.1\r\n\r\n", "badStatusLine"), ("HTTP/1.1 200\tOK\r\n\r\n", "badStatusLine"),
        ("HTTP/2.0 200 OK\r\n\r\n", "unsupportedVersion"), ("Http/1.1 200 OK\r\n\r\n", "badStatusLine"),
        ("HTTP/1.1 200 O\0K\r\n\r\n", "controlOctet"), ("HTTP/1.1 200 OK\n\r\n", "bareLineFeed"),
        ("HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n", "foldedField"),
        ("HTTP/1.1 200 OK\r\nX : a\r\n\r\n", "spaceBeforeColon"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", "repeatedContentLength"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: +5\r\n\r\n", "repeatedContentLength"),
        ("HTTP/1.1 200 OK\r\nContent-Length: x\r\nContent-Length: x\r\n\r\n", "badContentLength"),
        ("HTTP/1.1 304 OK\r\nContent-Length: -5\r\n\r\n", "badContentLength"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", "lengthWithTransferEncoding"),
        ("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "transferEncodingInHTTP10"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n", "badTransferEncoding"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "unsupportedTransferEncoding"),
        ("HTTP/1.1 205 RC\r\nContent-Length: 1\r\n\r\nx", "contentNotAllowed"),
        ("HTTP/1.1 200 " + String(repeating: "x", count: 17_000) + "\r\n\r\n", "startLineTooLong"),
    ].map { Case($0.0, ["error 502 \($0.1)"]) }

    @Test(arguments: good + bad)
    func readsTheSameHoweverTheInputIsCut(_ sample: Case) {
        let octets = latin1(sample.message)
        let cuts = octets.count > 2_000 ? [[octets[...]]] : splits(of: octets)
        for pieces in cuts {
            let transcript = responseTranscript(pieces, methods: sample.methods)
            guard transcript.lines == sample.expected else {
                Issue.record("cut \(pieces.map(\.count)): \(transcript.lines) instead of \(sample.expected)")
                return
            }
        }
    }

    @Test func keepsReadingUntilTheCloseEvenIfToldEarly() throws {
        var decoder = HTTP1ResponseDecoder()
        decoder.expect(method: "GET")
        decoder.append(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n"))
        _ = try decoder.next()
        decoder.append(ByteBuffer(string: "tail"))
        #expect(try decoder.finish() == .body(ByteBuffer(string: "tail"), endsChunk: false))
        #expect(try decoder.next() == .end(HeaderList()))
    }
}
