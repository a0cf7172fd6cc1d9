import Foundation
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

/// WebSockets between real sockets: what passes, what is recorded, and what is refused.
@Suite struct WebSocketRelayTests {
    static func echo(_ fields: String = "") throws -> Origin {
        try Origin { wire, _, origin in
            let request = try wire.readRequest()
            origin.note(request)
            try WebSocketPeer.accept(wire, request, fields: fields).echo()
        }
    }

    static func socket(in folder: Folder) throws -> RecordedWebSocket {
        let exchange = try #require(try TestProxy.recorded(in: folder).first)
        guard case .webSocket(let socket) = exchange.outcome else {
            throw WireError(description: "no WebSocket was recorded: \(exchange.outcome)")
        }
        return socket
    }

    static func kinds(_ socket: RecordedWebSocket) -> [String] {
        socket.frames.map { "\($0.sender) \($0.opcode)" + ($0.closeCode.map { " \($0)" } ?? "") }
    }

    @Test(arguments: [false, true]) func passesAndRecordsFramesBothWays(tunnel: Bool) async throws {
        let origin = try Self.echo()
        defer { origin.stop() }
        let folder = try Folder()
        let summary = try await TestProxy.run(.once, in: folder) { proxy in
            let (head, peer) = try WebSocketPeer.open(
                proxy, "127.0.0.1:\(origin.port)",
                fields: "Sec-WebSocket-Extensions: permessage-deflate\r\nSec-WebSocket-Protocol: a, b\r\n",
                tunnel: tunnel)
            #expect(head.status == 101)
            #expect(head.fields["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            try peer.send(.text("hello"))
            #expect(try peer.next() == .text("hello"))
            try peer.send(.ping("p"))
            #expect(try peer.next() == .pong("p"))
            // A message in three frames with a ping between them.
            try peer.send(frame: 0x02, [1, 2])
            try peer.send(frame: 0x00, [])
            try peer.send(.ping("q"))
            try peer.send(frame: 0x80, [3])
            #expect(try peer.next() == .pong("q"))
            #expect(try peer.next() == .binary([1, 2, 3]))
            try peer.send(.close(3001, "bye"))
            #expect(try peer.next() == .close(3001, "bye"))
            #expect(peer.end() == .closed)
        }
        #expect(summary.recorded == 1)
        #expect(origin.requests.first?.contains("permessage-deflate") == false)
        #expect(origin.requests.first?.contains("Sec-WebSocket-Protocol: a, b") == true)
        let socket = try Self.socket(in: folder)
        let kinds = Self.kinds(socket)
        // The pong may overtake the rest of the message around the ping.
        let around = Array(kinds.dropFirst(5).prefix(2))
        #expect(Set(around) == ["client binary", "server pong"] && around.count == 2)
        #expect(
            kinds.prefix(5) == ["client text", "server text", "client ping", "server pong", "client ping"]
                && kinds.dropFirst(7) == ["server binary", "client close 3001", "server close 3001"], "\(kinds)")
        let binary = try #require(kinds.firstIndex(of: "client binary"))
        #expect(socket.frames[binary].fragments == [2, 0, 1])
        #expect(socket.ending == .closed)
        #expect(socket.response.headers.first("upgrade") == "websocket")
        #expect(zip(socket.frames, socket.frames.dropFirst()).allSatisfy { $0.at <= $1.at })
    }

    /// Whoever said goodbye first: what was said arrives, and then nothing is left open.
    @Test(arguments: [true, false]) func leavesAnOriginThatStaysAfterGoodbye(clientFirst: Bool) async throws {
        let heard = Box<Say?>(nil)
        let origin = try Origin { wire, _, _ in
            let peer = try WebSocketPeer.accept(wire, try wire.readRequest())
            if !clientFirst { try peer.send(.close(1001, "going")) }
            heard.value = try peer.next()
            if clientFirst { try peer.send(.close(1000, "")) }
            _ = wire.readToEnd()
        }
        defer { origin.stop() }
        let summary = try await TestProxy.run(.once) { proxy in
            let (_, peer) = try WebSocketPeer.open(proxy, "127.0.0.1:\(origin.port)")
            if clientFirst { try peer.send(.close(1000, "bye")) }
            #expect(try peer.next() == (clientFirst ? .close(1000, "") : .close(1001, "going")))
            if !clientFirst { try peer.send(.close(1000, "bye")) }
            #expect(peer.end() == .closed)
            try eventually("the origin is left") { origin.ended == 1 }
        }
        #expect(heard.value == .close(1000, "bye"))
        #expect(summary.recorded == 1)
    }

    @Test func leavesTheExtensionAloneWhereNothingIsRecorded() async throws {
        let origin = try Origin { wire, _, origin in
            let request = try wire.readRequest()
            origin.note(request)
            let peer = try WebSocketPeer.accept(
                wire, request, fields: "Sec-WebSocket-Extensions: permessage-deflate\r\n")
            // RSV1: a deflated message, which only the client understands.
            try peer.send(frame: 0xC1, [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00])
        }
        defer { origin.stop() }
        try await TestProxy.run(.passthrough) { proxy in
            let (head, wire) = try WebSocketPeer.ask(
                proxy, "127.0.0.1:\(origin.port)", fields: "Sec-WebSocket-Extensions: permessage-deflate\r\n")
            #expect(head.fields["sec-websocket-extensions"] == "permessage-deflate")
            while wire.received.count < 9, wire.receive() == nil {}
            #expect(Array(wire.received) == [0xC1, 7, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00])
        }
    }

    @Test func deliversFramesThatCameWithThe101AndThoseSentBeforeIt() async throws {
        let origin = try Origin { wire, _, _ in
            let request = try wire.readRequest()
            let peer = try WebSocketPeer.accept(wire, request, frames: [0x81, 2, 0x68, 0x69])
            try peer.echo()
        }
        defer { origin.stop() }
        let folder = try Folder()
        try await TestProxy.run(.once, in: folder) { proxy in
            let wire = try proxy.client()
            let early = WebSocketPeer(wire, isClient: true)
            try wire.send(
                Data(
                    "GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\(WebSocketPeer.fields)\r\n".utf8)
                    + Data(early.octets(.text("early"))))
            let head = try Message(reading: wire) { $0.status >= 200 }
            #expect(head.status == 101)
            let peer = WebSocketPeer(wire, isClient: true)
            #expect(try peer.next() == .text("hi"))
            #expect(try peer.next() == .text("early"))
            try peer.send(.close(nil, ""))
            #expect(try peer.next() == .close(nil, ""))
        }
        #expect(
            Self.kinds(try Self.socket(in: folder)) == [
                "client text", "server text", "server text", "client close", "server close",
            ])
    }

    /// How an origin or a client leaves without a close frame.
    @Test(arguments: [
        ("server closes", RecordedWebSocket.Ending.serverClosed), ("server resets", .serverReset),
        ("client leaves", .clientLeft), ("client resets", .clientLeft), ("proxy stops", .stopped),
    ])
    func recordsWhatWasSeenHoweverItEnds(how: String, ending: RecordedWebSocket.Ending) async throws {
        // Patient: among many tests this one may wait a minute for its turn to stop the proxy, and an origin that gave
        // up meanwhile would have closed first.
        let origin = try Origin(timeout: 600) { wire, _, _ in
            let peer = try WebSocketPeer.accept(wire, try wire.readRequest())
            #expect(try peer.next() == .text("one"))
            try peer.send(.text("two"))
            if how == "server resets" {
                // The reset must not overtake the octets.
                try wire.waitUntilTaken()
                return wire.reset()
            }
            if how != "server closes" { _ = wire.readToEnd() }
        }
        defer { origin.stop() }
        let folder = try Folder()
        let held = Box<WebSocketPeer?>(nil)
        let summary = try await TestProxy.run(.once, in: folder) { proxy in
            let (_, peer) = try WebSocketPeer.open(proxy, "127.0.0.1:\(origin.port)")
            held.value = peer
            try peer.send(.text("one"))
            #expect(try peer.next() == .text("two"))
            switch how {
            case "server closes": #expect(peer.end() == .closed)
            case "server resets": #expect(peer.end() == .reset)
            case "client leaves": peer.wire.close()
            case "client resets": peer.wire.reset()
            default: return
            }
            try eventually("the WebSocket is recorded") { proxy.session.summary.recorded == 1 }
        }
        #expect(summary.recorded == 1)
        let socket = try Self.socket(in: folder)
        #expect(Self.kinds(socket) == ["client text", "server text"])
        #expect(socket.ending == ending)
        if ending == .stopped { #expect(try held.value?.next() == .close(1001, "playhead is being stopped")) }
    }

    @Test(arguments: [
        ("no mask", [0x81, 1, 0x41] as [UInt8], 1002), ("rsv", [0xC1, 0x81, 0, 0, 0, 0, 0x41], 1002),
        ("opcode", [0x83, 0x80, 0, 0, 0, 0], 1002), ("utf8", [0x81, 0x81, 0, 0, 0, 0, 0xFF], 1007),
        ("close code", [0x88, 0x82, 0, 0, 0, 0, 3, 0xED], 1002), ("http", Array("GET / HTTP/1.1\r\n\r\n".utf8), 1002),
    ])
    func stopsAClientThatBreaksTheProtocol(name: String, octets: [UInt8], code: Int) async throws {
        let heard = Box<[Say]>([])
        let origin = try Origin { wire, _, _ in
            let peer = try WebSocketPeer.accept(wire, try wire.readRequest())
            while let say = try? peer.next() { heard.value.append(say) }
            // Nothing of the bad frame came, not even as rest.
            #expect(wire.received.isEmpty)
        }
        defer { origin.stop() }
        let folder = try Folder()
        let summary = try await TestProxy.run(.once, in: folder) { proxy in
            let (_, peer) = try WebSocketPeer.open(proxy, "127.0.0.1:\(origin.port)")
            try peer.send(.text("good"))
            try peer.wire.send(Data(octets))
            guard case .close(let seen, let reason) = try peer.next() else {
                Issue.record("no close frame for \(name)")
                return
            }
            #expect(seen == code)
            #expect(reason.hasPrefix("playhead: the client "), "\(reason)")
            #expect(peer.end() == .closed)
            try eventually("the origin is left") { origin.ended == 1 }
        }
        #expect(heard.value == [.text("good")])
        #expect(summary.warnings.contains { $0.contains("the client") })
        #expect(try Self.socket(in: folder).ending == .malformed)
    }

    @Test func stopsAnOriginThatBreaksTheProtocol() async throws {
        let origin = try Origin { wire, _, _ in
            let peer = try WebSocketPeer.accept(wire, try wire.readRequest())
            try peer.send(.text("good"))
            try wire.send(Data([0x81, 0x81, 0, 0, 0, 0, 0x41]))
            _ = wire.readToEnd()
        }
        defer { origin.stop() }
        let folder = try Folder()
        try await TestProxy.run(.once, in: folder) { proxy in
            let (_, peer) = try WebSocketPeer.open(proxy, "127.0.0.1:\(origin.port)")
            #expect(try peer.next() == .text("good"))
            #expect(try peer.next() == .close(1002, "playhead: the server masked a frame"))
            #expect(peer.end() == .closed)
        }
        #expect(Self.kinds(try Self.socket(in: folder)) == ["server text"])
    }

    /// A 101 that is not the answer to a full request for a WebSocket opens nothing.
    @Test(arguments: [
        ("not asked", "GET", ""),
        ("h2c", "GET", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"),
        ("POST", "POST", WebSocketPeer.fields + "Content-Length: 0\r\n"),
        ("a body", "GET", WebSocketPeer.fields + "Content-Length: 3\r\n"),
        ("version 8", "GET", WebSocketPeer.fields.replacingOccurrences(of: "13", with: "8")),
        ("two protocols", "GET", WebSocketPeer.fields.replacingOccurrences(of: "websocket", with: "websocket, h2c")),
        ("no key", "GET", WebSocketPeer.fields.replacingOccurrences(of: WebSocketPeer.key, with: "x")),
        ("two keys", "GET", WebSocketPeer.fields + "Sec-WebSocket-Key: \(WebSocketPeer.key)\r\n"),
        ("a key of this hop", "GET", WebSocketPeer.fields + "Connection: sec-websocket-key\r\n"),
        ("a version of this hop", "GET", WebSocketPeer.fields + "Connection: Sec-WebSocket-Version\r\n"),
        (
            "no connection", "GET",
            WebSocketPeer.fields.replacingOccurrences(of: "Connection: Upgrade", with: "Connection: close")
        ),
    ])
    func refusesA101ThatWasNotAskedForInFull(name: String, method: String, fields: String) async throws {
        let origin = try Origin { wire, _, origin in
            let request = try wire.readRequest()
            origin.note(request)
            _ = try WebSocketPeer.accept(wire, request, frames: [0x81, 2, 0x68, 0x69])
            _ = wire.readToEnd()
        }
        defer { origin.stop() }
        try await TestProxy.run(.once) { proxy in
            let client = try proxy.client()
            let body = fields.contains("Length: 3") ? "abc" : ""
            try client.send(
                "\(method) http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\(body)"
                    + "GET http://127.0.0.1:\(origin.port)/smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.readResponse().status == 502, "\(name)")
        }
        #expect(origin.requests.allSatisfy { !$0.lowercased().contains("upgrade") }, "\(name): \(origin.requests)")
    }

    @Test(arguments: [
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n",
        "Upgrade: websocket\r\nConnection: Upgrade\r\n",
        "Upgrade: h2c\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n",
        "Connection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n",
        "Upgrade: websocket\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n",
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
            + "Sec-WebSocket-Extensions: permessage-deflate\r\n",
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
            + "Sec-WebSocket-Protocol: surprise\r\n",
    ])
    func refusesA101ThatIsNoAnswer(fields: String) async throws {
        let origin = try Origin { wire, _, _ in
            _ = try wire.readRequest()
            try wire.send("HTTP/1.1 101 Switching Protocols\r\n\(fields)\r\n")
            _ = wire.readToEnd()
        }
        defer { origin.stop() }
        try await TestProxy.run(.once) { proxy in
            let (head, _) = try WebSocketPeer.open(
                proxy, "127.0.0.1:\(origin.port)", fields: "Sec-WebSocket-Extensions: permessage-deflate\r\n")
            #expect(head.status == 502)
        }
    }

    @Test func recordsAnAnswerThatIsNo101AsAResponse() async throws {
        let origin = try Origin.answering("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno")
        let folder = try Folder()
        for mode in [RecordMode.once, .none] {
            try await TestProxy.run(mode, in: folder) { proxy in
                let (head, _) = try WebSocketPeer.open(proxy, "127.0.0.1:\(origin.port)")
                #expect(head.status == 403)
                #expect(head.body == "no")
                if mode == .none {
                    // A page is not what was recorded.
                    let client = try proxy.client()
                    try client.send("GET http://127.0.0.1:\(origin.port)/chat HTTP/1.1\r\nHost: x\r\n\r\n")
                    let miss = try client.readResponse()
                    #expect(miss.status == 501)
                    #expect(miss.body.contains("header upgrade"))
                }
            }
            origin.stop()
        }
    }

    @Test func holdsBackASenderWhoseReaderIsSlow() async throws {
        let sent = Box(0)
        let origin = try Origin(timeout: 2) { wire, _, _ in
            let peer = try WebSocketPeer.accept(wire, try wire.readRequest())
            let frame = Data(peer.frame(0x82, [UInt8](repeating: 7, count: 65536)))
            sent.value = wire.sendUntilRefused(frame, limit: 256 << 20)
        }
        defer { origin.stop() }
        try await TestProxy.run(.once) { proxy in
            let (_, peer) = try WebSocketPeer.open(proxy, "127.0.0.1:\(origin.port)")
            try eventually("the origin is held back") { origin.ended == 1 }
            #expect(sent.value < 64 << 20)
            peer.wire.close()
        }
    }
}
