import PlayheadHTTP
import Testing

@Suite struct HTTP1LimitsTests {
    static let limits = HTTP1Limits(
        startLine: 30, field: 20, headBytes: 100, fieldCount: 4, chunkExtensionBytes: 10, trailerBytes: 30,
        leadingEmptyLines: 1)

    private func check(_ message: String, _ last: String) {
        for pieces in splits(of: latin1(message)) {
            let transcript = requestTranscript(pieces, limits: Self.limits)
            guard transcript.lines.last == last else {
                Issue.record("cut \(pieces.map(\.count)): \(transcript) instead of \(last)")
                return
            }
        }
    }

    private func x(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test func boundsTheRequestLine() {
        self.check("GET /\(self.x(16)) HTTP/1.1\r\nHost: a\r\n\r\n", "end ")
        self.check("GET /\(self.x(17)) HTTP/1.1\r\nHost: a\r\n\r\n", "error 414 startLineTooLong")
        self.check(self.x(31), "error 414 startLineTooLong")
    }

    @Test func boundsOneField() {
        self.check("GET / HTTP/1.1\r\nHost: a\r\nX: \(self.x(17))\r\n\r\n", "end ")
        self.check("GET / HTTP/1.1\r\nHost: a\r\nX: \(self.x(18))\r\n\r\n", "error 431 fieldTooLong")
        self.check("GET / HTTP/1.1\r\nHost: a\r\n\(self.x(21))", "error 431 fieldTooLong")
    }

    @Test func boundsTheNumberOfFields() {
        self.check("GET / HTTP/1.1\r\nHost: a\r\nA:\r\nB:\r\nC:\r\n\r\n", "end ")
        self.check("GET / HTTP/1.1\r\nHost: a\r\nA:\r\nB:\r\nC:\r\nD:\r\n\r\n", "error 431 tooManyFields")
    }

    @Test func boundsTheHead() {
        let field = "A: \(self.x(17))\r\n"
        self.check("GET /\(self.x(14)) HTTP/1.1\r\nHost: a\r\n\(field)\(field)\r\n", "end ")
        self.check("GET /\(self.x(14)) HTTP/1.1\r\nHost: a\r\n\(field)\(field)\(field)\r\n", "error 431 headTooLong")
    }

    @Test func boundsTrailersAndExtensions() {
        let head = "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        let limits = HTTP1Limits(chunkExtensionBytes: 10, trailerBytes: 30)
        for (body, last) in [
            ("1;aaaaa\r\nx\r\n0;aaa\r\n\r\n", "end "),
            ("1;aaaaa\r\nx\r\n0;aaaa\r\n\r\n", "error 400 chunkExtensionsTooLong"),
            ("0\r\nA: \(self.x(17))\r\n\r\n", "end A:\(self.x(17))"),
            ("0\r\nA: \(self.x(17))\r\nB: \(self.x(17))\r\n\r\n", "error 431 trailersTooLong"),
        ] {
            for pieces in splits(of: latin1(head + body)) {
                #expect(requestTranscript(pieces, limits: limits).lines.last == last)
            }
        }
    }

    @Test func boundsEmptyLines() {
        self.check("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "end ")
        self.check("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "error 400 tooManyEmptyLines")
    }

    @Test func holdsTheStandardLimits() {
        let fields = String(repeating: "A: b\r\n", count: 500)
        let transcript = requestTranscript([latin1("GET / HTTP/1.0\r\n\(fields)\r\n")[...]])
        #expect(transcript.lines.last == "end ")
        let more = requestTranscript([latin1("GET / HTTP/1.0\r\n\(fields)A: b\r\n\r\n")[...]])
        #expect(more.lines == ["error 431 tooManyFields"])
        let endless = requestTranscript(Array(repeating: latin1(self.x(1_000))[...], count: 20))
        #expect(endless.lines == ["error 414 startLineTooLong"])
    }
}
