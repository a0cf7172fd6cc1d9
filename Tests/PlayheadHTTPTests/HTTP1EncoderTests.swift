import NIOCore
import PlayheadHTTP
import PlayheadTestSupport
import Testing

@Suite struct HTTP1EncoderTests {
    private func text(_ write: (inout ByteBuffer) -> Void) -> String {
        var buffer = ByteBuffer()
        write(&buffer)
        return String(buffer: buffer)
    }

    @Test func writesHeads() {
        let headers = HeaderList([("Host", "a"), ("X", "y")])
        #expect(
            self.text { HTTP1Encoder.write(RequestHead(method: "GET", target: "/é", headers: headers), into: &$0) }
                == "GET /é HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n")
        #expect(
            self.text {
                HTTP1Encoder.write(ResponseHead(status: 204, reason: "", version: .http1_0), into: &$0)
            } == "HTTP/1.0 204 \r\n\r\n")
        #expect(
            self.text { HTTP1Encoder.write(ResponseHead(status: 200, reason: "OK", version: .http2), into: &$0) }
                == "HTTP/1.1 200 OK\r\n\r\n")
    }

    @Test(arguments: [-1, 0, 7, 99, 1_000, Int.max, Int.min])
    func alwaysWritesThreeDigits(_ status: Int) {
        #expect(
            self.text { HTTP1Encoder.write(ResponseHead(status: status, reason: "x"), into: &$0) }
                == "HTTP/1.1 500 x\r\n\r\n")
    }

    @Test func letsNothingBreakOutOfTheStartLine() {
        #expect(
            self.text { HTTP1Encoder.write(ResponseHead(status: 200, reason: "a\r\nX: y\0"), into: &$0) }
                == "HTTP/1.1 200 a  X: y \r\n\r\n")
        #expect(
            self.text { HTTP1Encoder.write(RequestHead(method: "G T\r\n", target: "/a b\r\nX"), into: &$0) }
                == "G-T-- /a?b??X HTTP/1.1\r\n\r\n")
        #expect(
            self.text { HTTP1Encoder.write(RequestHead(method: "", target: ""), into: &$0) }
                == "- / HTTP/1.1\r\n\r\n")
    }

    @Test func writesChunks() {
        for (length, size) in [(1, "1"), (15, "f"), (16, "10"), (255, "ff"), (4_096, "1000"), (74_565, "12345")] {
            #expect(self.text { HTTP1Encoder.writeChunkHeader(length: length, into: &$0) } == "\(size)\r\n")
        }
        #expect(
            self.text { HTTP1Encoder.writeChunkHeader(length: .max, into: &$0) } == "7fffffffffffffff\r\n")
        #expect(self.text { HTTP1Encoder.writeChunk(ByteBuffer(string: "hi"), into: &$0) } == "2\r\nhi\r\n")
        #expect(
            self.text { HTTP1Encoder.writeLastChunk(trailers: HeaderList([("A", "b")]), into: &$0) }
                == "0\r\nA: b\r\n\r\n")
    }

    @Test func neverEndsABodyByAnEmptyChunk() {
        #expect(self.text { HTTP1Encoder.writeChunk(ByteBuffer(), into: &$0) } == "")
        #expect(self.text { HTTP1Encoder.writeChunkHeader(length: 0, into: &$0) } == "")
        #expect(self.text { HTTP1Encoder.writeChunkHeader(length: -1, into: &$0) } == "")
    }

    /// Random messages, written and read back: nothing may change.
    @Test(arguments: 0..<200)
    func readsBackWhatItWrote(_ seed: Int) {
        var generator = SeededGenerator(state: UInt64(seed))
        let tokens = Array("!#$%&'*+-.^_`|~09azAZ".utf8)
        func token() -> String {
            String(
                decoding: (0..<Int.random(in: 1...20, using: &generator)).map { _ in
                    tokens.randomElement(using: &generator) ?? 0x61
                }, as: UTF8.self)
        }
        func value() -> [UInt8] {
            let body = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
                UInt8.random(in: 0x21...0xFF, using: &generator)
            }
            return body.filter { $0 != 0x7F }
        }
        var head = RequestHead(method: token(), target: "/" + token())
        head.headers.append(name: "Host", value: "a")
        for _ in 0..<Int.random(in: 0...20, using: &generator) {
            head.headers.append(name: "x-" + token(), octets: value())
        }
        var trailers = HeaderList()
        for _ in 0..<Int.random(in: 0...3, using: &generator) { trailers.append(name: "x-" + token(), octets: value()) }
        let bodies = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
            ByteBuffer(
                bytes: (0..<Int.random(in: 1...100, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                })
        }
        let isChunked = Bool.random(using: &generator)
        let length = bodies.reduce(0) { $0 + $1.readableBytes }
        head.headers.append(
            name: isChunked ? "Transfer-Encoding" : "Content-Length", value: isChunked ? "chunked" : "\(length)")

        var expected = Transcript()
        expected.add(RequestPart.head(head, isChunked ? .chunked : .length(length)))
        for body in bodies { expected.add(RequestPart.body(body, endsChunk: isChunked)) }
        expected.add(RequestPart.end(isChunked ? trailers : HeaderList()))

        var wire = ByteBuffer()
        HTTP1Encoder.write(head, into: &wire)
        for body in bodies {
            if isChunked { HTTP1Encoder.writeChunk(body, into: &wire) } else { wire.writeImmutableBuffer(body) }
        }
        if isChunked { HTTP1Encoder.writeLastChunk(trailers: trailers, into: &wire) }
        let octets = Array(wire.readableBytesView)
        for pieces in [[octets[...]], octets.indices.map { octets[$0...$0] }] {
            #expect(requestTranscript(pieces) == expected)
        }
    }
}
