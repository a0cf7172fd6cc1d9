import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

@Suite struct HopTrailTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test func knowsItsOwnNameAgain() {
        let headers = HeaderList([("Via", "1.0 fred, 1.1 playhead-a (squid)"), ("via", "1.1 playhead-b")])
        let trail = HopTrail(headers)
        #expect(trail.isLoop(at: "playhead-a") && trail.isLoop(at: "playhead-b"))
        #expect(!trail.isLoop(at: "playhead-c") && !HopTrail().isLoop(at: "playhead-a"))
        #expect(trail.via(adding: "playhead-c") == "1.1 playhead-a, 1.1 playhead-b, 1.1 playhead-c")
        #expect(
            trail.joined(HopTrail(HeaderList([("Via", "1.1 playhead-b, 1.1 playhead-d")]))).isLoop(at: "playhead-d"))
        #expect(HopTrail.newName() != HopTrail.newName())
    }

    @Test func aLongTrailIsALoopToo() {
        let names = (0...16).map { "1.1 playhead-\($0)" }.joined(separator: ",")
        #expect(HopTrail(HeaderList([("Via", names)])).isLoop(at: "playhead-x"))
    }

    @Test(arguments: [
        ("1.1 playhead-a", []), ("1.0 fred, 1.1 playhead-a", ["1.0 fred"]), ("1.0 fred,1.1 p", ["1.0 fred,1.1 p"]),
    ])
    func takesOursOffAndLeavesTheOthers(via: String, kept: [String]) {
        var headers = HeaderList([("Via", via)])
        HopTrail.remove(from: &headers)
        #expect(headers.values("via") == kept)
    }

    /// Towards a proxy each request and each CONNECT carries our name; with it, it is refused when it comes back.
    @Test func theNextProxyIsToldAndACircleIsRefused() async throws {
        let upstream = try Origin { wire, _, origin in
            let request = try wire.readRequest()
            origin.note(request)
            let isTunnel = request.startLine.hasPrefix("CONNECT")
            try wire.send(isTunnel ? "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n" : Self.ok)
        }
        defer { upstream.stop() }
        var settings = ProxySettings()
        settings.upstreamRoutes = UpstreamRoutes(
            try UpstreamProxy("http://127.0.0.1:\(upstream.port)", setting: "--upstream-proxy"))
        settings.traffic.tunnel = [try #require(try? HostPattern("tunnel.example"))]
        try await TestProxy.run(settings: settings) { proxy in
            let before = "Via: 1.0 fred, 1.1 playhead-before\r\n"
            for head in ["GET http://a.example/", "CONNECT tunnel.example:22"] {
                let client = try proxy.client()
                try client.send("\(head) HTTP/1.1\r\nHost: x\r\n\(before)\r\n")
                _ = try client.readResponse()
            }
            let told = upstream.requests.map { $0.split(separator: "\n").filter { $0.hasPrefix("Via: ") } }
            try #require(told.count == 2 && told[1].count == 1, "\(upstream.requests)")
            let via = told[1][0]
            #expect(via.hasPrefix("Via: 1.1 playhead-before, 1.1 playhead-"))
            #expect(told[0] == ["Via: 1.0 fred", via])
            for head in ["GET http://a.example/", "CONNECT a.example:443", "CONNECT tunnel.example:22"] {
                let client = try proxy.client()
                try client.send("\(head) HTTP/1.1\r\nHost: x\r\n\(via)\r\n\r\n")
                let response = try client.readResponse()
                #expect(response.status == 508)
                #expect(response.fields["proxy-status"]?.contains("proxy_loop_detected") == true)
            }
            #expect(upstream.requests.count == 2)
        }
    }

    @Test func originsAreToldNothing() async throws {
        let origin = try Origin.answering(Self.ok)
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.client()
            try client.send(
                "GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\nVia: 1.1 playhead-before\r\n\r\n")
            #expect(try client.readResponse().body == "ok")
        }
        #expect(origin.requests.allSatisfy { !$0.lowercased().contains("via:") })
    }
}
