import Foundation
import NIOCore
import NIOHPACK
import NIOHTTP2
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

/// Clients that speak HTTP/2, by prior knowledge, to origins that speak HTTP/1.
@Suite(.serialized) struct HTTP2ClientConnectionTests {
    @Test func relaysRecordsAndReplays() async throws {
        let folder = try Folder()
        let origin = try Origin.answering(
            "HTTP/1.1 200 OK\r\nX-Case: Yes\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello")
        for mode in [RecordMode.once, .none] {
            let summary = try await TestProxy.run(mode, in: folder) { proxy in
                let peer = try HTTP2Peer(try proxy.client(timeout: 15))
                let ids = try (0..<3).map { try peer.request("/\($0)", port: origin.port) }
                for id in ids {
                    let message = try peer.message(id)
                    #expect(message.status == 200)
                    #expect(message.text == "hello")
                    #expect(message.field("x-case") == "Yes")
                    #expect(message.field("connection") == nil)
                }
            }
            #expect(mode == .once ? summary.recorded == 3 : summary.replayed == 3)
            origin.stop()
        }
        let requests = try TestProxy.recorded(in: folder).map(\.request)
        #expect(requests.allSatisfy { $0.version == .http2 })
        #expect(requests.map(\.url).sorted() == (0..<3).map { "http://127.0.0.1:\(origin.port)/\($0)" })
    }

    @Test func takesThePrefaceForARequestWhenItIsOff() async throws {
        let origin = try Origin.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        defer { origin.stop() }
        try await TestProxy.run(settings: ProxySettings(http2: .off)) { proxy in
            let wire = try proxy.tunnel(to: "127.0.0.1:\(origin.port)")
            try wire.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            #expect(try wire.readResponse().status == 505)
        }
    }

    @Test func sendsBodiesAndTrailersBothWays() async throws {
        let origin = try Origin { wire, _, origin in
            let request = try wire.readRequest()
            origin.note(request)
            #expect(request.chunks.joined() == "onetwo")
            #expect(request.trailers == ["x-sum: 6"])
            try wire.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            try wire.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-End: yes\r\n\r\n")
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let peer = try HTTP2Peer(try proxy.client(timeout: 15))
            let id = try peer.request("/", port: origin.port, method: "POST", ends: false)
            try peer.send(id, body: Data("one".utf8))
            try peer.send(id, body: Data("two".utf8))
            try peer.send(id, headers: [("x-sum", "6")], ends: true)
            let message = try peer.message(id)
            #expect(message.heads.map { $0.first(name: ":status") } == ["103", "200"])
            #expect(message.text == "abc")
            #expect(message.trailers?.first(name: "x-end") == "yes")
        }
    }

    @Test func aResetOfTheClientCancelsUpstream() async throws {
        let origin = try Origin { wire, _, origin in
            origin.note(try wire.readRequest())
            try wire.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nstart")
            // Ends when the proxy closes.
            _ = wire.readToEnd()
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let peer = try HTTP2Peer(try proxy.client(timeout: 15))
            let id = try peer.request("/", port: origin.port)
            try peer.wait { $0.partial(id).text == "start" }
            try peer.send(id, .rstStream(.cancel))
            try eventually("the origin is left") { origin.ended == 1 }
            // The connection goes on.
            #expect(try peer.message(try peer.request("/none", port: 1)).status == 502)
        }
    }

    @Test func aBrokenResponseIsResetNotEnded() async throws {
        let folder = try Folder()
        let origin = try Origin { wire, _, _ in
            _ = try wire.readRequest()
            try wire.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        }
        for mode in [RecordMode.once, .none] {
            try await TestProxy.run(mode, in: folder) { proxy in
                let peer = try HTTP2Peer(try proxy.client(timeout: 15))
                let message = try peer.message(try peer.request("/", port: origin.port))
                #expect(message.text == "half")
                #expect(message.reset != nil)
            }
            origin.stop()
        }
    }

    @Test func anEarlyAnswerRefusesTheRestOfTheUpload() async throws {
        let origin = try Origin { wire, _, _ in
            _ = try wire.read(until: "\r\n\r\n")
            try wire.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig")
            _ = wire.readToEnd()
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let peer = try HTTP2Peer(try proxy.client(timeout: 15))
            let id = try peer.request("/", port: origin.port, method: "POST", ends: false)
            try peer.send(id, body: Data(count: 1000))
            let message = try peer.message(id)
            #expect(message.status == 413)
            #expect(message.text == "big")
            try peer.wait { $0.partial(id).reset == .noError }
        }
    }

    @Test(arguments: [
        [(":method", "GET"), (":scheme", "http"), (":authority", "127.0.0.1:1"), (":path", "/"), ("X-Upper", "a")],
        [(":method", "GET"), (":scheme", "http"), (":authority", "127.0.0.1:1"), (":path", "/"), ("connection", "a")],
        [(":method", "GET"), (":scheme", "http"), (":authority", "127.0.0.1:1"), (":path", "/"), ("host", "b")],
        [(":method", "GET"), (":scheme", "http"), (":authority", "127.0.0.1:1"), (":path", "/"), ("x", "a\r\nb: c")],
        [(":method", "GET"), (":scheme", "http"), (":authority", "127.0.0.1:1"), (":path", "evil.test/")],
        [
            (":method", "GET"), (":scheme", "http"), (":authority", "127.0.0.1:1"), (":path", "/"),
            ("content-length", "5"),
        ],
        [(":method", "GET"), (":authority", "127.0.0.1:1"), (":path", "/")],
    ])
    func resetsMalformedRequests(fields: [(String, String)]) async throws {
        try await TestProxy.run { proxy in
            let peer = try HTTP2Peer(try proxy.client(timeout: 15))
            #expect(try peer.message(try peer.request(fields)).reset == .protocolError)
            // It was an error of the stream alone.
            #expect(try peer.message(try peer.request("/", port: 1)).status == 502)
        }
    }

    @Test func refusesTunnelsOverHTTP2() async throws {
        try await TestProxy.run { proxy in
            let peer = try HTTP2Peer(try proxy.client(timeout: 15))
            let id = try peer.request([(":method", "CONNECT"), (":authority", "a.test:443")], ends: false)
            #expect(try peer.message(id).status == 501)
        }
    }

    @Test func endsTheConnectionGracefullyAtTheEnd() async throws {
        let draining = Event()
        let ended = Event()
        let origin = try Origin { wire, _, origin in
            origin.note(try wire.readRequest())
            try draining.wait()
            try wire.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone")
        }
        defer { origin.stop() }
        let answer = Box("")
        let code = Box<HTTP2ErrorCode?>(nil)
        try await TestProxy.run { proxy in
            let wire = try proxy.client(timeout: 15)
            Thread.detachNewThread {
                guard let peer = try? HTTP2Peer(wire), let id = try? peer.request("/", port: origin.port) else {
                    return
                }
                try? peer.wait { $0.goAway != nil }
                draining.happen()
                answer.value = (try? peer.message(id).text) ?? "nothing"
                code.value = peer.readToEnd()
                ended.happen()
            }
            try eventually("the request is under way") { !origin.requests.isEmpty }
        }
        try await onThread { try ended.wait("the client has read to the end") }
        #expect(answer.value == "done")
        #expect(code.value == .noError)
    }
}

extension HTTP2Peer {
    /// A request in clear text to an origin on loopback.
    func request(_ path: String, port: Int, method: String = "GET", ends: Bool = true) throws -> Int {
        try self.request(method, path, authority: "127.0.0.1:\(port)", ends: ends)
    }
}
