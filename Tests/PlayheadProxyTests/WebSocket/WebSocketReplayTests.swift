import Foundation
import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

/// Recorded WebSockets played to a client with nobody behind.
@Suite struct WebSocketReplayTests {
    typealias Frame = RecordedWebSocket.Frame

    static func text(_ sender: RecordedWebSocket.Sender, _ text: String, at: Int = 0, fragments: [Int] = []) -> Frame {
        Frame(sender, at: at, .text, payload: RecordedBody(.octets(ByteBuffer(string: text))), fragments: fragments)
    }

    static func close(_ sender: RecordedWebSocket.Sender, _ code: Int?, at: Int = 0, reason: String = "") -> Frame {
        Frame(
            sender, at: at, .close,
            payload: reason.isEmpty ? RecordedBody() : RecordedBody(.octets(ByteBuffer(string: reason))),
            closeCode: code)
    }

    /// A folder with a cassette that holds one WebSocket of `http://example.test/chat`.
    static func cassette(_ frames: [Frame], ending: RecordedWebSocket.Ending = .closed) throws -> Folder {
        let folder = try Folder()
        let exchange = Exchange(
            id: "1", recordedAt: Timestamp(milliseconds: 0),
            request: RecordedRequest(
                method: "GET", url: "http://example.test/chat",
                headers: HeaderList([("Upgrade", "websocket"), ("Connection", "Upgrade")])),
            outcome: .webSocket(
                RecordedWebSocket(
                    response: RecordedResponse(
                        status: 101, reason: "Switching Protocols",
                        headers: HeaderList([
                            ("Upgrade", "websocket"), ("Sec-WebSocket-Accept", "old"), ("Sec-WebSocket-Protocol", "b"),
                            ("Sec-WebSocket-Extensions", "permessage-deflate"), ("Content-Length", "7"),
                        ])), frames: frames, ending: ending)), timing: .init(firstByte: 0))
        let location = CassetteLocation(folder: folder.path, name: try CassetteName.validated("test"))
        try CassetteWriter.save(Cassette(recordedWith: "test", exchanges: [exchange]), to: location)
        return folder
    }

    @discardableResult
    static func play(
        _ frames: [Frame], ending: RecordedWebSocket.Ending = .closed, rule: WebSocketRule = .strict,
        speed: PlaybackSpeed = .instant, _ body: @escaping @Sendable (WebSocketPeer) throws -> Void
    ) async throws -> RunSummary {
        try await TestProxy.run(
            .none, in: try Self.cassette(frames, ending: ending),
            options: {
                $0.speed = speed
                $0.webSocketRule = rule
            }
        ) { proxy in
            let (head, peer) = try WebSocketPeer.open(proxy, "example.test")
            #expect(head.status == 101)
            #expect(head.fields["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            #expect(head.fields["sec-websocket-protocol"] == "b")
            #expect(head.fields["sec-websocket-extensions"] == nil)
            #expect(head.fields["content-length"] == nil)
            try body(peer)
        }
    }

    static let chat = [
        text(.server, "welcome"), text(.client, #"{"say": "hi", "to": "ann"}"#), text(.server, "ann: hi"),
        text(.server, "ann: how are you", fragments: [4, 0, 12]), text(.client, "[REDACTED:password#1]"),
        Frame(.server, at: 9, .ping, payload: RecordedBody(.octets(ByteBuffer(string: "p")))),
        Frame(.client, at: 9, .pong),
        Frame(.client, at: 9, .binary, payload: RecordedBody(.octets(ByteBuffer(bytes: [0, 1])))),
        text(.server, "got it"), close(.client, 1000), close(.server, 1000, reason: "later"),
    ]

    @Test func playsAChatMessageByMessage() async throws {
        let summary = try await Self.play(Self.chat) { peer in
            #expect(try peer.next() == .text("welcome"))
            // Compared as values.
            try peer.send(.text(#"{ "to":"ann","say":"hi" }"#))
            #expect(try peer.next() == .text("ann: hi"))
            #expect(try peer.next() == .text("ann: how are you"))
            try peer.send(.ping("are you there"))
            #expect(try peer.next() == .pong("are you there"))
            try peer.send(.text("the password of this run"))
            #expect(try peer.next() == .ping("p"))
            try peer.send(.pong("p"))
            try peer.send(frame: 0x02, [0])
            try peer.send(frame: 0x80, [1])
            #expect(try peer.next() == .text("got it"))
            try peer.send(.close(1000, ""))
            #expect(try peer.next() == .close(1000, "later"))
            #expect(peer.end() == .closed)
        }
        #expect(summary.replayed == 1)
        #expect(summary.missed == 0)
        #expect(summary.unused == 0)
    }

    @Test func sendsFragmentsAsTheyCame() async throws {
        let folder = try Self.cassette([Self.text(.server, "abcdef", fragments: [1, 0, 5])], ending: .serverClosed)
        try await TestProxy.run(.none, in: folder) { proxy in
            let (_, wire) = try WebSocketPeer.ask(proxy, "example.test")
            while wire.receive() == nil {}
            #expect(Array(wire.received) == [0x01, 1, 0x61, 0x00, 0, 0x80, 5, 0x62, 0x63, 0x64, 0x65, 0x66])
        }
    }

    @Test(arguments: [
        (#"{"say": "hello", "to": "ann"}"#, #"message 1 $.say: recorded "hi", requested "hello""#),
        ("hello", #"message 1: recorded "{"say": "hi", "to": "ann"}", requested "hello""#),
    ])
    func closesWith1011WhenAMessageDiffers(sent: String, reason: String) async throws {
        let summary = try await Self.play(Self.chat) { peer in
            #expect(try peer.next() == .text("welcome"))
            try peer.send(.text(sent))
            #expect(try peer.next() == .close(1011, "playhead: " + reason))
            #expect(peer.end() == .closed)
        }
        #expect(summary.missed == 1)
        #expect(summary.replayed == 0)
        #expect(summary.unused == 1)
        #expect(summary.misses.first?.reason == .messageDiffers)
        #expect(summary.text.contains(reason))
        #expect(summary.text.contains("--mode all"))
    }

    @Test func missesAMessageTooManyAndAnotherKind() async throws {
        let frames = [Self.text(.client, "a"), Self.text(.server, "b")]
        for (say, reason) in [
            (Say.text("c"), #"message 2: not in the recording, requested "c""#),
            (.binary([1]), #"message 2: not in the recording, requested "1 octets with SHA-256 4bf5122f3445…""#),
        ] {
            let summary = try await Self.play(frames, ending: .clientLeft) { peer in
                try peer.send(.text("a"))
                #expect(try peer.next() == .text("b"))
                try peer.send(say)
                #expect(try peer.next() == .close(1011, "playhead: " + reason))
            }
            // It was played to its end before the client went on.
            #expect(summary.missed == 1)
        }
        let summary = try await Self.play(frames) { peer in
            try peer.send(.binary([0x61]))
            guard case .close(1011, let reason) = try peer.next() else {
                Issue.record("no miss")
                return
            }
            #expect(reason.hasPrefix(#"playhead: message 1: recorded "a", requested "1 octets"#))
        }
        #expect(summary.missed == 1)
    }

    @Test func givesBackWhatAClientLeavesEarly() async throws {
        for leaving in ["close", "fin", "reset"] {
            let summary = try await Self.play(Self.chat) { peer in
                #expect(try peer.next() == .text("welcome"))
                switch leaving {
                case "close":
                    try peer.send(.close(1001, "no time"))
                    #expect(try peer.next() == .close(1001, ""))
                    #expect(peer.end() == .closed)
                case "fin":
                    peer.wire.endOutput()
                    #expect(peer.end() == .closed)
                default: peer.wire.reset()
                }
            }
            #expect(summary.replayed == 0, "\(leaving)")
            #expect(summary.missed == 0, "\(leaving)")
            #expect(summary.unused == 1, "\(leaving)")
        }
    }

    /// Pongs that nobody reads must not fill our memory.
    @Test func stopsListeningToAClientThatPingsAndDoesNotRead() async throws {
        let folder = try Self.cassette(Self.chat)
        try await TestProxy.run(.none, in: folder) { proxy in
            let wire = try proxy.client(receiveBuffer: 16 * 1024, timeout: 2)
            try wire.send("GET http://example.test/chat HTTP/1.1\r\nHost: x\r\n\(WebSocketPeer.fields)\r\n")
            let peer = WebSocketPeer(wire, isClient: true)
            let ping = peer.octets(.ping(String(repeating: "p", count: 120)))
            let sent = wire.sendUntilRefused(Data((0..<500).flatMap { _ in ping }), limit: 256 << 20)
            #expect(sent < 64 << 20)
            wire.close()
        }
    }

    @Test func endsAsTheOriginEndedThen() async throws {
        let frames = [Self.text(.client, "a"), Self.text(.server, "b")]
        for (ending, end) in [(RecordedWebSocket.Ending.serverClosed, StreamEnd.closed), (.serverReset, .reset)] {
            let summary = try await Self.play(frames, ending: ending) { peer in
                try peer.send(.text("a"))
                #expect(try peer.next() == .text("b"))
                #expect(peer.end() == end)
            }
            #expect(summary.replayed == 1)
            #expect(summary.unused == 0)
        }
    }

    @Test func closesFirstWhenTheOriginClosedFirst() async throws {
        let frames = [Self.text(.client, "a"), Self.close(.server, 1001, reason: "restart"), Self.close(.client, 1001)]
        let summary = try await Self.play(frames) { peer in
            try peer.send(.text("a"))
            #expect(try peer.next() == .close(1001, "restart"))
            try peer.send(.close(1001, ""))
            #expect(peer.end() == .closed)
        }
        #expect(summary.replayed == 1)
    }

    @Test func lenientTakesAnyMessage() async throws {
        let summary = try await Self.play(Self.chat, rule: .lenient) { peer in
            #expect(try peer.next() == .text("welcome"))
            try peer.send(.text("something else"))
            #expect(try peer.next() == .text("ann: hi"))
            #expect(try peer.next() == .text("ann: how are you"))
            try peer.send(.binary([9]))
            #expect(try peer.next() == .ping("p"))
            try peer.send(.text("x"), .text("one too many"))
            #expect(try peer.next() == .text("got it"))
            try peer.send(.close(1000, ""))
            #expect(try peer.next() == .close(1000, "later"))
        }
        #expect(summary.replayed == 1)
        #expect(summary.missed == 0)
    }

    @Test func keepsTheRecordedTimes() async throws {
        let frames = [
            Self.text(.server, "a", at: 1000), Self.text(.client, "b", at: 2000), Self.text(.server, "c", at: 3000),
        ]
        for rule in WebSocketRule.allCases {
            let start = ContinuousClock.now
            try await Self.play(frames, rule: rule, speed: try #require(PlaybackSpeed.parse("x10"))) { peer in
                #expect(try peer.next() == .text("a"))
                let first = ContinuousClock.now - start
                #expect(first >= .milliseconds(95))
                // Lenient at a speed does not wait for the client.
                if rule == .strict { try peer.send(.text("b")) }
                #expect(try peer.next() == .text("c"))
                #expect(ContinuousClock.now - start >= .milliseconds(rule == .strict ? 190 : 290))
            }
        }
    }

    @Test func plays1MBMessagesFromSideFiles() async throws {
        let big = [UInt8](repeating: 0x62, count: 1 << 20)
        let origin = try WebSocketRelayTests.echo()
        let folder = try Folder()
        let address = "127.0.0.1:\(origin.port)"
        for mode in [RecordMode.once, .none] {
            let summary = try await TestProxy.run(mode, in: folder) { proxy in
                let (head, peer) = try WebSocketPeer.open(proxy, address)
                #expect(head.status == 101)
                try peer.send(.binary(big))
                #expect(try peer.next() == .binary(big))
                try peer.send(.close(1000, ""))
                #expect(try peer.next() == .close(1000, ""))
            }
            #expect(mode == .once ? summary.recorded == 1 : summary.replayed == 1)
            origin.stop()
        }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path).contains { $0.contains(".bodies/") })
    }

    @Test func failsAClientThatBreaksTheProtocol() async throws {
        let summary = try await Self.play(Self.chat) { peer in
            #expect(try peer.next() == .text("welcome"))
            try peer.wire.send(Data([0x81, 1, 0x41]))
            #expect(try peer.next() == .close(1002, "playhead: the client sent a frame without a mask"))
            #expect(peer.end() == .closed)
        }
        #expect(summary.missed == 0)
        #expect(summary.unused == 1)
    }

    @Test func says1001WhenTheProxyStops() async throws {
        let said = Box<Say?>(nil)
        let stopped = Event()
        try await Self.play(Self.chat) { peer in
            let welcome = try peer.next()
            #expect(welcome == .text("welcome"))
            Thread.detachNewThread {
                said.value = try? peer.next()
                stopped.happen()
            }
        }
        try await onThread { try stopped.wait("the peer has heard of it") }
        #expect(said.value == .close(1001, "playhead: it is being stopped"))
    }

    @Test func aMissOfTheWholeWebSocketIsAResponse() async throws {
        let summary = try await TestProxy.run(.none, in: try Self.cassette(Self.chat)) { proxy in
            let (head, _) = try WebSocketPeer.open(proxy, "example.test", path: "/other")
            #expect(head.status == 501)
            let client = try proxy.client()
            try client.send("GET http://example.test/chat HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.readResponse().body.contains("header upgrade"))
        }
        #expect(summary.missed == 2)
    }
}
