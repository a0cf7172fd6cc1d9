import Foundation
import NIOHPACK
import NIOHTTP2
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

/// Every pairing of versions with every kind of exchange: live, and replayed with the origin gone.
@Suite(.serialized) struct PairingTests {
    enum Version: CaseIterable { case http1, http2 }
    enum Action: CaseIterable { case get, post, stream, trailers, reset, early }

    struct Pairing: CustomTestStringConvertible {
        var client: Version
        var origin: Version
        var action: Action

        var testDescription: String { "\(self.action): \(self.client) client, \(self.origin) origin" }

        static let all = Version.allCases.flatMap { client in
            Version.allCases.flatMap { origin in
                Action.allCases.map { Pairing(client: client, origin: origin, action: $0) }
            }
        }
    }

    /// What a client saw.
    struct Answer: Equatable {
        var status = 0
        var text = ""
        var trailer: String?
        var isBroken = false
    }

    /// 10 MB of text that is not the same everywhere.
    static let upload = Data((0..<10_000_000).map { UInt8(32 + $0 % 89) })

    @Test(arguments: Pairing.all)
    func everyPairing(pairing: Pairing) async throws {
        let folder = try Folder()
        let gate = Event()
        let origin = try pairing.origin == .http1 ? HTTP1Script.origin(gate) : HTTP2Script.origin(gate)
        let front = try TLSFront(before: origin.port, alpn: ["h2"])
        let url =
            pairing.origin == .http1
            ? "http://127.0.0.1:\(origin.port)/\(pairing.action)" : "https://127.0.0.1:\(front.port)/\(pairing.action)"
        let expected: Answer =
            switch pairing.action {
            case .get: Answer(status: 200, text: "hello")
            case .post: Answer(status: 200, text: "same")
            case .stream: Answer(status: 200, text: "onetwo")
            case .trailers: Answer(status: 200, text: "sum 6", trailer: "yes")
            case .reset: Answer(status: 200, text: "half", isBroken: true)
            case .early: Answer(status: 413, text: "too big")
            }
        for mode in [RecordMode.once, .none] {
            let answer = Box(Answer())
            let summary = try await TestProxy.run(
                mode, in: folder, settings: ProxySettings(http2: .always), upstreamRoots: [front.root]
            ) { proxy in
                let wire = try proxy.client(timeout: 60)
                answer.value =
                    try pairing.client == .http1
                    ? HTTP1Script.ask(wire, pairing.action, url, gate)
                    : HTTP2Script.ask(HTTP2Peer(wire), pairing.action, url, gate)
            }
            #expect(answer.value == expected)
            #expect(mode == .once ? summary.recorded == 1 : summary.replayed == 1)
            origin.stop()
            front.stop()
        }
        let exchange = try #require(try TestProxy.recorded(in: folder).first)
        #expect(exchange.request.version == (pairing.client == .http1 ? .http1_1 : .http2))
        if case .response(let response) = exchange.outcome {
            #expect(response.version == (pairing.origin == .http1 ? .http1_1 : .http2))
        }
    }
}

/// Both ends of an exchange in HTTP/1.1.
private enum HTTP1Script {
    static func ask(
        _ wire: Wire, _ action: PairingTests.Action, _ url: String, _ gate: Event
    ) throws -> PairingTests.Answer {
        let method = action == .post || action == .trailers || action == .early ? "POST" : "GET"
        var head = "\(method) \(url) HTTP/1.1\r\nHost: x\r\n"
        if action == .post || action == .early { head += "Content-Length: \(PairingTests.upload.count)\r\n" }
        if action == .trailers { head += "Transfer-Encoding: chunked\r\nTE: trailers\r\n" }
        try wire.send(head + "\r\n")
        switch action {
        case .get: break
        case .post: try wire.send(PairingTests.upload)
        // The answer may come before the end, and the connection close behind it.
        case .early: _ = wire.sendUntilRefused(PairingTests.upload, limit: PairingTests.upload.count)
        case .trailers: try wire.send("3\r\nabc\r\n3\r\ndef\r\n0\r\nX-Sum: 6\r\n\r\n")
        case .stream:
            _ = try wire.read(until: "one")
            gate.happen()
            _ = try wire.read(until: "two\r\n0\r\n\r\n")
            return PairingTests.Answer(status: 200, text: "onetwo")
        case .reset:
            let (text, _) = wire.readToEnd()
            #expect(text.lowercased().contains("content-length: 100"))
            return PairingTests.Answer(status: 200, text: String(text.suffix(4)), isBroken: true)
        }
        let message = try wire.readResponse()
        let trailer = message.trailers.first { $0.lowercased().hasPrefix("x-end: ") }.map { String($0.dropFirst(7)) }
        return PairingTests.Answer(status: message.status, text: message.body, trailer: trailer)
    }

    static func origin(_ gate: Event) throws -> Origin {
        try Origin { wire, _, _ in
            let ok = "HTTP/1.1 200 OK\r\n"
            let first = try wire.read(until: "\r\n\r\n")
            guard !first.hasPrefix("POST /early") else {
                try wire.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 7\r\n\r\ntoo big")
                _ = wire.readToEnd()
                return
            }
            wire.received = Data(first.utf8) + wire.received
            let request = try wire.readRequest()
            let path = request.startLine.split(separator: " ").dropFirst().first ?? ""
            switch path {
            case "/post":
                let isSame = request.body == String(decoding: PairingTests.upload, as: UTF8.self)
                try wire.send(ok + "Content-Length: \(isSame ? 4 : 9)\r\n\r\n\(isSame ? "same" : "different")")
            case "/stream":
                try wire.send(ok + "Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
                try gate.wait()
                try wire.send("3\r\ntwo\r\n0\r\n\r\n")
            case "/trailers":
                let sum = request.trailers.first { $0.lowercased().hasPrefix("x-sum: ") }?.dropFirst(7) ?? "none"
                let text = "sum \(sum)"
                try wire.send(ok + "Transfer-Encoding: chunked\r\nTrailer: X-End\r\n\r\n")
                try wire.send("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n0\r\nX-End: yes\r\n\r\n")
            case "/reset": try wire.send(ok + "Content-Length: 100\r\n\r\nhalf")
            default: try wire.send(ok + "Content-Length: 5\r\n\r\nhello")
            }
        }
    }
}

/// Both ends of an exchange in HTTP/2.
private enum HTTP2Script {
    static func ask(
        _ peer: HTTP2Peer, _ action: PairingTests.Action, _ url: String, _ gate: Event
    ) throws -> PairingTests.Answer {
        let parts = try #require(URLComponents(string: url))
        let method = action == .post || action == .trailers || action == .early ? "POST" : "GET"
        let id = try peer.request(
            method, parts.path, authority: "127.0.0.1:\(parts.port ?? 0)", scheme: parts.scheme ?? "",
            action == .trailers ? [("te", "trailers")] : [], ends: method == "GET")
        switch action {
        case .get, .reset: break
        case .post, .early: try peer.send(id, body: PairingTests.upload, ends: true)
        case .trailers:
            try peer.send(id, body: Data("abcdef".utf8))
            try peer.send(id, headers: [("x-sum", "6")], ends: true)
        case .stream:
            try peer.wait { $0.partial(id).text == "one" || $0.partial(id).text == "onetwo" }
            gate.happen()
        }
        let message = try peer.message(id)
        return PairingTests.Answer(
            status: message.status, text: message.text, trailer: message.trailers?.first(name: "x-end"),
            // NO_ERROR behind a whole answer says that the rest of the request is not wanted.
            isBroken: message.reset ?? .noError != .noError)
    }

    static func origin(_ gate: Event) throws -> Origin {
        try Origin { wire, _, _ in
            let peer = try HTTP2Peer(wire, client: false)
            let id = try peer.nextRequest()
            let path = peer.partial(id).field(":path") ?? ""
            if path == "/post" || path == "/trailers" { _ = try peer.message(id) }
            let request = peer.partial(id)
            let ok = [(":status", "200")]
            switch path {
            case "/post":
                try peer.send(id, headers: ok)
                let isSame = request.body == PairingTests.upload
                try peer.send(id, body: Data((isSame ? "same" : "different").utf8), ends: true)
            case "/stream":
                try peer.send(id, headers: ok)
                try peer.send(id, body: Data("one".utf8))
                try gate.wait()
                try peer.send(id, body: Data("two".utf8), ends: true)
            case "/trailers":
                try peer.send(id, headers: ok)
                try peer.send(id, body: Data("sum \(request.trailers?.first(name: "x-sum") ?? "none")".utf8))
                try peer.send(id, headers: [("x-end", "yes")], ends: true)
            case "/reset":
                try peer.send(id, headers: ok + [("content-length", "100")])
                try peer.send(id, body: Data("half".utf8))
                try peer.send(id, .rstStream(.internalError))
            case "/early":
                try peer.send(id, headers: [(":status", "413"), ("content-length", "7")])
                try peer.send(id, body: Data("too big".utf8), ends: true)
                try peer.send(id, .rstStream(.noError))
                _ = peer.readToEnd()
            default:
                try peer.send(id, headers: ok + [("content-length", "5")])
                try peer.send(id, body: Data("hello".utf8), ends: true)
            }
            _ = peer.readToEnd()
        }
    }
}
