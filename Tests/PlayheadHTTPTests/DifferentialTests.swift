import NIOCore
import NIOEmbedded
import NIOHTTP1
import PlayheadHTTP
import PlayheadTestSupport
import Testing

/// Our decoders against NIOHTTP1 (llhttp): we may refuse more, but what both read must read the same.
@Suite struct DifferentialTests {
    /// One complete message, as text that both decoders can give.
    struct Message: Equatable, CustomStringConvertible {
        var start = ""
        var fields: [String] = []
        var body: [UInt8] = []
        var trailers: [String] = []
        var isComplete = false
        var description: String { "\(self.start) \(self.fields) \(self.body.count) \(self.trailers)" }
    }

    static func text(_ list: HeaderList) -> [String] {
        list.indices.map { index in
            list.withName(at: index) { String(decoding: $0, as: UTF8.self) } + ": "
                + list.withValue(at: index) { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// llhttp leaves white space after a value in place, which RFC 9112 section 5.1 does not count to it.
    static func text(_ headers: HTTPHeaders) -> [String] {
        headers.map { field in
            let tail = field.value.utf8.reversed().prefix { $0 == 0x20 || $0 == 0x09 }.count
            return "\(field.name): \(field.value.dropLast(tail))"
        }
    }

    /// Our decoder drops trailers that frame or route; those of the samples that may stay begin with x.
    static func trailers(_ headers: HTTPHeaders?) -> [String] {
        Self.text(headers ?? [:]).filter { $0.lowercased().hasPrefix("x") }
    }

    static func ours(request octets: [UInt8]) -> [Message] {
        var decoder = HTTP1RequestDecoder()
        decoder.append(ByteBuffer(bytes: octets))
        var messages: [Message] = []
        while let part = try? decoder.next() {
            switch part {
            case .head(let head, _):
                messages.append(
                    Message(start: "\(head.method) \(head.target) \(head.version)", fields: Self.text(head.headers)))
            case .body(let octets, _): messages[messages.count - 1].body += octets.readableBytesView
            case .end(let trailers):
                messages[messages.count - 1].trailers = Self.text(trailers)
                messages[messages.count - 1].isComplete = true
            }
        }
        return messages
    }

    static func theirs(request octets: [UInt8]) throws -> [Message] {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
        _ = try? channel.writeInbound(ByteBuffer(bytes: octets))
        var messages: [Message] = []
        while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
            switch part {
            case .head(let head):
                messages.append(
                    Message(start: "\(head.method) \(head.uri) \(head.version)", fields: Self.text(head.headers)))
            case .body(let octets): messages[messages.count - 1].body += octets.readableBytesView
            case .end(let trailers):
                messages[messages.count - 1].trailers = Self.trailers(trailers)
                messages[messages.count - 1].isComplete = true
            }
        }
        _ = try? channel.finish(acceptAlreadyClosed: true)
        return messages
    }

    static func ours(response octets: [UInt8], method: String) -> [Message] {
        var decoder = HTTP1ResponseDecoder()
        decoder.expect(method: method)
        decoder.append(ByteBuffer(bytes: octets))
        var messages: [Message] = []
        func take(_ part: ResponsePart) {
            switch part {
            case .informational: break
            case .head(let head, _):
                messages.append(Message(start: "\(head.status) \(head.version)", fields: Self.text(head.headers)))
            case .body(let octets, _): messages[messages.count - 1].body += octets.readableBytesView
            case .end(let trailers):
                messages[messages.count - 1].trailers = Self.text(trailers)
                messages[messages.count - 1].isComplete = true
            }
        }
        while let part = try? decoder.next() { take(part) }
        if let part = try? decoder.finish() { take(part) }
        return messages
    }

    static func theirs(response octets: [UInt8], method: String) throws -> [Message] {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(HTTPResponseDecoder()))
        let head = HTTPRequestHead(version: .http1_1, method: HTTPMethod(rawValue: method), uri: "/")
        _ = try? channel.writeOutbound(HTTPClientRequestPart.head(head))
        _ = try? channel.writeInbound(ByteBuffer(bytes: octets))
        _ = try? channel.finish(acceptAlreadyClosed: true)
        var messages: [Message] = []
        while let part = try channel.readInbound(as: HTTPClientResponsePart.self) {
            switch part {
            case .head(let head):
                let version = "HTTP/\(head.version.major).\(head.version.minor)"
                messages.append(Message(start: "\(head.status.code) \(version)", fields: Self.text(head.headers)))
            case .body(let octets): messages[messages.count - 1].body += octets.readableBytesView
            case .end(let trailers):
                messages[messages.count - 1].trailers = Self.trailers(trailers)
                messages[messages.count - 1].isComplete = true
            }
        }
        return messages
    }

    static let fieldSamples = [
        "Content-Length: 5", "Content-Length: 0", "content-length: 11", "Content-Length: 05", "Content-Length: 5, 5",
        "Content-Length: +5", "Content-Length:5 ", "Content-Length: \t5\t", "Transfer-Encoding: chunked",
        "transfer-encoding:CHUNKED ", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked, chunked",
        "Transfer-Encoding: identity", "Transfer-Encoding: xchunked", "Transfer-Encoding : chunked",
        "Connection: close", "Connection: keep-alive", "X-A:  spaced \t", "X-B:", "X-C: \u{E9}", "X-D: a:b: c",
        "X E: f", " folded", "X-F: a\0b", "X-G: a\rb", "X-H: a\nContent-Length: 3", "Host: b", "X\u{E9}: y", ": z",
    ]

    static let bodySamples = [
        "", "hello", "hello world", "5\r\nhello\r\n0\r\n\r\n", "5;a=b\r\nhello\r\n6\r\n world\r\n0\r\nX-T: u\r\n\r\n",
        "0005\r\nhello\r\n000\r\n\r\n", "5 \r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n", "5\nhello\n0\n\n",
        "5\r\nhelloX\r\n0\r\n\r\n", "5\r\nhello\r\n0\r\nContent-Length: 3\r\nx: y\r\n\r\n",
        "A\r\n0123456789\r\n0\r\n\r\n",
        "fffffffffffffffff\r\nhello", "5;\r\nhello\r\n0\r\n\r\n", "\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n\r\n",
    ]

    static func sample(_ starts: [String], _ generator: inout SeededGenerator) -> [UInt8] {
        var octets: [UInt8] = []
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            var message = starts.randomElement(using: &generator) ?? ""
            if Int.random(in: 0..<20, using: &generator) > 0 { message += "Host: a\r\n" }
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                message += (Self.fieldSamples.randomElement(using: &generator) ?? "") + "\r\n"
            }
            message += "\r\n" + (Self.bodySamples.randomElement(using: &generator) ?? "")
            octets += latin1(message)
        }
        // One time in four, one octet changes, goes or comes twice.
        if Int.random(in: 0..<4, using: &generator) == 0, !octets.isEmpty {
            let index = Int.random(in: octets.indices, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: octets[index] = UInt8.random(in: 0...255, using: &generator)
            case 1: octets.remove(at: index)
            default: octets.insert(octets[index], at: index)
            }
        }
        return octets
    }

    /// How often both read a message, so that a run that compares nothing does not pass.
    static func compare(_ ours: [Message], _ theirs: [Message], _ octets: [UInt8]) -> Int {
        var compared = 0
        for (our, their) in zip(ours, theirs) where our.isComplete && their.isComplete {
            guard our == their else {
                Issue.record(
                    "\(our) is \(their) to llhttp: \(String(decoding: octets, as: UTF8.self).debugDescription)")
                return compared
            }
            compared += 1
        }
        return compared
    }

    @Test(arguments: 0..<8) func readsRequestsAsLLHTTPDoes(_ seed: Int) throws {
        let starts = [
            "GET / HTTP/1.1\r\n", "POST /p?q HTTP/1.1\r\n", "PUT http://a/ HTTP/1.0\r\n", "\r\nHEAD * HTTP/1.1\r\n",
            "DELETE / HTTP/1.1 \r\n", "GET  / HTTP/1.1\r\n", "GET /\u{E9} HTTP/1.1\r\n",
        ]
        var generator = SeededGenerator(state: UInt64(seed))
        var compared = 0
        for _ in 0..<1_000 {
            let octets = Self.sample(starts, &generator)
            compared += Self.compare(Self.ours(request: octets), try Self.theirs(request: octets), octets)
        }
        #expect(compared > 150)
    }

    @Test(arguments: 0..<8) func readsResponsesAsLLHTTPDoes(_ seed: Int) throws {
        let starts = [
            "HTTP/1.1 200 OK\r\n", "HTTP/1.0 200 OK\r\n", "HTTP/1.1 404\r\n", "HTTP/1.1 204 No\r\n",
            "HTTP/1.1 304 NM\r\n", "HTTP/1.1 500 caf\u{E9}\r\n", "HTTP/1.1 20 x\r\n",
        ]
        var generator = SeededGenerator(state: UInt64(seed) + 1_000)
        var compared = 0
        for round in 0..<1_000 {
            let octets = Self.sample(starts, &generator)
            let method = round % 5 == 0 ? "HEAD" : "GET"
            let ours = Self.ours(response: octets, method: method)
            compared += Self.compare(ours, try Self.theirs(response: octets, method: method), octets)
        }
        #expect(compared > 100)
    }
}
