import NIOCore
import Testing

@testable import PlayheadProxy

@Suite struct SOCKS5NegotiationTests {
    private func negotiation(_ host: String = "api.example", user: String = "") throws -> SOCKS5Negotiation {
        SOCKS5Negotiation(
            proxy: try UpstreamProxy("socks5://\(user)proxy:1080", setting: "--upstream-proxy"),
            target: Authority(host: host, port: 443))
    }

    private static let success: [UInt8] = [5, 0, 0, 1, 10, 0, 0, 1, 0, 80]

    @Test(arguments: [false, true])
    func asksByNameWithoutCredentials(byOctet: Bool) throws {
        let (sent, last) = Negotiations.run(
            try self.negotiation(), [[5, 0], Self.success], byOctet: byOctet)
        #expect(sent == [[5, 1, 0], [5, 1, 0, 3, 11] + Array("api.example".utf8) + [1, 187]])
        guard case .open(let rest) = last else {
            Issue.record("no tunnel")
            return
        }
        #expect(rest.readableBytes == 0)
    }

    @Test(arguments: [false, true])
    func givesUserAndPassword(byOctet: Bool) throws {
        let (sent, last) = Negotiations.run(
            try self.negotiation(user: "me:pw@"), [[5, 2], [1, 0], Self.success], byOctet: byOctet)
        #expect(sent[..<2] == [[5, 2, 0, 2], [1, 2, 109, 101, 2, 112, 119]])
        guard case .open = last else {
            Issue.record("no tunnel")
            return
        }
    }

    /// Another Playhead asks where the connection came through; others pass over the offer.
    @Test(arguments: [false, true])
    func tellsTheTrailToWhoAsks(byOctet: Bool) throws {
        let proxy = try UpstreamProxy("socks5://me:pw@proxy:1080", setting: "--upstream-proxy")
        let target = Authority(host: "api.example", port: 443)
        func run(_ answers: [[UInt8]]) -> (sent: [[UInt8]], last: TunnelStep) {
            Negotiations.run(
                SOCKS5Negotiation(proxy: proxy, target: target, via: "1.1 playhead-a"), answers, byOctet: byOctet)
        }
        let (sent, last) = run([[5, 0xE7], [5, 2], [1, 0], Self.success])
        #expect(sent[0] == [5, 3, 0, 2, 0xE7])
        #expect(sent[1] == [1, 0, 14] + Array("1.1 playhead-a".utf8))
        #expect(sent[2] == [1, 2, 109, 101, 2, 112, 119])
        guard case .open = last else {
            Issue.record("no tunnel")
            return
        }
        #expect(run([[5, 0], Self.success]).sent.count == 2)
        guard case .failed(let twice) = run([[5, 0xE7], [5, 0xE7]]).last,
            case .failed(let loop) = run([[5, 0], [5, 0xE7, 0, 1, 0, 0, 0, 0, 0, 0]]).last
        else {
            Issue.record("a tunnel")
            return
        }
        #expect(twice.message.contains("not offered"))
        #expect(loop.status == 508)
        #expect(loop.proxyError == "proxy_loop_detected")
    }

    @Test func aTrailThatIsTooLongIsNotTold() throws {
        let negotiation = SOCKS5Negotiation(
            proxy: try UpstreamProxy("socks5://proxy:1080", setting: "--upstream-proxy"),
            target: Authority(host: "api.example", port: 443), via: String(repeating: "x", count: 2000))
        #expect(Negotiations.run(negotiation, [[5, 0]], byOctet: false).sent.first == [5, 1, 0])
    }

    @Test func sendsAddressesAsAddresses() throws {
        let four = Negotiations.run(try self.negotiation("10.1.2.3"), [[5, 0]], byOctet: false).sent[1]
        #expect(four == [5, 1, 0, 1, 10, 1, 2, 3, 1, 187])
        let six = Negotiations.run(try self.negotiation("::1"), [[5, 0]], byOctet: false).sent[1]
        #expect(six == [5, 1, 0, 4] + [UInt8](repeating: 0, count: 15) + [1, 1, 187])
    }

    @Test(arguments: [[5, 0, 0, 3, 2, 65, 66, 0, 80], [5, 0, 0, 4] + [UInt8](repeating: 1, count: 18)])
    func takesEveryKindOfBoundAddress(reply: [UInt8]) throws {
        let (_, last) = Negotiations.run(try self.negotiation(), [[5, 0], reply + [9, 9]], byOctet: false)
        guard case .open(let rest) = last else {
            Issue.record("no tunnel")
            return
        }
        #expect(Array(buffer: rest) == [9, 9])
    }

    @Test(arguments: [
        (UInt8(1), 502, "failed to connect"), (2, 502, "does not allow"), (3, 502, "no network"),
        (4, 502, "cannot reach"),
        (5, 502, "was refused"), (6, 504, "no answer in time"), (7, 502, "CONNECT"), (8, 502, "address"),
        (200, 502, "failed to connect"),
    ])
    func saysWhyItWasRefused(code: UInt8, status: Int, words: String) throws {
        for reply in [[5, code], [5, code, 0, 1, 0, 0, 0, 0, 0, 0]] {
            let (_, last) = Negotiations.run(try self.negotiation(), [[5, 0], reply], byOctet: false)
            guard case .failed(let failure) = last else {
                Issue.record("no failure")
                return
            }
            #expect(failure.status == status)
            #expect(failure.message.contains(words))
            #expect(!failure.isRecorded)
        }
    }

    @Test(arguments: [
        [[UInt8(5), 255]], [[5, 2]], [[72, 84, 84, 80]], [[4, 0]], [[5, 0], [5, 0, 0, 9, 1, 1, 1, 1, 1, 1]],
    ])
    func refusesOddAnswers(answers: [[UInt8]]) throws {
        let (_, last) = Negotiations.run(try self.negotiation(), answers, byOctet: false)
        guard case .failed(let failure) = last else {
            Issue.record("no failure")
            return
        }
        #expect(failure.message.contains("--upstream-proxy"))
    }

    @Test func saysWhenItsCredentialsAreNotTaken() throws {
        for answers in [[[UInt8(5), 255]], [[5, 2], [1, 1]]] {
            let (_, last) = Negotiations.run(try self.negotiation(user: "me:pw@"), answers, byOctet: false)
            guard case .failed(let failure) = last else {
                Issue.record("no failure")
                return
            }
            #expect(failure.message.contains("does not accept the user name and password"))
        }
    }
}
