import Foundation
import NIOCore
import PlayheadCassette
import PlayheadEngine
import Testing

@testable import PlayheadProxy

/// What the client saw when an origin failed is what it sees at replay.
@Suite struct FailureReplayTests {
    /// Asks for a URL, then again from the cassette alone; what was recorded, and the answer.
    private static func twice(
        _ url: String, settings: ProxySettings = ProxySettings()
    ) async throws -> (failure: RecordedFailure, live: Message) {
        let folder = try Folder()
        let seen = Box<[Message]>([])
        for mode in [RecordMode.once, .none] {
            try await TestProxy.run(mode, in: folder, settings: settings) { proxy in
                let client = try proxy.client()
                try client.send("GET \(url) HTTP/1.1\r\nHost: x\r\n\r\n")
                seen.value.append(try client.readResponse())
            }
        }
        let (live, replayed) = (try #require(seen.value.first), try #require(seen.value.last))
        #expect(seen.value.count == 2 && live.startLine == replayed.startLine && live.body == replayed.body)
        #expect(live.fields["proxy-status"] == replayed.fields["proxy-status"] && live.fields["proxy-status"] != nil)
        let exchange = try #require(try TestProxy.recorded(in: folder).first)
        guard case .failure(let failure) = exchange.outcome else { throw WireError(description: "\(exchange.outcome)") }
        return (failure, live)
    }

    @Test func aPortWhereNothingListens() async throws {
        let origin = try Origin { _, _, _ in }
        origin.stop()
        let (failure, live) = try await Self.twice("http://127.0.0.1:\(origin.port)/")
        #expect(failure.kind == .refused && failure.error == nil && live.status == 502)
    }

    @Test func anAnswerThatDoesNotCome() async throws {
        let origin = try Origin { wire, _, _ in
            while wire.receive() == nil {}
        }
        defer { origin.stop() }
        var settings = ProxySettings()
        settings.timeouts.response = 1
        let (failure, live) = try await Self.twice("http://127.0.0.1:\(origin.port)/", settings: settings)
        #expect(failure.kind == .timeout && failure.error == "http_response_timeout" && live.status == 504)
        #expect(live.fields["proxy-status"]?.contains("error=http_response_timeout") == true)
    }

    @Test func aConnectionThatIsClosedOrReset() async throws {
        for resets in [false, true] {
            let origin = try Origin { wire, _, _ in
                _ = try wire.readRequest()
                if resets { wire.reset() } else { wire.close() }
            }
            let (failure, live) = try await Self.twice("http://127.0.0.1:\(origin.port)/")
            #expect(failure.kind == (resets ? .reset : .closed) && live.status == 502)
            origin.stop()
        }
    }

    @Test(arguments: [
        // The alert handshake_failure, and something that is no TLS.
        ([0x15, 3, 1, 0, 2, 2, 40] as [UInt8], "tls_alert_received"), (Array("no TLS\r\n".utf8), "tls_protocol_error"),
    ])
    func aHandshakeThatFails(_ octets: [UInt8], _ error: String) async throws {
        let origin = try Origin { wire, _, _ in
            _ = wire.receive()
            try wire.send(Data(octets))
            while wire.receive() == nil {}
        }
        defer { origin.stop() }
        let (failure, live) = try await Self.twice("https://127.0.0.1:\(origin.port)/")
        #expect(failure.kind == .tls && failure.error == error && live.status == 502)
    }

    @Test func everyKindHasAStatusAndAType() {
        for kind in RecordedFailure.Kind.allCases {
            let failure = UpstreamFailure(recorded: RecordedFailure(kind: kind, message: "m"))
            #expect(failure.status == (kind == .timeout ? 504 : 502) && !failure.proxyError.isEmpty)
            #expect(failure.recorded(partial: nil) == RecordedFailure(kind: kind, message: "m"))
        }
        let slow = UpstreamFailure(recorded: RecordedFailure(kind: .dns, message: "", error: "dns_timeout"))
        #expect(slow.status == 504 && slow.recorded(partial: nil).error == "dns_timeout")
    }
}
