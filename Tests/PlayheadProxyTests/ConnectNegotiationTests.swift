import NIOCore
import Testing

@testable import PlayheadProxy

/// What a negotiation says to a proxy, octet by octet, and what it makes of the answers.
enum Negotiations {
    /// Runs a transcript: answers arrive whole or one octet at a time; the result is what was sent and the last step.
    static func run(
        _ negotiation: any TunnelNegotiation, _ answers: [[UInt8]], byOctet: Bool
    ) -> (sent: [[UInt8]], last: TunnelStep) {
        var negotiation = negotiation
        var sent = [Array(buffer: negotiation.start())]
        for answer in answers {
            let pieces = byOctet ? answer.map { [$0] } : [answer]
            for piece in pieces {
                switch negotiation.receive(ByteBuffer(bytes: piece)) {
                case .wait: break
                case .send(let octets): sent.append(Array(buffer: octets))
                case .open(let rest): return (sent, .open(rest))
                case .failed(let failure): return (sent, .failed(failure))
                }
            }
        }
        return (sent, .wait)
    }
}

@Suite struct ConnectNegotiationTests {
    private static let target = Authority(host: "api.example", port: 443)

    private func run(
        _ answer: String, url: String = "http://user:pass@proxy:3128", byOctet: Bool = false
    ) throws -> (sent: String, last: TunnelStep) {
        let negotiation = ConnectNegotiation(
            proxy: try UpstreamProxy(url, setting: "--upstream-proxy"), target: Self.target, fields: [("X-Own", "1")])
        let (sent, last) = Negotiations.run(negotiation, [Array(answer.utf8)], byOctet: byOctet)
        return (String(decoding: sent.joined(), as: UTF8.self), last)
    }

    @Test func asksWithHostAndCredentials() throws {
        let expected = """
            CONNECT api.example:443 HTTP/1.1\r
            Host: api.example:443\r
            Proxy-Authorization: Basic dXNlcjpwYXNz\r
            X-Own: 1\r
            \r\n
            """
        #expect(try self.run("").sent == expected)
        #expect(try !self.run("", url: "http://proxy").sent.contains("Authorization"))
    }

    @Test(arguments: [false, true])
    func opensAndKeepsWhatTheOriginSentFirst(byOctet: Bool) throws {
        let answer = "HTTP/1.1 103 Early\r\n\r\nHTTP/1.0 200 Connection established\r\nContent-Length: 9\r\n\r\n"
        guard case .open(let rest) = try self.run(answer + "220 hi", byOctet: byOctet).last else {
            Issue.record("no tunnel")
            return
        }
        #expect(byOctet ? rest.readableBytes == 0 : rest == ByteBuffer(string: "220 hi"))
    }

    @Test(arguments: [
        (407, 502, "proxy_configuration_error"), (403, 502, "http_request_denied"),
        (502, 502, "destination_unavailable"),
        (504, 504, "connection_timeout"), (508, 508, "proxy_loop_detected"), (302, 502, "http_request_denied"),
    ])
    func saysWhatTheProxyAnswered(status: Int, ours: Int, error: String) throws {
        let step = try self.run("HTTP/1.1 \(status) Said So\r\nContent-Length: 0\r\n\r\n").last
        guard case .failed(let failure) = step else {
            Issue.record("no failure")
            return
        }
        #expect(failure.status == ours)
        #expect(failure.proxyError == error)
        #expect(!failure.isRecorded)
        #expect(failure.message.contains("http://proxy:3128"))
        #expect(!failure.message.contains("pass@"))
        #expect(failure.message.contains(status == 407 ? "--upstream-proxy" : "\(status) Said So"))
    }

    @Test func asksForCredentialsOnlyWhenThereAreNone() throws {
        let answer = "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"
        guard case .failed(let without) = try self.run(answer, url: "http://proxy:3128").last,
            case .failed(let with) = try self.run(answer).last
        else {
            Issue.record("no failure")
            return
        }
        #expect(without.message.contains("http://USER:PASSWORD@proxy:3128"))
        #expect(with.message.contains("does not accept"))
    }

    @Test(arguments: [
        "SSH-2.0-x\r\n", "HTTP/1.1 200 OK\r\nbad header\r\n\r\n",
        String(repeating: "HTTP/1.1 103 E\r\n\r\n", count: 40),
    ])
    func refusesWhatIsNoProxy(answer: String) throws {
        guard case .failed(let failure) = try self.run(answer).last else {
            Issue.record("no failure")
            return
        }
        #expect(failure.message.contains("did not answer as one"))
        #expect(failure.message.contains("--upstream-proxy"))
    }
}
