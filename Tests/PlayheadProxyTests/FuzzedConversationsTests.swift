import NIOCore
import NIOHPACK
import PlayheadHTTP
import PlayheadTestSupport
import Testing

@testable import PlayheadProxy

/// What clients and proxies may send in place of what they should: nothing traps, and no cut makes a difference.
@Suite struct FuzzedConversationsTests {
    /// Some octets changed, and perhaps the end cut off or made longer.
    private static func changed(_ octets: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var octets = octets
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            octets[Int.random(in: octets.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        if Bool.random(using: &generator) { octets.removeLast(Int.random(in: 0..<octets.count, using: &generator)) }
        for _ in 0..<Int.random(in: 0...8, using: &generator) {
            octets.append(UInt8.random(in: 0...255, using: &generator))
        }
        return octets
    }

    private static func steps(_ pieces: [[UInt8]], needsPassword: Bool) -> [String] {
        var conversation = SOCKSConversation(needsPassword: needsPassword)
        var steps: [String] = []
        for piece in pieces {
            conversation.append(ByteBuffer(bytes: piece))
            while true {
                let step = conversation.next()
                if case .wait = step { break }
                // What follows the request may not have come yet.
                if case .connect(let authority, _) = step {
                    steps.append("\(authority)")
                } else {
                    steps.append("\(step)")
                }
                if case .authenticate = step { steps.append("\(conversation.authenticated())") }
            }
        }
        return steps
    }

    @Test(arguments: [false, true]) func socksClients(needsPassword: Bool) {
        var generator = SeededGenerator(state: 1928)
        let login: [UInt8] = [5, 2, 0, 2, 1, 2, 109, 101, 3, 112, 58, 119]
        let requests: [[UInt8]] = [
            [5, 1, 0, 3, 5] + Array("a.com".utf8) + [1, 187], [5, 1, 0, 1, 10, 0, 0, 1, 0, 80],
            [5, 1, 0, 4] + [UInt8](repeating: 1, count: 16) + [0, 80],
        ]
        for round in 0..<3000 {
            let start = round.isMultiple(of: 2) ? login : [5, 1, 0]
            let octets = Self.changed(start + requests[round % 3], &generator)
            #expect(
                Self.steps([octets], needsPassword: needsPassword)
                    == Self.steps(octets.map { [$0] }, needsPassword: needsPassword), "round \(round): \(octets)")
        }
    }

    @Test func socksProxies() throws {
        var generator = SeededGenerator(state: 1929)
        let proxy = try UpstreamProxy("socks5://me:pw@proxy:1080", setting: "--upstream-proxy")
        var opened = 0
        for _ in 0..<3000 {
            var negotiation = SOCKS5Negotiation(proxy: proxy, target: Authority(host: "a.example", port: 443))
            _ = negotiation.start()
            for octet in Self.changed([5, 2, 1, 0, 5, 0, 0, 1, 10, 0, 0, 1, 0, 80], &generator) {
                switch negotiation.receive(ByteBuffer(bytes: [octet])) {
                case .wait, .send: continue
                case .open: opened += 1
                case .failed: break
                }
                break
            }
        }
        #expect(opened > 100, "some come through")
    }

    /// What is taken as a request can be written in HTTP/1, and reads as that one request.
    @Test func fieldsOfHTTP2() throws {
        var generator = SeededGenerator(state: 9113)
        // NIOHTTP2 lets no other kinds of names through, and these pseudo-header fields once and in front.
        let names = ["host", "cookie", "x-a", "content-length", "accept", "content-type", "date"]
        let pseudo = [":method", ":scheme", ":authority", ":path"]
        let values = [
            "GET", "/", "/a b", "https", "http", "a.test", "a.test:443", "", " a", "a\r\nb: c", "a\u{0}", "5", "-1",
            "chunked",
            "a=b", "200", "99", "é", "*", "b.test", "close",
        ]
        let door = Door.tunnel(Authority(host: "a.test", port: 443), isSecure: true)
        var taken = 0
        for round in 0..<6000 {
            var fields = [(":method", "GET"), (":scheme", "https"), (":authority", "a.test"), (":path", "/x")]
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let field = (
                    names.randomElement(using: &generator) ?? "", values.randomElement(using: &generator) ?? ""
                )
                fields.append(field)
            }
            if Bool.random(using: &generator), let place = pseudo.indices.randomElement(using: &generator) {
                fields[place] = (pseudo[place], values.randomElement(using: &generator) ?? "")
            }
            let block = HPACKHeaders(fields)
            _ = try? HTTP2Fields.response(block, toHead: round.isMultiple(of: 2))
            _ = try? HTTP2Fields.trailers(block)
            guard let (asked, framing) = try? HTTP2Fields.request(block, endsStream: true, through: door),
                case .exchange(let request)? = try? RequestIntent(asked, framing, through: door)
            else { continue }
            let head = request.head
            taken += 1
            var head1 = head
            head1.version = .http1_1
            var wire = ByteBuffer()
            HTTP1Encoder.write(head1, into: &wire)
            var decoder = HTTP1RequestDecoder()
            decoder.append(wire)
            guard case .head(let read, _) = try decoder.next() else {
                Issue.record("round \(round): \(fields) is no request in HTTP/1")
                continue
            }
            #expect(read.method == head.method && read.target == head.target, "round \(round): \(fields)")
            // By names: white space at the end, as behind a last empty cookie, does not come through.
            #expect("\(read.headers)" == "\(head.headers)", "round \(round): \(fields)")
            _ = try decoder.next()
            #expect(decoder.bufferedBytes == 0, "round \(round): \(fields)")
        }
        #expect(taken > 500, "some are taken: \(taken)")
    }
}
