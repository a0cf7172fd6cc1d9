import Foundation
import Testing

@testable import PlayheadProxy

/// What goes to an origin and what comes back, relayed without recording.
@Suite struct RelayTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test func keepsBothConnectionsForTheNextRequest() async throws {
        let origin = try Origin.answering(Self.ok)
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.client()
            for index in 0..<5 {
                try client.send("GET http://127.0.0.1:\(origin.port)/\(index) HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try client.readResponse().body == "ok")
            }
        }
        #expect(origin.connections == 1)
        #expect(origin.requests.count == 5)
    }

    @Test func answersPipelinedRequestsInOrder() async throws {
        let origin = try Origin { wire, _, _ in
            while true {
                let path = try wire.readRequest().startLine.split(separator: " ")[1]
                try wire.send("HTTP/1.1 200 OK\r\nContent-Length: \(path.utf8.count)\r\n\r\n\(path)")
            }
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.client()
            let requests = (0..<50).map { "GET http://127.0.0.1:\(origin.port)/\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }
            try client.send(requests.joined())
            for index in 0..<50 { #expect(try client.readResponse().body == "/\(index)") }
        }
    }

    @Test func answersAllPipelinedRequestsOfAHalfClosedClient() async throws {
        let origin = try Origin.answering(Self.ok)
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.client()
            let request = "GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n"
            try client.send(request + request + request)
            client.endOutput()
            for _ in 0..<3 { #expect(try client.readResponse().body == "ok") }
            #expect(client.readToEnd().end == .closed)
        }
    }

    @Test func answersAHalfClosedClientWhoseBodyCameBeforeTheConnection() async throws {
        let origin = try Origin { wire, _, _ in
            while true {
                let body = try wire.readRequest().body
                try wire.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            for framing in [
                "Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            ] {
                let client = try proxy.client()
                try client.send("POST http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\(framing)")
                client.endOutput()
                #expect(try client.readResponse().body == "hello")
            }
        }
    }

    @Test func refusesARequestThatEndsInItsBody() async throws {
        let origin = try Origin { wire, _, _ in _ = wire.readToEnd() }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.client()
            try client.send("POST http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhel")
            client.endOutput()
            let (text, end) = client.readToEnd()
            #expect(text.hasPrefix("HTTP/1.1 400 "))
            #expect(end == .closed)
        }
    }

    @Test func givesAHalfClosedClientItsWholeLargeAnswer() async throws {
        let size = 20 * 1024 * 1024
        let full = Event()
        let origin = try Origin { wire, _, _ in
            _ = try wire.readRequest()
            try wire.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            try wire.send(Data(repeating: 0x61, count: size), whenFull: full)
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.client(receiveBuffer: 16 * 1024)
            try client.send("GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            client.endOutput()
            _ = try client.read(until: "\r\n\r\n")
            try full.wait("the way to the client is full")
            #expect(client.readToEnd().text.utf8.count + client.received.count == size)
        }
    }

    @Test func relaysChunksBothWaysWithTheirBordersAndTrailers() async throws {
        let origin = try Origin { wire, _, origin in
            let request = try wire.readRequest()
            origin.note(request)
            try wire.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n")
            for chunk in request.chunks { try wire.send("\(String(chunk.utf8.count, radix: 16))\r\n\(chunk)\r\n") }
            try wire.send("0\r\nX-Sum: \(request.trailers.joined())\r\n\r\n")
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.client()
            try client.send(
                "POST http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "3;ext=1\r\nabc\r\n2\r\nde\r\n0\r\nX-T: 1\r\nHost: evil\r\nContent-Length: 9\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.chunks == ["abc", "de"])
            #expect(response.trailers == ["X-Sum: X-T: 1"])
        }
        #expect(origin.requests.first?.contains("Transfer-Encoding: chunked") == true)
    }

    @Test func forwardsExpectAndTheInterimAnswer() async throws {
        let origin = try Origin { wire, _, origin in
            let head = try wire.read(until: "\r\n\r\n")
            #expect(head.contains("Expect: 100-continue"))
            try wire.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n")
            #expect(try wire.read(count: 4) == "body")
            try wire.send(Self.ok)
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.client()
            try client.send(
                "PUT http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n"
                    + "Expect: 100-continue\r\n\r\n")
            let early = try client.readResponse()
            #expect(early.status == 103)
            #expect(early.fields["link"] == "</a>")
            #expect(try client.readResponse().status == 100)
            try client.send("body")
            #expect(try client.readResponse().body == "ok")
        }
    }

    @Test func endsTheUploadWhenTheOriginAnswersInsteadOfContinuing() async throws {
        let origin = try Origin { wire, _, _ in
            _ = try wire.read(until: "\r\n\r\n")
            try wire.send("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n")
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.client()
            try client.send(
                "PUT http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n"
                    + "Expect: 100-continue\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.status == 417)
            #expect(response.fields["connection"] == "close")
            #expect(client.readToEnd().end == .closed)
        }
    }

    @Test func deliversAnEarlyAnswerWhileTheClientStillSends() async throws {
        let origin = try Origin { wire, _, _ in
            _ = try wire.read(until: "\r\n\r\n")
            _ = try wire.read(count: 1000)
            try wire.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbig!")
            // Closed over unread input, so the proxy also sees a reset.
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.client()
            try client.send(
                "POST http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 20000000\r\n\r\n")
            _ = client.sendUntilRefused(Data(repeating: 0x61, count: 64 * 1024), limit: 20_000_000)
            let response = try client.readResponse()
            #expect(response.status == 413)
            #expect(response.body == "big!")
        }
    }

    @Test(arguments: [
        ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", "500"),
        ("HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", nil),
        ("GET", "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", nil),
        ("GET", "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n", nil),
        ("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n", "500"),
        ("GET", "HTTP/1.1 205 Reset Content\r\n\r\n", "0"),
    ])
    func sendsNoBodyWhereNoneMayBe(method: String, response: String, length: String?) async throws {
        let origin = try Origin.answering(response)
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.client()
            for _ in 0..<2 {
                try client.send("\(method) http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
                let message = try client.readResponse(toHead: true)
                #expect(message.fields["content-length"] == length)
                #expect(message.fields["transfer-encoding"] == nil)
                #expect(client.text.isEmpty)
            }
        }
    }

    @Test func takesFramingFieldsOffInterimAnswers() async throws {
        let origin = try Origin.answering("HTTP/1.1 103 Early\r\nContent-Length: 5\r\nLink: a\r\n\r\n" + Self.ok)
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.client()
            try client.send("GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            let early = try client.readResponse()
            #expect(early.status == 103)
            #expect(early.lines == ["Link: a"])
            #expect(try client.readResponse().body == "ok")
        }
    }

    @Test func refusesEndlessInterimAnswersAndUnaskedSwitching() async throws {
        let endless = String(repeating: "HTTP/1.1 102 Processing\r\n\r\n", count: 40) + Self.ok
        let answers = [endless, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: foo\r\nConnection: upgrade\r\n\r\n"]
        for answer in answers {
            let origin = try Origin.answering(answer)
            defer { origin.stop() }
            try await TestProxy.run { proxy in
                let client = try proxy.client()
                try client.send("GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
                var response = try client.readResponse()
                var interim = 0
                while response.status == 102 {
                    interim += 1
                    response = try client.readResponse()
                }
                #expect(interim == (answer == endless ? 32 : 0))
                #expect(response.status == 502)
                #expect(response.fields["proxy-status"]?.contains("http_protocol_error") == true)
            }
        }
    }

    @Test func removesWhatBelongsToOneConnection() async throws {
        let origin = try Origin.answering(
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: x-one\r\nX-One: 1\r\nKeep-Alive: timeout=5\r\n"
                + "Proxy-Authenticate: Basic\r\nX-Two: 2\r\n\r\nok")
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.client()
            try client.send(
                "GET http://u:p@127.0.0.1:\(origin.port)/a%0d%0ab?q=1 HTTP/1.1\r\nHost: evil.example\r\n"
                    + "Connection: keep-alive, X-Secret, host, content-length\r\nx-secret: 1\r\n"
                    + "Proxy-Connection: keep-alive\r\nProxy-Authorization: Basic eDp5\r\nKeep-Alive: 5\r\n"
                    + "Upgrade: h2c\r\nHTTP2-Settings: AAMA\r\nTE: trailers, gzip\r\nX-Case: a\r\nx-case: b\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.lines == ["Content-Length: 2", "X-Two: 2"])
        }
        #expect(
            origin.requests == [
                "GET /a%0d%0ab?q=1 HTTP/1.1\nHost: 127.0.0.1:\(origin.port)\nX-Case: a\nx-case: b"
            ])
    }

    @Test func servesClientsOfHTTP10WithoutChunks() async throws {
        let origin = try Origin { wire, _, origin in
            origin.note(try wire.readRequest())
            try wire.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n")
            _ = wire.readToEnd()
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.client()
            try client.send("GET http://127.0.0.1:\(origin.port)/ HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.fields["transfer-encoding"] == nil)
            #expect(response.body == "abc")
        }
        #expect(origin.requests == ["GET / HTTP/1.1\nHost: 127.0.0.1:\(origin.port)"])
    }

    @Test func keepsAnHTTP10ClientThatAsksForIt() async throws {
        let origin = try Origin.answering(Self.ok)
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.client()
            for _ in 0..<2 {
                try client.send("GET http://127.0.0.1:\(origin.port)/ HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                let response = try client.readResponse()
                #expect(response.fields["connection"] == "keep-alive")
            }
        }
    }

    @Test func passesABodyThatRunsToTheCloseAsChunks() async throws {
        let origin = try Origin { wire, _, _ in
            _ = try wire.readRequest()
            try wire.send("HTTP/1.0 200 OK\r\n\r\nall of it")
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.client()
            for _ in 0..<2 {
                try client.send("GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try client.readResponse().chunks.joined() == "all of it")
            }
        }
    }
}
