import Foundation
import NIOHPACK
import NIOHTTP2
import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

/// Origins that speak HTTP/2, asked by prior knowledge through a cleartext tunnel.
@Suite(.serialized) struct HTTP2OriginConnectionTests {
    /// An HTTP/2 client in a tunnel to an origin.
    private static func peer(_ proxy: TestProxy, _ origin: Origin) throws -> HTTP2Peer {
        try HTTP2Peer(try proxy.tunnel(to: "127.0.0.1:\(origin.port)"))
    }

    private static func ask(_ peer: HTTP2Peer, _ origin: Origin, _ path: String = "/", method: String = "GET") throws
        -> HTTP2Peer.Message
    {
        try peer.message(try peer.request(path, port: origin.port, method: method))
    }

    @Test func sharesOneConnection() async throws {
        let origin = try Origin { wire, _, _ in
            let peer = try HTTP2Peer(wire, client: false)
            let ids = try (0..<20).map { _ in try peer.nextRequest() }
            // All are under way at once; the last is answered first.
            for id in ids.reversed() {
                try peer.send(id, headers: [(":status", "200")])
                try peer.send(id, body: Data((peer.partial(id).field(":path") ?? "").utf8), ends: true)
            }
            _ = peer.readToEnd()
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let peer = try Self.peer(proxy, origin)
            let ids = try (0..<20).map { try peer.request("/\($0)", port: origin.port) }
            for (index, id) in ids.enumerated() { #expect(try peer.message(id).text == "/\(index)") }
        }
        #expect(origin.connections == 1)
    }

    @Test func fallsBackForAnOriginThatKnowsOnlyHTTP1() async throws {
        let origin = try Origin { wire, _, origin in
            while true {
                let request = try wire.readRequest()
                origin.note(request)
                guard !request.startLine.hasPrefix("PRI") else {
                    return try wire.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                }
                try wire.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            for _ in 0..<2 {
                let answer = try Self.ask(try Self.peer(proxy, origin), origin)
                #expect(answer.text == "ok")
            }
        }
        // What the origin speaks is remembered.
        #expect(origin.requests.filter { $0.hasPrefix("PRI") }.count == 1)
    }

    @Test func aResetOfTheClientResetsTheStreamAlone() async throws {
        let wasReset = Box<HTTP2ErrorCode?>(nil)
        let origin = try Origin { wire, _, _ in
            let peer = try HTTP2Peer(wire, client: false)
            let first = try peer.nextRequest()
            try peer.send(first, headers: [(":status", "200")])
            try peer.send(first, body: Data("start".utf8))
            try peer.wait { $0.partial(first).reset != nil }
            wasReset.value = peer.partial(first).reset
            let second = try peer.nextRequest()
            try peer.send(second, headers: [(":status", "204")], ends: true)
            _ = peer.readToEnd()
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let peer = try Self.peer(proxy, origin)
            let id = try peer.request("/", port: origin.port)
            try peer.wait { $0.partial(id).text == "start" }
            try peer.send(id, .rstStream(.cancel))
            #expect(try Self.ask(peer, origin).status == 204)
        }
        #expect(wasReset.value == .cancel)
        #expect(origin.connections == 1)
    }

    @Test func repeatsWhatTheOriginDidNotLookAt() async throws {
        let origin = try Origin { wire, number, _ in
            let peer = try HTTP2Peer(wire, client: false)
            let id = try peer.nextRequest()
            guard number > 4 else {
                _ = try peer.message(id)
                try peer.send(0, .goAway(lastStreamID: .rootStream, errorCode: .noError, opaqueData: nil))
                _ = peer.readToEnd()
                return
            }
            let body = try peer.message(id).text
            try peer.send(id, headers: [(":status", "200")])
            try peer.send(id, body: Data(body.utf8), ends: true)
            _ = peer.readToEnd()
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let peer = try Self.peer(proxy, origin)
            // POST is not idempotent; it may be repeated only since the origin says so (RFC 9113 section 8.7).
            let id = try peer.request("/", port: origin.port, method: "POST", ends: false)
            try peer.send(id, body: Data("once".utf8), ends: true)
            let message = try peer.message(id)
            #expect(message.status == 200)
            #expect(message.text == "once")
        }
        #expect(origin.connections == 5)
    }

    enum Refusal: CaseIterable { case reset, goAway }

    /// RFC 9113 section 7: what was kept is sent again over HTTP/1.1; what was not gets a reason.
    @Test(arguments: Refusal.allCases, [5, 200_000])
    func speaksHTTP1WithAnOriginThatRequiresIt(refusal: Refusal, size: Int) async throws {
        let origin = try Origin { wire, number, origin in
            guard number > 1 else {
                let peer = try HTTP2Peer(wire, client: false)
                let id = try peer.nextRequest()
                try peer.wait { $0.partial(id).body.count >= min(size, 65_535) }
                switch refusal {
                case .reset: try peer.send(id, .rstStream(.http11Required))
                case .goAway:
                    try peer.send(0, .goAway(lastStreamID: .rootStream, errorCode: .http11Required, opaqueData: nil))
                }
                _ = peer.readToEnd()
                return
            }
            while true {
                let request = try wire.readRequest()
                origin.note(request)
                try wire.send("HTTP/1.1 200 OK\r\nContent-Length: \(request.body.count)\r\n\r\n\(request.body)")
            }
        }
        defer { origin.stop() }
        let folder = try Folder()
        let body = Data(repeating: 0x41, count: size)
        try await TestProxy.run(.all, in: folder) { proxy in
            let peer = try Self.peer(proxy, origin)
            func post() throws -> HTTP2Peer.Message {
                let id = try peer.request("/", port: origin.port, method: "POST", ends: false)
                try peer.send(id, body: body, ends: true)
                return try peer.message(id)
            }
            let first = try post()
            #expect(first.status == (size == 5 ? 200 : 502))
            #expect(size == 5 ? first.body == body : first.text.contains("HTTP_1_1_REQUIRED"))
            let second = try post()
            #expect(second.status == 200)
            #expect(second.body == body)
        }
        #expect(origin.requests.count == (size == 5 ? 2 : 1))
        #expect(origin.requests.allSatisfy { $0.hasPrefix("POST / HTTP/1.1") })
        #expect(origin.connections == 2)
        #expect(try TestProxy.recorded(in: folder).count == origin.requests.count)
    }

    @Test(arguments: [
        [(":status", "99")], [(":status", "101")], [(":status", "abc")], [("x", "no status")],
        [(":status", "200"), ("x", "a\r\nb: c")], [(":status", "200"), ("connection", "close")],
    ])
    func aMalformedResponseFailsItsStreamAlone(fields: [(String, String)]) async throws {
        let origin = try Origin { wire, _, _ in
            let peer = try HTTP2Peer(wire, client: false)
            try peer.send(try peer.nextRequest(), headers: fields, ends: true)
            try peer.send(try peer.nextRequest(), headers: [(":status", "204")], ends: true)
            _ = peer.readToEnd()
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let peer = try Self.peer(proxy, origin)
            #expect(try Self.ask(peer, origin).status == 502)
            #expect(try Self.ask(peer, origin).status == 204)
        }
        #expect(origin.connections == 1)
    }

    @Test func holdsTheOriginBackForASlowReader() async throws {
        let sent = Box(0)
        let origin = try Origin(timeout: 1) { wire, _, _ in
            let peer = try HTTP2Peer(wire, client: false)
            let id = try peer.nextRequest()
            try peer.send(id, headers: [(":status", "200")])
            // What the windows do not let out stays with the peer: only what went out counts.
            for _ in 0..<200 { try peer.send(id, body: Data(count: 64 * 1024)) }
            _ = peer.readToEnd()
            sent.value = peer.sentOctets
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let peer = try Self.peer(proxy, origin)
            peer.opensWindows = false
            _ = try peer.request("/", port: origin.port)
            try eventually("the origin is left") { origin.ended == 1 }
        }
        #expect(sent.value > 64 * 1024)
        #expect(sent.value < 2 * 1024 * 1024)
    }

    /// A window of the connection is opened at the frame that ends the stream.
    @Test func takesTheLastFrameWhateverElseIsDueThen() async throws {
        let size = HTTP2Limits.connectionWindow / 2
        let origin = try Origin { wire, _, _ in
            let peer = try HTTP2Peer(wire, client: false)
            let id = try peer.nextRequest()
            try peer.send(id, headers: [(":status", "200")])
            try peer.send(id, body: Data(count: size), ends: true)
            _ = peer.readToEnd()
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let message = try Self.ask(try Self.peer(proxy, origin), origin)
            #expect(message.body.count == size)
            #expect(message.reset == nil)
        }
    }

    @Test func takesAnEmptyBodyAndInterimResponses() async throws {
        let origin = try Origin { wire, _, _ in
            let peer = try HTTP2Peer(wire, client: false)
            let id = try peer.nextRequest()
            try peer.send(id, headers: [(":status", "103"), ("link", "</a>")])
            try peer.send(id, headers: [(":status", "200"), ("x-a", "b")], ends: true)
            _ = peer.readToEnd()
        }
        defer { origin.stop() }
        let folder = try Folder()
        for mode in [RecordMode.once, .none] {
            try await TestProxy.run(mode, in: folder) { proxy in
                let message = try Self.ask(try Self.peer(proxy, origin), origin)
                #expect(message.heads.count == (mode == .once ? 2 : 1))
                #expect(message.status == 200)
                #expect(message.field("x-a") == "b")
                #expect(message.text.isEmpty)
            }
        }
    }
}
