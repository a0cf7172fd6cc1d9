import Foundation
import NIOCore
import PlayheadCassette
import PlayheadEngine
import Testing

@testable import PlayheadProxy

/// Recording and replay through the proxy, end to end.
@Suite struct RecordingTests {
    /// An origin that answers each request with a count of its own.
    private static func counter() throws -> Origin {
        try Origin { wire, _, origin in
            while true {
                origin.note(try wire.readRequest())
                let body = "answer \(origin.requests.count)"
                try wire.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
        }
    }

    @Test func onceRecordsThenReplaysThenMisses() async throws {
        let origin = try Self.counter()
        defer { origin.stop() }
        let folder = try Folder()
        let first = try await TestProxy.run(.once, in: folder) { proxy in
            let body1 = try proxy.get(origin).body
            #expect(body1 == "answer 1")
            let body2 = try proxy.get(origin).body
            #expect(body2 == "answer 2")
        }
        #expect(first.recorded == 2)
        let second = try await TestProxy.run(.once, in: folder) { proxy in
            let body3 = try proxy.get(origin).body
            #expect(body3 == "answer 1")
            let body4 = try proxy.get(origin).body
            #expect(body4 == "answer 2")
            let miss = try proxy.get(origin)
            #expect(miss.status == 501)
            #expect(miss.fields["playhead-miss"] == "1")
            let status5 = try proxy.get(origin, "/other?token=geheim").status
            #expect(status5 == 501)
        }
        #expect(second.replayed == 2)
        #expect(second.missed == 2)
        #expect(!second.text.contains("geheim"))
        #expect(origin.requests.count == 2)
    }

    @Test func aBigRequestIsKeptInAFileUntilItIsKnownToBeNew() async throws {
        // No text, so that nothing is searched in it.
        let block = Data((0..<(1 << 16)).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })
        let octets = (0..<300).reduce(into: Data()) { $0 += block + [UInt8(truncatingIfNeeded: $1), 0] }
        #expect(octets.count > BodyCollector.limit)
        let origin = try Origin { wire, _, origin in
            _ = try wire.read(until: "\r\n\r\n")
            while wire.received.count < 5 || wire.received.count > 5 && wire.received.count < octets.count {
                guard wire.receive() == nil else { return }
            }
            let answer = wire.received.count == 5 ? "small" : wire.received == octets ? "whole" : "damaged"
            try wire.send(
                "HTTP/1.1 200 OK\r\nContent-Length: \(answer.utf8.count)\r\nConnection: close\r\n\r\n\(answer)")
        }
        defer { origin.stop() }
        let folder = try Folder()
        let head = "POST http://127.0.0.1:\(origin.port)/up HTTP/1.1\r\nHost: x\r\nContent-Length: "
        let post: @Sendable (TestProxy, Data) throws -> String = { proxy, body in
            let client = try proxy.client()
            try client.send("\(head)\(body.count)\r\n\r\n")
            try client.send(body)
            return try client.readResponse().body
        }
        let change: (inout SessionOptions) throws -> Void = {
            $0.rules = try MatchRules.parse(list: "default,raw_body")
        }
        let first = try await TestProxy.run(.newEpisodes, in: folder, options: change) { proxy in
            _ = try post(proxy, Data("small".utf8))
        }
        let second = try await TestProxy.run(.newEpisodes, in: folder, options: change) { proxy in
            let answer = try post(proxy, octets)
            #expect(answer == "whole")
        }
        #expect(first.recorded == 1 && second.recorded == 1 && origin.connections == 2)
        let third = try await TestProxy.run(.none, in: folder, options: change) { proxy in
            let answer = try post(proxy, octets)
            #expect(answer == "whole")
        }
        #expect(third.replayed == 1 && origin.connections == 2)
    }

    @Test func anOldRecordingAnswersWhenItCannotBeMadeAnew() async throws {
        let origin = try Self.counter()
        let folder = try Folder()
        try await TestProxy.run(.once, in: folder) { proxy in _ = try proxy.get(origin) }
        origin.stop()
        let again = try await TestProxy.run(.once, in: folder, reRecordAfter: -1) { proxy in
            let answer = try proxy.get(origin)
            #expect(answer.status == 200)
            #expect(answer.body == "answer 1")
        }
        #expect(again.replayed == 1)
        #expect(again.recorded == 0)
        #expect(again.warnings.count == 1)
        let later = try await TestProxy.run(.none, in: folder) { proxy in
            let body = try proxy.get(origin).body
            #expect(body == "answer 1")
        }
        #expect(later.missed == 0)
    }

    @Test(arguments: ["default", "default,body"])
    func theOldRecordingWithTheSameBodyAnswers(match: String) async throws {
        let rules = try MatchRules.parse(list: match)
        let origin = try Self.counter()
        let folder = try Folder()
        try await TestProxy.run(.once, in: folder) { proxy in
            for body in ["one", "two"] { _ = try proxy.post(origin, body) }
        }
        origin.stop()
        let again = try await TestProxy.run(.once, in: folder, reRecordAfter: -1, options: { $0.rules = rules }) {
            proxy in
            let second = try proxy.post(origin, "two").body
            #expect(second == "answer 2")
            let first = try proxy.post(origin, "one").body
            #expect(first == "answer 1")
        }
        #expect(again.replayed == 2 && again.recorded == 0)
    }

    @Test func bigBodiesAreComparedByTheirValues() async throws {
        let origin = try Self.counter()
        let folder = try Folder()
        let filler = String(repeating: "x", count: 100_000)
        @Sendable func body(_ number: Int, nonce: Int, secret: String) -> String {
            #"{"n":\#(number),"nonce":\#(nonce),"api_key":"\#(secret)","x":"\#(filler)"}"#
        }
        try await TestProxy.run(.once, in: folder) { proxy in
            for number in [1, 2] { _ = try proxy.post(origin, body(number, nonce: 7, secret: "sesame-\(number)-open")) }
        }
        var asked = try MatchRules.parse(list: "default,body")
        asked.ignoredJSONPaths = ["nonce"]
        let rules = asked
        // Other members are equal, but in another order; what was redacted equals anything.
        try await TestProxy.run(.none, in: folder, options: { $0.rules = rules }) { proxy in
            for number in [2, 1] {
                let asked = #"{"x":"\#(filler)","api_key":"another-secret","n":\#(number),"nonce":0}"#
                let answer = try proxy.post(origin, asked).body
                #expect(answer == "answer \(number)")
            }
        }
        // The recordings that are made anew are found as well.
        let anew = try await TestProxy.run(.all, in: folder, options: { $0.rules = rules }) { proxy in
            _ = try proxy.post(origin, body(2, nonce: 8, secret: "sesame-3-open"))
        }
        #expect(anew.recorded == 1)
        #expect(try folder.recordedBodies() == ["answer 1", "answer 3"])
        origin.stop()
    }

    @Test func eachModeDoesWhatItSays() async throws {
        let origin = try Self.counter()
        defer { origin.stop() }
        let folder = try Folder()
        try await TestProxy.run(.newEpisodes, in: folder) { proxy in _ = try proxy.get(origin, "/a") }
        try await TestProxy.run(.newEpisodes, in: folder) { proxy in
            let body6 = try proxy.get(origin, "/a").body
            #expect(body6 == "answer 1")
            let body7 = try proxy.get(origin, "/b").body
            #expect(body7 == "answer 2")
        }
        #expect(try folder.recordedBodies() == ["answer 1", "answer 2"])
        try await TestProxy.run(.all, in: folder) { proxy in
            let body8 = try proxy.get(origin, "/a").body
            #expect(body8 == "answer 3")
        }
        #expect(try folder.recordedBodies().sorted() == ["answer 2", "answer 3"])
        try await TestProxy.run(.passthrough, in: folder) { proxy in
            let body9 = try proxy.get(origin, "/a").body
            #expect(body9 == "answer 4")
        }
        #expect(try folder.recordedBodies().sorted() == ["answer 2", "answer 3"])
        try await TestProxy.run(.rewrite, in: folder) { proxy in
            let body10 = try proxy.get(origin, "/c").body
            #expect(body10 == "answer 5")
        }
        #expect(try folder.recordedBodies() == ["answer 5"])
        let summary = try await TestProxy.run(.none, in: folder) { proxy in
            let body11 = try proxy.get(origin, "/c").body
            #expect(body11 == "answer 5")
            let status12 = try proxy.get(origin, "/a").status
            #expect(status12 == 501)
        }
        #expect(summary.missed == 1)
        #expect(origin.requests.count == 5)
    }

    @Test func appendsToTheJournalBeforeTheLastOctetGoesOut() async throws {
        let folder = try Folder()
        let large = 300_000
        let origin = try Origin { wire, _, _ in
            while true {
                let request = try wire.readRequest()
                switch request.startLine.split(separator: " ")[1].split(separator: "?")[0] {
                case "/large":
                    try wire.send("HTTP/1.1 200 OK\r\nContent-Length: \(large)\r\n\r\n")
                    try wire.send(Data(repeating: 0x20, count: large))
                case "/none": try wire.send("HTTP/1.1 204 No Content\r\n\r\n")
                default: try wire.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nsmall")
                }
            }
        }
        defer { origin.stop() }
        let journal = folder.path + "/" + "test.journal"
        try await TestProxy.run(.once, in: folder) { proxy in
            let client = try proxy.client(timeout: 90)
            for index in 0..<30 {
                let path = ["/small", "/large", "/none"][index % 3]
                let body = index % 2 == 0 ? "" : String(repeating: " ", count: 100_000)
                // An octet of the next request while this one is being recorded must not push the answer out.
                try client.send(
                    "\(body.isEmpty ? "GET" : "POST") http://127.0.0.1:\(origin.port)\(path)?\(index) HTTP/1.1\r\n"
                        + "Host: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)\r\n")
                let response = try client.readResponse()
                #expect(response.status == (path == "/none" ? 204 : 200))
                let written = try String(decoding: Data(contentsOf: URL(fileURLWithPath: journal)), as: UTF8.self)
                #expect(written.contains("\(path)?\(index)"), "answered before it was recorded")
            }
        }
    }

    @Test func givesAPlayBackThatTheClientDidNotTake() async throws {
        let folder = try Folder()
        let size = 8_000_000
        let origin = try Origin { wire, _, _ in
            _ = try wire.readRequest()
            try wire.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            try wire.send(Data(repeating: 0x20, count: size))
        }
        let request = "GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n"
        try await TestProxy.run(.once, in: folder) { proxy in
            let client = try proxy.client(timeout: 90)
            try client.send(request)
            #expect(try client.readResponse().body.utf8.count == size)
        }
        origin.stop()
        let summary = try await TestProxy.run(.none, in: folder) { proxy in
            let first = try proxy.client(receiveBuffer: 16 * 1024, timeout: 90)
            try first.send(request)
            _ = try first.read(until: "\r\n\r\n")
            first.reset()
            try eventually("the playback is given back") { proxy.session.summary.replayed == 0 }
            let second = try proxy.client(timeout: 90)
            try second.send(request)
            #expect(try second.readResponse().body.utf8.count == size)
        }
        #expect(summary.replayed == 1)
        #expect(summary.missed == 0)
    }

    /// As clients do that follow a redirect and do not read its body.
    @Test func recordsTheRestThatAClientDidNotWaitFor() async throws {
        let folder = try Folder()
        let left = Event()
        let origin = try Origin { wire, _, _ in
            _ = try wire.readRequest()
            try wire.send("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 10\r\n\r\n1234")
            try left.wait()
            try wire.send("567890")
            _ = wire.readToEnd()
        }
        defer { origin.stop() }
        let request = "GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n"
        try await TestProxy.run(.once, in: folder) { proxy in
            let client = try proxy.client()
            try client.send(request)
            _ = try client.read(until: "1234")
            client.reset()
            try eventually("the proxy has seen that the client left") { try proxy.openConnections() == 0 }
            left.happen()
            try eventually("the exchange is recorded") { proxy.session.summary.recorded == 1 }
        }
        let exchange = try #require(try TestProxy.recorded(in: folder).first)
        guard case .response(let response) = exchange.outcome else {
            Issue.record("\(exchange)")
            return
        }
        #expect(
            try response.body.octets(
                at: CassetteLocation(folder: folder.path, name: CassetteName.validated("test")))
                == ByteBuffer(string: "1234567890"))
    }

    @Test func answersExpectAtOnceInReplay() async throws {
        let origin = try Self.counter()
        let folder = try Folder()
        let head = "POST http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n"
        try await TestProxy.run(.once, in: folder) { proxy in
            let client = try proxy.client()
            try client.send(head + "\r\nbody")
            #expect(try client.readResponse().body == "answer 1")
        }
        origin.stop()
        try await TestProxy.run(.none, in: folder) { proxy in
            let client = try proxy.client()
            try client.send(head + "Expect: 100-continue\r\n\r\n")
            #expect(try client.readResponse().status == 100)
            try client.send("body")
            #expect(try client.readResponse().body == "answer 1")
        }
    }

    /// A 500 is no replay, though the program may be content with it.
    @Test func aBodyFileThatIsGoneIsNoReplay() async throws {
        let folder = try Folder()
        let origin = try Origin { wire, _, _ in
            _ = try wire.readRequest()
            try wire.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "a", count: 100_000))
        }
        let request = "GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        try await TestProxy.run(.once, in: folder) { proxy in
            let client = try proxy.client()
            try client.send(request)
            #expect(client.readToEnd().text.hasSuffix("aaa"))
        }
        origin.stop()
        try FileManager.default.removeItem(atPath: folder.path + "/test.bodies")
        let summary = try await TestProxy.run(.none, in: folder) { proxy in
            for _ in 1...2 {
                let client = try proxy.client()
                try client.send(request)
                #expect(client.readToEnd().text.hasPrefix("HTTP/1.1 500 "))
            }
        }
        #expect(summary.replayed == 0 && summary.missed == 0)
        #expect(summary.replayFailure?.contains("the side file is missing") == true, "\(summary)")
        #expect(summary.text.contains("playhead: a recording cannot be replayed: "))
    }

    @Test func doesNotHarmTheClientWhenTheFolderCannotBeWritten() async throws {
        let origin = try Self.counter()
        defer { origin.stop() }
        let folder = try Folder()
        // A folder where the journal should be: even root cannot append to that.
        try FileManager.default.createDirectory(
            atPath: folder.path + "/test.journal", withIntermediateDirectories: true)
        // Opening may refuse it; what matters is a session that is open already.
        try FileManager.default.removeItem(atPath: folder.path + "/test.journal")
        let summary = try await TestProxy.run(.once, in: folder) { proxy in
            try FileManager.default.createDirectory(
                atPath: folder.path + "/test.journal", withIntermediateDirectories: true)
            let body13 = try proxy.get(origin).body
            #expect(body13 == "answer 1")
            let body14 = try proxy.get(origin).body
            #expect(body14 == "answer 2")
        }
        #expect(summary.recorded == 0)
        #expect(summary.recordingFailure != nil)
    }

    @Test func keepsSecretsOutOfTheCassetteTheAnswersAndTheReport() async throws {
        let origin = try Self.counter()
        defer { origin.stop() }
        let folder = try Folder()
        let secrets = ["s3cr3t-bearer", "s3cr3t-query", "s3cr3t-body", "s3cr3t-cookie", "s3cr3t-proxy", "s3cr3t-user"]
        func request(_ path: String) -> String {
            "POST http://me:s3cr3t-user@127.0.0.1:\(origin.port)\(path)?access_token=s3cr3t-query HTTP/1.1\r\nHost: x\r\n"
                + "Authorization: Bearer s3cr3t-bearer\r\nCookie: id=s3cr3t-cookie\r\n"
                + "Proxy-Authorization: Basic s3cr3t-proxy\r\nContent-Type: application/json\r\n"
                + "Content-Length: 26\r\n\r\n{\"password\":\"s3cr3t-body\"}"
        }
        let first = try await TestProxy.run(.once, in: folder) { [path = request("/")] proxy in
            let client = try proxy.client()
            try client.send(path)
            #expect(try client.readResponse().status == 200)
            for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                let data = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + file))
                let text = String(decoding: data, as: UTF8.self)
                for secret in secrets { #expect(!text.contains(secret), "\(secret) in \(file)") }
            }
        }
        let second = try await TestProxy.run(.none, in: folder) { [hit = request("/"), miss = request("/new")] proxy in
            let client = try proxy.client()
            try client.send(hit)
            #expect(try client.readResponse().status == 200)
            try client.send(miss)
            let response = try client.readResponse()
            #expect(response.status == 501)
            for secret in secrets { #expect(!response.body.contains(secret), "\(secret) in the miss") }
        }
        for secret in secrets {
            #expect(!first.text.contains(secret))
            #expect(!second.text.contains(secret))
        }
    }

    @Test func repairsFramingFieldsThatAnEditorLeftInACassette() async throws {
        let folder = try Folder()
        let cassette = """
            playhead: 1
            recorded_with: test
            exchanges:
            - id: 1
              recorded_at: 2026-01-01T00:00:00Z
              request:
                method: GET
                url: http://a.example/
              response:
                status: 200
                headers:
                - [Content-Length, "2"]
                - [Content-Length, "900"]
                - [Transfer-Encoding, chunked]
                - [Connection, upgrade]
                body: ab

            """
        try cassette.write(toFile: folder.path + "/test.yaml", atomically: true, encoding: .utf8)
        try await TestProxy.run(.none, in: folder) { proxy in
            let client = try proxy.client()
            try client.send("GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.lines == ["Content-Length: 2"])
            #expect(response.body == "ab")
        }
    }
}

extension TestProxy {
    fileprivate func get(_ origin: Origin, _ path: String = "/") throws -> Message {
        let client = try self.client()
        try client.send("GET http://127.0.0.1:\(origin.port)\(path) HTTP/1.1\r\nHost: x\r\n\r\n")
        return try client.readResponse()
    }

    fileprivate func post(_ origin: Origin, _ body: String) throws -> Message {
        let client = try self.client()
        try client.send(
            "POST http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
        return try client.readResponse()
    }
}

extension Folder {
    fileprivate func recordedBodies() throws -> [String] {
        try TestProxy.recorded(in: self).map { exchange in
            guard case .response(let response) = exchange.outcome, case .octets(let octets) = response.body.content
            else { return "-" }
            return String(buffer: octets)
        }
    }
}
