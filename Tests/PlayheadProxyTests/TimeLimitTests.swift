import Foundation
import NIOCore
import PlayheadEngine
import Testing

@testable import PlayheadProxy

/// Limits in time and the end of the server.
@Suite struct TimeLimitTests {
    private static func settings(_ change: (inout ProxyTimeouts) -> Void) -> ProxySettings {
        var timeouts = ProxyTimeouts()
        change(&timeouts)
        return ProxySettings(timeouts: timeouts)
    }

    @Test func answers408ToAHeadThatDoesNotArrive() async throws {
        try await TestProxy.run(settings: Self.settings { $0.head = 0 }) { proxy in
            let client = try proxy.client()
            try client.send("GET http://a.example/ HTTP/1.1\r\nHost:")
            let (text, end) = client.readToEnd()
            #expect(text.hasPrefix("HTTP/1.1 408 "))
            #expect(end == .closed)
        }
    }

    @Test func closesIdleConnections() async throws {
        try await TestProxy.run(settings: Self.settings { $0.keepAlive = 0 }) { proxy in
            let client = try proxy.client()
            #expect(client.readToEnd() == ("", .closed))
        }
    }

    @Test func namesTheWayOutForATunnelInWhichTheServerShouldSpeakFirst() async throws {
        try await TestProxy.run(settings: Self.settings { $0.handshake = 0 }) { proxy in
            let client = try proxy.tunnel(to: "db.example:3306")
            #expect(client.readToEnd().text.contains("--tunnel db.example"))
        }
    }

    @Test func answers504ToAnOriginThatSaysNothing() async throws {
        let origin = try Origin { wire, _, _ in _ = wire.readToEnd() }
        defer { origin.stop() }
        let summary = try await TestProxy.run(.all, settings: Self.settings { $0.idle = 0 }) { proxy in
            let client = try proxy.client()
            try client.send("GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.status == 504)
            #expect(response.fields["proxy-status"]?.contains("http_response_timeout") == true)
        }
        #expect(summary.failed == 1)
    }

    @Test func theWaitForAResponseHasALimitOfItsOwn() async throws {
        let late = Event()
        let origin = try Origin { wire, number, origin in
            origin.note(try wire.readRequest())
            guard number == 1 else { return _ = wire.readToEnd() }
            // What has begun may be slow.
            try wire.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsl")
            try late.wait()
            try wire.send("ow")
        }
        defer { origin.stop() }
        try await TestProxy.run(settings: Self.settings { $0.response = 2 }) { proxy in
            let client = try proxy.client()
            try client.send("GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try client.read(until: "\r\n\r\nsl")
            try proxy.passTime(.seconds(3))
            late.happen()
            #expect(try client.read(count: 2) == "ow")
            try client.send("GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            try eventually("the second request arrives") { origin.requests.count == 2 }
            try proxy.passTime(.seconds(3))
            let response = try client.readResponse()
            #expect(response.status == 504)
            #expect(response.body.contains("--response-timeout"))
        }
    }

    @Test func aServerThatDoesNotFinishTLSIsA504() async throws {
        let origin = try Origin { wire, _, _ in _ = wire.readToEnd() }
        defer { origin.stop() }
        try await TestProxy.run(settings: Self.settings { $0.handshake = 0 }) { proxy in
            let client = try proxy.client()
            try client.send("GET https://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.status == 504)
            #expect(response.body.contains("--tls-timeout"))
        }
    }

    @Test func aNameThatDoesNotResolveIsSaidSo() async throws {
        try await TestProxy.run { proxy in
            let client = try proxy.client()
            try client.send("GET http://does-not-exist.invalid/ HTTP/1.1\r\nHost: x\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.status == 502)
            #expect(response.body.contains("The name does-not-exist.invalid"))
            #expect(response.fields["proxy-status"]?.contains("dns_error") == true)
        }
    }

    @Test func finishesExchangesUnderWayWhenItIsShutDown() async throws {
        let stopping = Event()
        let origin = try Origin { wire, _, _ in
            _ = try wire.readRequest()
            try wire.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsl")
            try stopping.wait()
            try wire.send("ow")
            _ = wire.readToEnd()
        }
        defer { origin.stop() }
        let kept = Box<Wire?>(nil)
        let summary = try await TestProxy.run(.all) { proxy in
            let idle = try proxy.client()
            let slow = try proxy.client()
            try slow.send("GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try slow.read(until: "\r\n\r\n")
            kept.value = slow
            // The proxy ends what is idle when it is shut down; the other exchange is still under way then.
            Thread.detachNewThread {
                #expect(idle.readToEnd() == ("", .closed))
                stopping.happen()
            }
        }
        #expect(summary.recorded == 1)
        #expect(try #require(kept.value).readToEnd().text == "slow")
    }
}
