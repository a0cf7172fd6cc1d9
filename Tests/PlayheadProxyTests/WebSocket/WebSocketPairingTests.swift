import Foundation
import NIOCore
import NIOHTTP2
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

/// WebSockets between every pairing of versions: live, and replayed with the origin gone.
@Suite(.serialized) struct WebSocketPairingTests {
    typealias Version = PairingTests.Version

    struct Pairing: CustomTestStringConvertible {
        var client: Version
        var origin: Version
        var testDescription: String { "\(self.client) client, \(self.origin) origin" }

        static let all = Version.allCases.flatMap { client in
            Version.allCases.map { Pairing(client: client, origin: $0) }
        }
    }

    static let offer = [HTTP2Setting(parameter: .enableConnectProtocol, value: 1)]

    /// An origin that opens WebSockets over streams; `talk` is what it does with one that is open.
    static func origin(
        answer: [(String, String)] = [(":status", "200")], settings: [HTTP2Setting] = offer, requests: Int = 1,
        timeout: Double = 60, _ talk: @escaping @Sendable (HTTP2Peer, Int, Origin) throws -> Void
    ) throws -> Origin {
        try Origin(timeout: timeout) { wire, _, origin in
            let peer = try HTTP2Peer(wire, client: false, settings: settings)
            for _ in 0..<requests {
                let id = try peer.nextRequest()
                let head = peer.partial(id)
                origin.note(head.heads.first?.map { "\($0.name): \($0.value)" } ?? [])
                try peer.send(id, headers: answer)
                try talk(peer, id, origin)
            }
            _ = peer.readToEnd()
        }
    }

    /// Says back what it hears, and ends with the closing handshake.
    static func echo(_ peer: HTTP2Peer, _ id: Int, _ origin: Origin) throws {
        let framer = WebSocketPeer(Wire(descriptor: -1), isClient: false)
        var decoder = WebSocketDecoder(from: .client)
        var seen = 0
        var message: [UInt8] = []
        while true {
            try peer.wait { $0.partial(id).body.count > seen || $0.partial(id).reset != nil }
            let body = peer.partial(id).body
            decoder.append(ByteBuffer(bytes: body.dropFirst(seen)))
            seen = body.count
            while let event = try decoder.next() {
                switch event {
                case .data(let octets, _, _, let endsMessage):
                    message += Array(octets.readableBytesView)
                    guard endsMessage else { continue }
                    try peer.send(id, body: Data(framer.frame(0x81, message)))
                    message = []
                case .ping(let octets): try peer.send(id, body: Data(framer.octets(.pong(String(buffer: octets)))))
                case .pong: break
                case .close(let code, let reason):
                    return try peer.send(id, body: Data(framer.octets(.close(code, reason))), ends: true)
                }
            }
        }
    }

    @Test(arguments: Pairing.all) func passesRecordsAndReplays(pairing: Pairing) async throws {
        let folder = try Folder()
        let origin =
            try pairing.origin == .http1
            ? WebSocketRelayTests.echo("Sec-WebSocket-Protocol: b\r\n")
            : Self.origin(
                answer: [(":status", "200"), ("sec-websocket-protocol", "b")], Self.echo)
        let front = try TLSFront(before: origin.port, alpn: pairing.origin == .http1 ? ["http/1.1"] : ["h2"])
        for mode in [RecordMode.once, .none] {
            let summary = try await TestProxy.run(
                mode, in: folder, settings: ProxySettings(http2: .always), upstreamRoots: [front.root]
            ) { proxy in
                try pairing.client == .http1
                    ? Self.talkInHTTP1(proxy, front.port) : Self.talkInHTTP2(proxy, front.port)
            }
            #expect(mode == .once ? summary.recorded == 1 : summary.replayed == 1, "\(summary.warnings)")
            origin.stop()
            front.stop()
        }
        let asked = try #require(origin.requests.first)
        #expect(asked.contains(":protocol: websocket") == (pairing.origin == .http2))
        #expect(asked.lowercased().contains("sec-websocket-key") == (pairing.origin == .http1))
        let exchange = try #require(try TestProxy.recorded(in: folder).first)
        #expect(exchange.request.method == "GET")
        let socket = try WebSocketRelayTests.socket(in: folder)
        #expect(socket.response.status == 101)
        #expect(socket.response.version == (pairing.origin == .http1 ? .http1_1 : .http2))
        #expect(socket.ending == .closed)
        #expect(
            WebSocketRelayTests.kinds(socket) == [
                "client text", "server text", "client ping", "server pong", "client close 3001", "server close 3001",
            ])
    }

    private static func talkInHTTP1(_ proxy: TestProxy, _ port: Int) throws {
        let wire = try proxy.client(timeout: 20)
        try wire.send(
            "GET wss://127.0.0.1:\(port)/chat HTTP/1.1\r\nHost: x\r\n\(WebSocketPeer.fields)"
                + "Sec-WebSocket-Protocol: a, b\r\n\r\n")
        let head = try Message(reading: wire) { $0.status >= 200 }
        #expect(head.status == 101)
        #expect(head.fields["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(head.fields["sec-websocket-protocol"] == "b")
        let peer = WebSocketPeer(wire, isClient: true)
        try peer.send(.text("hello"))
        #expect(try peer.next() == .text("hello"))
        try peer.send(.ping("p"))
        #expect(try peer.next() == .pong("p"))
        try peer.send(.close(3001, "bye"))
        #expect(try peer.next() == .close(3001, "bye"))
        #expect(peer.end() == .closed)
    }

    private static func talkInHTTP2(_ proxy: TestProxy, _ port: Int) throws {
        let peer = try ExtendedConnectTests.peer(proxy)
        let id = try peer.request(
            ExtendedConnectTests.fields(port: port, scheme: "https", [("sec-websocket-protocol", "a, b")]), ends: false)
        func say(_ say: Say, _ answer: WebSocketDecoder.Event) throws {
            try peer.send(id, body: ExtendedConnectTests.frame(say))
            try peer.wait { ExtendedConnectTests.has(answer, $0.partial(id)) }
        }
        try say(.text("hello"), ExtendedConnectTests.text("hello"))
        #expect(peer.partial(id).status == 200)
        #expect(peer.partial(id).field("sec-websocket-protocol") == "b")
        try say(.ping("p"), .pong(ByteBuffer(string: "p")))
        try say(.close(3001, "bye"), .close(code: 3001, reason: "bye"))
        #expect(try Self.endsWell(peer, id))
    }

    /// HTTP/2 is agreed on, but its SETTINGS offer no WebSockets: a connection of its own, and that is remembered.
    @Test func goesOverHTTP1WhereTheOriginOffersNone() async throws {
        let origin = try Origin { wire, number, origin in
            guard number > 1 else {
                _ = try HTTP2Peer(wire, client: false).readToEnd()
                return
            }
            let request = try wire.readRequest()
            origin.note(request)
            try WebSocketPeer.accept(wire, request, fields: "Sec-WebSocket-Protocol: b\r\n").echo()
        }
        let front = try TLSFront(before: origin.port, alpn: ["h2"])
        defer {
            origin.stop()
            front.stop()
        }
        try await TestProxy.run(settings: ProxySettings(http2: .always), upstreamRoots: [front.root]) { proxy in
            try Self.talkInHTTP2(proxy, front.port)
            try Self.talkInHTTP1(proxy, front.port)
        }
        #expect(origin.requests.filter { $0.hasPrefix("GET /chat HTTP/1.1") }.count == 2)
        #expect(origin.connections == 3)
    }

    /// Requests and WebSockets share a connection, and a reset ends one stream alone.
    @Test func resetsPassBothWaysAndEndOneStreamAlone() async throws {
        let codes = Box<[HTTP2ErrorCode?]>([])
        let origin = try Self.origin(requests: 3) { peer, id, _ in
            let number = codes.value.count
            try peer.wait { !$0.partial(id).body.isEmpty || $0.partial(id).reset != nil }
            if number == 0 { try peer.wait { $0.partial(id).reset != nil } }
            codes.value.append(peer.partial(id).reset)
            if number == 1 { try peer.send(id, .rstStream(.internalError)) }
            if number == 2 { try Self.echo(peer, id, try Origin { _, _, _ in }) }
        }
        let front = try TLSFront(before: origin.port, alpn: ["h2"])
        defer {
            origin.stop()
            front.stop()
        }
        let folder = try Folder()
        try await TestProxy.run(.all, in: folder, upstreamRoots: [front.root]) { proxy in
            let peer = try ExtendedConnectTests.peer(proxy)
            func open() throws -> Int {
                let id = try peer.request(
                    ExtendedConnectTests.fields(port: front.port, scheme: "https"), ends: false)
                try peer.wait { $0.partial(id).status == 200 }
                return id
            }
            try peer.send(try open(), .rstStream(.cancel))
            let second = try open()
            try peer.send(second, body: ExtendedConnectTests.frame(.text("x")))
            #expect(try peer.message(second).reset == .cancel)
            let third = try open()
            try peer.send(third, body: ExtendedConnectTests.frame(.close(1000, "")))
            #expect(try Self.endsWell(peer, third))
        }
        #expect(codes.value == [.cancel, nil, nil])
        #expect(origin.connections == 1)
        let endings = try TestProxy.recorded(in: folder).map { exchange -> RecordedWebSocket.Ending? in
            if case .webSocket(let socket) = exchange.outcome { socket.ending } else { nil }
        }
        #expect(endings == [.clientLeft, .serverReset, .closed])
    }

    @Test func aDenialIsAResponse() async throws {
        // The proxy ends its side of the stream too.
        let ended = Box(false)
        let origin = try Self.origin(answer: [(":status", "403"), ("content-length", "2")]) { peer, id, _ in
            try peer.send(id, body: Data("no".utf8), ends: true)
            ended.value = try peer.message(id).reset == nil
        }
        let front = try TLSFront(before: origin.port, alpn: ["h2"])
        defer {
            origin.stop()
            front.stop()
        }
        let folder = try Folder()
        try await TestProxy.run(.once, in: folder, settings: ProxySettings(http2: .always), upstreamRoots: [front.root])
        { proxy in
            let (head, _) = try Self.ask(proxy, front.port)
            #expect(head.status == 403)
            #expect(head.body == "no")
            try eventually("the stream has ended", within: 20) { ended.value }
        }
        guard case .response(let response)? = try TestProxy.recorded(in: folder).first?.outcome else {
            Issue.record("no response was recorded")
            return
        }
        #expect(response.status == 403)
    }

    /// Whether a stream ends in good order: NO_ERROR says that the client need not end its side (RFC 9113 section 8.1).
    private static func endsWell(_ peer: HTTP2Peer, _ id: Int) throws -> Bool {
        try peer.message(id).reset ?? .noError == .noError
    }

    private static func ask(_ proxy: TestProxy, _ port: Int) throws -> (Message, Wire) {
        let wire = try proxy.client(timeout: 20)
        try wire.send("GET wss://127.0.0.1:\(port)/chat HTTP/1.1\r\nHost: x\r\n\(WebSocketPeer.fields)\r\n")
        return (try Message(reading: wire) { $0.status >= 200 }, wire)
    }

    /// An answer that uses what was not offered opens nothing.
    @Test(arguments: [("sec-websocket-protocol", "surprise"), ("sec-websocket-extensions", "permessage-deflate")])
    func refusesAnAnswerThatWasNotOffered(name: String, value: String) async throws {
        let origin = try Self.origin(answer: [(":status", "200"), (name, value)]) { peer, id, _ in
            let message = try peer.message(id)
            #expect(message.reset == .protocolError)
        }
        let front = try TLSFront(before: origin.port, alpn: ["h2"])
        defer {
            origin.stop()
            front.stop()
        }
        try await TestProxy.run(settings: ProxySettings(http2: .always), upstreamRoots: [front.root]) { proxy in
            let (head, _) = try Self.ask(proxy, front.port)
            #expect(head.status == 502)
        }
        #expect(origin.requests.count == 1)
    }

    @Test func holdsTheOriginBackForASlowReader() async throws {
        let sent = Box(0)
        let origin = try Self.origin(timeout: 1) { peer, id, _ in
            let framer = WebSocketPeer(Wire(descriptor: -1), isClient: false)
            let frame = Data(framer.frame(0x82, [UInt8](repeating: 7, count: 65536)))
            // What the windows do not let out stays with the peer: only what went out counts.
            for _ in 0..<400 { try peer.send(id, body: frame) }
            _ = peer.readToEnd()
            sent.value = peer.sentOctets
        }
        let front = try TLSFront(before: origin.port, alpn: ["h2"])
        defer {
            origin.stop()
            front.stop()
        }
        try await TestProxy.run(.once, settings: ProxySettings(http2: .always), upstreamRoots: [front.root]) { proxy in
            let (head, wire) = try Self.ask(proxy, front.port)
            #expect(head.status == 101)
            try eventually("the origin has sent what it may") { sent.value > 0 }
            wire.close()
        }
        #expect(sent.value > 64 * 1024)
        #expect(sent.value < 16 * 1024 * 1024)
    }
}
