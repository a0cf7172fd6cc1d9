import Foundation
import NIOCore
import NIOHTTP2
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

/// WebSockets that clients open over a stream of HTTP/2 (RFC 8441).
@Suite(.serialized) struct ExtendedConnectTests {
    static func fields(
        port: Int, path: String = "/chat", protocol name: String = "websocket", scheme: String = "http",
        _ more: [(String, String)] = []
    ) -> [(String, String)] {
        [
            (":method", "CONNECT"), (":protocol", name), (":scheme", scheme), (":authority", "127.0.0.1:\(port)"),
            (":path", path), ("sec-websocket-version", "13"),
        ] + more
    }

    /// A client that has waited for the offer, as it must (RFC 8441 section 3).
    static func peer(_ proxy: TestProxy) throws -> HTTP2Peer {
        let peer = try HTTP2Peer(try proxy.client(timeout: 15))
        try peer.wait { $0.hasSettings }
        return peer
    }

    static func frame(_ say: Say) throws -> Data {
        // The peer is asked for octets only; its wire is not used.
        Data(WebSocketPeer(Wire(descriptor: -1), isClient: true).octets(say))
    }

    /// The frames that came as the body of a stream.
    private static func events(_ octets: Data) throws -> [WebSocketDecoder.Event] {
        var decoder = WebSocketDecoder(from: .server)
        decoder.append(ByteBuffer(bytes: octets))
        var events: [WebSocketDecoder.Event] = []
        while let event = try decoder.next() { events.append(event) }
        return events
    }

    static func has(_ event: WebSocketDecoder.Event, _ message: HTTP2Peer.Message) -> Bool {
        (try? Self.events(message.body))?.contains(event) == true
    }

    static func text(_ text: String) -> WebSocketDecoder.Event {
        .data(ByteBuffer(string: text), opcode: .text, endsFrame: true, endsMessage: true)
    }

    @Test func areRelayedRecordedAndReplayedToClientsOfBothVersions() async throws {
        let sent = Event()
        let origin = try Origin { wire, _, _ in
            let request = try wire.readRequest()
            #expect(request.startLine == "GET /chat HTTP/1.1")
            // The client has sent a frame already; the origin has not agreed to any.
            try sent.wait()
            var octet: UInt8 = 0
            #expect(recv(wire.descriptor, &octet, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0)
            #expect(wire.received.isEmpty)
            try WebSocketPeer.accept(wire, request, fields: "Sec-WebSocket-Protocol: b\r\n").echo()
        }
        defer { origin.stop() }
        let folder = try Folder()
        for mode in [RecordMode.once, .none] {
            let summary = try await TestProxy.run(mode, in: folder) { proxy in
                let peer = try Self.peer(proxy)
                let id = try peer.request(
                    Self.fields(port: origin.port, [("sec-websocket-protocol", "a, b")]), ends: false)
                // Before the answer, as clients may.
                try peer.send(id, body: Self.frame(.text("early")))
                try peer.wire.waitUntilTaken()
                try proxy.finishTurn()
                sent.happen()
                try peer.wait { Self.has(Self.text("early"), $0.partial(id)) }
                let head = peer.partial(id)
                #expect(head.status == 200)
                #expect(head.field("sec-websocket-protocol") == "b")
                #expect(head.field("sec-websocket-accept") == nil)
                #expect(head.field("upgrade") == nil)
                try peer.send(id, body: Self.frame(.text("hello")))
                try peer.wait { Self.has(Self.text("hello"), $0.partial(id)) }
                try peer.send(id, body: Self.frame(.close(3001, "bye")))
                let whole = try peer.message(id)
                #expect(try Self.events(whole.body).last == .close(code: 3001, reason: "bye"))
            }
            #expect(mode == .once ? summary.recorded == 1 : summary.replayed == 1)
            origin.stop()
        }
        let exchange = try #require(try TestProxy.recorded(in: folder).first)
        #expect(exchange.request.method == "GET")
        #expect(exchange.request.version == .http2)
        #expect(exchange.request.url == "http://127.0.0.1:\(origin.port)/chat")
        #expect(try WebSocketRelayTests.socket(in: folder).ending == .closed)
        let summary = try await TestProxy.run(.none, in: folder) { proxy in
            let (head, peer) = try WebSocketPeer.open(proxy, "127.0.0.1:\(origin.port)")
            #expect(head.status == 101)
            for text in ["early", "hello"] {
                try peer.send(.text(text))
                #expect(try peer.next() == .text(text))
            }
            try peer.send(.close(3001, "bye"))
            #expect(try peer.next() == .close(3001, "bye"))
        }
        #expect(summary.replayed == 1)
    }

    @Test func missesAndDenialsAreResponses() async throws {
        let origin = try Origin.answering("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno")
        defer { origin.stop() }
        let folder = try Folder()
        try await TestProxy.run(.once, in: folder) { proxy in
            let peer = try Self.peer(proxy)
            let id = try peer.request(Self.fields(port: origin.port), ends: false)
            let message = try peer.message(id)
            #expect(message.status == 403)
            #expect(message.text == "no")
        }
        try await TestProxy.run(.none, in: folder) { proxy in
            let peer = try Self.peer(proxy)
            let id = try peer.request(Self.fields(port: origin.port, path: "/other"), ends: false)
            #expect(try peer.message(id).status == 501)
        }
    }

    @Test func aMissClosesWith1011AndAResetGivesBack() async throws {
        let frames = [WebSocketReplayTests.text(.client, "a"), WebSocketReplayTests.text(.server, "b")]
        let folder = try WebSocketReplayTests.cassette(frames)
        let summary = try await TestProxy.run(.none, in: folder) { proxy in
            let peer = try Self.peer(proxy)
            var fields = Self.fields(port: 80)
            fields[3].1 = "example.test"
            let left = try peer.request(fields, ends: false)
            try peer.wait { $0.partial(left).status == 200 }
            try peer.send(left, .rstStream(.cancel))
            let id = try peer.request(fields, ends: false)
            try peer.send(id, body: Self.frame(.text("x")))
            let events = try Self.events(try peer.message(id).body)
            guard case .close(1011, let reason)? = events.last else {
                Issue.record("no close frame: \(events)")
                return
            }
            #expect(reason == #"playhead: message 1: recorded "a", requested "x""#)
        }
        #expect(summary.missed == 1)
    }

    @Test(arguments: [
        fields(port: 1, protocol: "connect-udp"), fields(port: 1, [("sec-websocket-key", WebSocketPeer.key)]),
        fields(port: 1, [("content-length", "5")]),
    ])
    func resetsWhatIsNoWebSocket(_ fields: [(String, String)]) async throws {
        try await TestProxy.run(.all) { proxy in
            let peer = try Self.peer(proxy)
            let id = try peer.request(fields, ends: false)
            #expect(try peer.message(id).reset == .protocolError)
        }
    }
}
