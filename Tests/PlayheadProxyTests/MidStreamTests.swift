import Foundation
import PlayheadCassette
import PlayheadEngine
import Testing

@testable import PlayheadProxy

/// What happens when one side stops in the middle while the other is at work: live, in the recording, and at replay.
@Suite struct MidStreamTests {
    /// One way of going wrong.
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        /// What the client sends, after the request line and `Host`.
        var request = "GET|\r\n"
        /// What the origin waits for before it acts.
        var waitsFor = "\r\n\r\n"
        /// What it says, and how it goes.
        var says: String
        var leaves = "closes"
        /// What the client sees, live and at replay, head and framing aside.
        var status: Int
        var body: String
        var isWhole = true
        /// What the recording holds; nil for a response, or where it depends on what the system says first.
        var failure: RecordedFailure.Kind?
        var testDescription: String { self.name }
    }

    static let upload = "POST|Content-Length: 3000000\r\n\r\n" + String(repeating: "u", count: 1000)

    static let rows = [
        Row(
            name: "interim answers, then a final one",
            says: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", status: 200, body: "ok"),
        Row(
            name: "an interim answer and no other", says: "HTTP/1.1 103 Early Hints\r\n\r\n", status: 502,
            body: "", failure: .closed),
        Row(
            name: "an interim answer and a reset", says: "HTTP/1.1 103 Early Hints\r\n\r\n", leaves: "resets",
            status: 502, body: "", failure: .reset),
        Row(name: "half a head", says: "HTTP/1.1 200 OK\r\nContent-Le", status: 502, body: "", failure: .closed),
        Row(
            name: "half a head and a reset", says: "HTTP/1.1 200 OK\r\nContent-Le", leaves: "resets", status: 502,
            body: "", failure: .reset),
        Row(
            name: "a head and nothing", says: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", status: 200, body: "",
            isWhole: false, failure: .closed),
        Row(
            name: "half a body", says: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", status: 200, body: "half",
            isWhole: false, failure: .closed),
        Row(
            name: "half a body and a reset", says: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
            leaves: "resets", status: 200, body: "half", isWhole: false, failure: .reset),
        Row(
            name: "half a chunk", says: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n9\r\ncd",
            status: 200, body: "abcd", isWhole: false, failure: .closed),
        Row(
            name: "half a chunk's size",
            says: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1", status: 200, body: "ab",
            isWhole: false, failure: .closed),
        Row(
            name: "a chunk that is none",
            says: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\nxyz\r\n", status: 200, body: "ab",
            isWhole: false, failure: .malformed),
        Row(
            name: "half of the trailers",
            says: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nX-A: 1", status: 200,
            body: "ab", isWhole: false, failure: .closed),
        Row(
            name: "all, and then half-closed and quiet", says: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            leaves: "ends output", status: 200, body: "ok"),
        Row(
            name: "a body up to the close, half-closed", says: "HTTP/1.0 200 OK\r\n\r\nall of it",
            leaves: "ends output", status: 200, body: "all of it"),
        Row(
            name: "a reset in the middle of an upload", request: Self.upload, waitsFor: "uuuu", says: "",
            leaves: "resets", status: 502, body: ""),
        Row(
            name: "a close in the middle of an upload", request: Self.upload, waitsFor: "uuuu", says: "",
            status: 502, body: ""),
        Row(
            name: "an answer in the middle of an upload, then a close", request: Self.upload, waitsFor: "uuuu",
            says: "HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig", status: 413,
            body: "big"),
        Row(
            name: "an answer in the middle of an upload that is never read", request: Self.upload, waitsFor: "uuuu",
            says: "HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig", leaves: "stays", status: 413,
            body: "big"),
        Row(
            name: "a chunked answer in the middle of an upload", request: Self.upload, waitsFor: "uuuu",
            says: "HTTP/1.1 400 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n", leaves: "stays",
            status: 400, body: "no"),
    ]

    @Test(arguments: rows) func isSeenAndReplayedAsItHappened(_ row: Row) async throws {
        let origin = try Origin { wire, _, _ in
            _ = try wire.read(until: row.waitsFor)
            try wire.send(row.says)
            switch row.leaves {
            case "resets":
                // The reset must not overtake the octets.
                try wire.waitUntilTaken()
                wire.reset()
            case "ends output":
                wire.endOutput()
                _ = wire.readToEnd()
            case "stays": _ = wire.receive()
            default: break
            }
        }
        defer { origin.stop() }
        let folder = try Folder()
        let parts = row.request.components(separatedBy: "|")
        let request = "\(parts[0]) http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\(parts[1])"
        for mode in [RecordMode.once, .none] {
            let summary = try await TestProxy.run(mode, in: folder) { proxy in
                let client = try proxy.client()
                try client.send(request)
                if parts[0] == "POST" {
                    // The rest of what was promised; a proxy that has answered may stop reading it.
                    _ = client.sendUntilRefused(Data(repeating: 0x75, count: 1000), limit: 2_999_000)
                }
                let seen = try Self.read(client)
                #expect(seen.status == row.status)
                #expect(seen.isWhole == row.isWhole)
                if row.status != 502 { #expect(seen.body == row.body) }
            }
            #expect(mode == .once ? summary.recorded == 1 : summary.replayed == 1, "\(mode)")
            origin.stop()
        }
        let outcome = try #require(try TestProxy.recorded(in: folder).first).outcome
        switch outcome {
        case .failure(let failure):
            if let kind = row.failure { #expect(failure.kind == kind) } else { #expect(row.status == 502) }
            #expect((failure.partial != nil) == !row.isWhole)
        case .response(let response):
            #expect(row.failure == nil && row.status == response.status)
        case .webSocket: Issue.record("no WebSocket")
        }
    }

    /// A final response with its body, whole or not.
    private static func read(_ client: Wire) throws -> (status: Int, body: String, isWhole: Bool) {
        var head = try Message(reading: client) { _ in false }
        while head.status < 200 { head = try Message(reading: client) { _ in false } }
        if let length = head.fields["content-length"].flatMap({ Int($0) }) {
            while client.received.count < length {
                if client.receive() != nil { return (head.status, client.text, false) }
            }
            return (head.status, try client.read(count: length), true)
        }
        var body = ""
        while true {
            do {
                let size = Int(try client.readLine(), radix: 16) ?? 0
                if size == 0 { return (head.status, body, (try? client.readLine()) == "") }
                body += try client.read(count: size)
                _ = try client.read(count: 2)
            } catch {
                return (head.status, body, false)
            }
        }
    }

    /// An origin must not take a half upload for a whole one.
    @Test(
        arguments: ["resets", "ends output"],
        ["Content-Length: 9\r\n\r\nhalf", "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"])
    func breaksAnUploadOffThatTheClientLeaves(how: String, framing: String) async throws {
        let rest = Box("")
        let origin = try Origin { wire, _, _ in
            _ = try wire.read(until: "half")
            rest.value = wire.readToEnd().text
        }
        defer { origin.stop() }
        let summary = try await TestProxy.run(.once) { proxy in
            let client = try proxy.client()
            try client.send("POST http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\(framing)")
            try eventually("the upload has begun") { origin.connections == 1 }
            if how == "resets" {
                client.reset()
            } else {
                client.endOutput()
                #expect(try client.readResponse().status == 400)
            }
            try eventually("the origin is left") { origin.ended == 1 }
        }
        #expect(!rest.value.contains("0\r\n\r\n"))
        #expect(summary.recorded == 0)
    }
}
