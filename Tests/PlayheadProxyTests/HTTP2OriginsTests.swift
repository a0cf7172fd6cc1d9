import NIOCore
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

@Suite struct HTTP2OriginsTests {
    private static let target = UpstreamTarget(isSecure: true, host: "a.example", port: 443, versions: .both)

    private static func name(_ way: HTTP2Origins.Way) -> String {
        switch way {
        case .shared: "shared"
        case .wait: "wait"
        case .dial: "dial"
        case .http1: "http1"
        }
    }

    private func way(_ origins: HTTP2Origins) -> String {
        Self.name(origins.way(to: Self.target, isIdempotent: true, now: .now()))
    }

    @Test func oneConnectsAndTheOthersWait() {
        var origins = HTTP2Origins()
        #expect(self.way(origins) == "dial")
        origins.beginDial(Self.target)
        #expect(self.way(origins) == "wait")
        var heard = 0
        origins.wait(for: Self.target) { if $0 == nil { heard += 1 } }
        for outcome in origins.endDial(Self.target) { outcome(nil) }
        #expect(heard == 1)
        #expect(self.way(origins) == "dial")
    }

    @Test func remembersWhoSpeaksHTTP1() {
        var origins = HTTP2Origins()
        origins.noteHTTP1(Self.target)
        origins.beginDial(Self.target)
        #expect(self.way(origins) == "http1")
    }

    @Test(arguments: [
        (HTTP2Use.off, true, HTTPVersion.http2, true, UpstreamTarget.Versions.http1),
        (.auto, true, .http2, true, .both), (.auto, true, .http1_1, true, .http1),
        (.always, true, .http1_1, true, .both), (.always, false, .http1_1, true, .http1),
        (.auto, false, .http2, true, .http2), (.auto, false, .http2, false, .http1),
        (.off, false, .http2, true, .http1),
    ])
    func choosesTheVersions(
        use: HTTP2Use, isSecure: Bool, client: HTTPVersion, isTunnelled: Bool, versions: UpstreamTarget.Versions
    ) {
        var request = ProxiedRequest(
            head: RequestHead(method: "GET", target: "/"), clientVersion: client, framing: .none,
            scheme: isSecure ? "https" : "http", host: "a.example", port: 443)
        request.isTunnelled = isTunnelled
        #expect(UpstreamTarget(request, http2: use).versions == versions)
        // gRPC exists over HTTP/2 alone.
        request.head.headers.append(name: "content-type", value: "application/grpc")
        if use != .off, !isSecure, client == .http2 {
            #expect(UpstreamTarget(request, http2: use).versions == .http2)
        }
        let versions = UpstreamTarget(request, http2: use).versions
        request.head.headers.append(name: "Upgrade", value: "websocket")
        let socket = UpstreamTarget(request, http2: use)
        #expect(socket.versions == versions)
        #expect(socket.isTunnel == (versions == .http1))
    }

    @Test func remembersWhoOpensNoWebSocketsOverHTTP2() {
        var origins = HTTP2Origins()
        func name() -> String {
            switch origins.wayForWebSocket(to: Self.target) {
            case .shared: "shared"
            case .ask: "ask"
            case .wait: "wait"
            case .dial: "dial"
            case .http1: "http1"
            }
        }
        #expect(name() == "dial")
        origins.beginDial(Self.target)
        #expect(name() == "wait")
        origins.noteWebSockets(Self.target, taken: false)
        #expect(name() == "http1")
        origins.noteWebSockets(Self.target, taken: true)
        _ = origins.endDial(Self.target)
        #expect(name() == "dial")
        origins.noteHTTP1(Self.target)
        #expect(name() == "http1")
    }

    @Test func remembersWhoAskedForHTTP1() {
        var origins = HTTP2Origins()
        #expect(!origins.requiresHTTP1(Self.target))
        origins.noteHTTP1Required(Self.target)
        #expect(origins.requiresHTTP1(Self.target))
        #expect(!origins.requiresHTTP1(UpstreamTarget(isSecure: true, host: "b.example", port: 443, versions: .both)))
    }

    @Test func aWebSocketInHTTP1HasAConnectionOfItsOwn() {
        let target = Self.target.inHTTP1(forWebSocket: true)
        #expect(target.versions == .http1)
        #expect(target.isTunnel)
        #expect(!Self.target.inHTTP1(forWebSocket: false).isTunnel)
    }

    @Test func namesTheAuthorityWithoutTheSchemesPort() {
        #expect(Self.target.authority == "a.example")
        #expect(UpstreamTarget(isSecure: false, host: "::1", port: 443).authority == "[::1]:443")
        #expect(UpstreamTarget(isSecure: false, host: "::1", port: 80).authority == "[::1]")
    }
}
