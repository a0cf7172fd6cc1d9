import NIOCore
import PlayheadHTTP

/// Times the steps that every exchange pays for; prints the best of several rounds, in µs per operation.
@main
struct HTTP1Bench {
    static let request = ByteBuffer(
        string: """
            GET http://api.example.com/v1/items?limit=50&cursor=abcdef HTTP/1.1\r
            Host: api.example.com\r
            User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)\r
            Accept: application/json, text/plain;q=0.9, */*;q=0.8\r
            Accept-Encoding: gzip, deflate, br, zstd\r
            Accept-Language: en-GB,en;q=0.9,de;q=0.8\r
            Authorization: Bearer 0123456789abcdef0123456789abcdef0123456789abcdef\r
            Cookie: session=0123456789abcdef0123456789abcdef; theme=dark\r
            Cache-Control: no-cache\r
            X-Request-Id: 6f1c2f0e-8f3b-4a53-9a53-1f2d3c4b5a69\r
            Connection: keep-alive\r
            \r

            """)

    static let response = ByteBuffer(
        string: """
            HTTP/1.1 200 OK\r
            Date: Sun, 06 Nov 1994 08:49:37 GMT\r
            Content-Type: application/json; charset=utf-8\r
            Content-Length: 0\r
            Connection: keep-alive\r
            Cache-Control: max-age=0, private, must-revalidate\r
            ETag: W/"0123456789abcdef"\r
            Vary: Accept-Encoding, Origin\r
            X-Request-Id: 6f1c2f0e-8f3b-4a53-9a53-1f2d3c4b5a69\r
            Strict-Transport-Security: max-age=31536000\r
            Server: example\r
            \r

            """)

    static func measure(_ name: String, count: Int = 200_000, _ body: () throws -> Int) rethrows {
        var best = Duration.seconds(1_000)
        var sum = 0
        for _ in 0..<7 {
            let clock = ContinuousClock()
            let start = clock.now
            for _ in 0..<count { sum &+= try body() }
            best = min(best, clock.now - start)
        }
        let nanoseconds = Int(best / .nanoseconds(1)) / count
        let fraction = String(nanoseconds % 1_000)
        let padding = String(repeating: "0", count: 3 - fraction.utf8.count)
        print("\(nanoseconds / 1_000).\(padding)\(fraction) µs  \(name)  (\(sum & 1))")
    }

    /// A buffer of its own per message, as a socket read gives.
    static func fresh(_ buffer: ByteBuffer) -> ByteBuffer { ByteBuffer(bytes: buffer.readableBytesView) }

    static func main() throws {
        print("request head \(Self.request.readableBytes) octets, response head \(Self.response.readableBytes) octets")
        Self.measure("copy into a new buffer (contained in the decode figures)") {
            Self.fresh(Self.request).readableBytes
        }
        var requests = HTTP1RequestDecoder()
        try Self.measure("decode a request: head and end") {
            requests.append(Self.fresh(Self.request))
            var parts = 0
            while try requests.next() != nil { parts += 1 }
            return parts
        }
        var responses = HTTP1ResponseDecoder()
        try Self.measure("decode a response: head and end") {
            responses.expect(method: "GET")
            responses.append(Self.fresh(Self.response))
            var parts = 0
            while try responses.next() != nil { parts += 1 }
            return parts
        }
        try Self.measureHeads()
    }

    static func measureHeads() throws {
        var decoder = HTTP1RequestDecoder()
        decoder.append(Self.request)
        guard case .head(let head, _) = try decoder.next() else { return }
        Self.measure("look up the last of 10 fields") { head.headers.firstIndex(of: "connection") ?? 0 }
        Self.measure("look up a field that is not there") { head.headers.firstIndex(of: "x-request-ie") ?? 0 }
        try Self.measure("parse an absolute target") {
            try RequestTarget.parse(head.target, method: head.method).pathAndQuery.utf8.count
        }
        Self.measure("remove hop-by-hop fields: Connection") {
            var headers = head.headers
            HopByHop.removeFromRequest(&headers)
            return headers.count
        }
        var clean = head.headers
        clean.remove("Connection")
        Self.measure("remove hop-by-hop fields: none there") {
            var headers = clean
            HopByHop.removeFromRequest(&headers)
            return headers.count
        }
        Self.measure("set one value") {
            var headers = head.headers
            headers.set("Host", "other.example.com")
            return headers.count
        }
        var output = ByteBuffer()
        output.reserveCapacity(4_096)
        Self.measure("write a request head") {
            output.clear()
            HTTP1Encoder.write(head, into: &output)
            return output.readableBytes
        }
        var reply = HTTP1ResponseDecoder()
        reply.expect(method: "GET")
        reply.append(Self.response)
        guard case .head(let answer, _) = try reply.next() else { return }
        Self.measure("write a response head") {
            output.clear()
            HTTP1Encoder.write(answer, into: &output)
            return output.readableBytes
        }
    }
}
