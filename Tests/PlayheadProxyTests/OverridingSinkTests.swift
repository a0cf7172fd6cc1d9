import Foundation
import NIOCore
import PlayheadCassette
import PlayheadContent
import PlayheadEngine
import Testing

@testable import PlayheadProxy

/// `--mode intercept`: other values in live responses, and nothing recorded.
@Suite struct OverridingSinkTests {
    /// Asks an origin that gives `response` through the proxy; the answer, and what the run came to.
    private static func ask(
        _ response: String, method: String = "GET", overrides: [String] = ["premium=true"],
        settings: ProxySettings = ProxySettings(), _ read: @escaping @Sendable (Wire, Origin) throws -> Void
    ) async throws -> RunSummary {
        let origin = try Origin.answering(response)
        let folder = try Folder()
        let summary = try await TestProxy.run(
            .intercept, in: folder, settings: settings, options: { $0.overrides = try JSONOverrides(overrides) }
        ) { proxy in
            let client = try proxy.client()
            try client.send("\(method) http://127.0.0.1:\(origin.port)/a HTTP/1.1\r\nHost: x\r\n\r\n")
            try read(client, origin)
        }
        origin.stop()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        return summary
    }

    private static func response(_ body: String, _ fields: String = "Content-Type: application/json") -> String {
        "HTTP/1.1 200 OK\r\n\(fields)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test func saysWhenThereIsNothingToPutIn() async throws {
        for (values, count) in [([], 1), (["a=1"], 0)] {
            try await TestProxy.run(.intercept, options: { $0.overrides = try JSONOverrides(values) }) { proxy in
                #expect(proxy.session.notices.count == count)
            }
        }
    }

    @Test func putsValuesIntoLiveResponses() async throws {
        let summary = try await Self.ask(
            Self.response(#"{"user":{"premium":false}}"#, "Content-Type: application/json\r\nContent-MD5: x")
        ) { client, _ in
            let response = try client.readResponse()
            #expect(response.body == #"{"user":{"premium":true}}"#)
            #expect(response.fields["content-length"] == "25" && response.fields["content-md5"] == nil)
        }
        #expect(summary.recorded == 0 && summary.replayed == 0 && summary.warnings.isEmpty)
    }

    @Test(arguments: [
        (#"{"other": 1}"#, "Content-Type: application/json\r\nContent-MD5: x"),
        (#"{"premium": fal"#, "Content-Type: application/json"), ("premium=no", "Content-Type: text/plain"),
        (#"{"premium":0}"#, "Content-Type: text/html"),
        (#"{"premium":0}"#, "Content-Type: application/json\r\nContent-Encoding: gzip"),
        (#"{"premium":0}"#, "Content-Type: application/json\r\nContent-Encoding: rot13"),
    ])
    func whatCannotBeChangedGoesOnAsItCame(_ body: String, _ fields: String) async throws {
        _ = try await Self.ask(Self.response(body, fields)) { client, _ in
            let response = try client.readResponse()
            #expect(response.body == body)
            #expect((response.lines + [""]).joined(separator: "\r\n").contains(fields))
        }
    }

    @Test func codedAndBigBodiesAreChangedToo() async throws {
        let filler = String(repeating: "abc ", count: 50_000)
        let plain = #"{"text":"\#(filler)","premium":0}"#
        _ = try await Self.ask(Self.response(plain)) { client, _ in
            let response = try client.readResponse()
            #expect(response.body == #"{"text":"\#(filler)","premium":true}"#)
        }
        let coded = try ContentEncoder.encode(ByteBuffer(string: #"{"premium":0}"#), codings: [.gzip])
        let origin = try Origin { wire, _, _ in
            _ = try wire.readRequest()
            try wire.send(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
                    + "Content-Length: \(coded.readableBytes)\r\n\r\n")
            try wire.send(Data(coded.readableBytesView))
        }
        try await TestProxy.run(.intercept, options: { $0.overrides = try JSONOverrides(["premium=true"]) }) { proxy in
            let client = try proxy.client()
            try client.send("GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            _ = try client.read(until: "\r\n\r\n")
            while client.receive() == nil {}
            let body = try ContentDecoder.decode(ByteBuffer(bytes: client.received), codings: [.gzip])
            #expect(String(buffer: body) == #"{"premium":true}"#)
        }
        origin.stop()
    }

    @Test func eventsGoOnOneByOne() async throws {
        let seen = Event()
        let origin = try Origin { wire, _, _ in
            _ = try wire.readRequest()
            try wire.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
            for number in 0..<3 {
                let event = "data: {\"premium\": \(number)}\n\n"
                try wire.send("\(String(event.utf8.count, radix: 16))\r\n\(event)\r\n")
                // The next one is sent when the client has this one.
                try seen.wait()
            }
            try wire.send("0\r\n\r\n")
        }
        try await TestProxy.run(.intercept, options: { $0.overrides = try JSONOverrides(["premium=9"]) }) { proxy in
            let client = try proxy.client()
            try client.send("GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try client.readResponse(toHead: true)
            for _ in 0..<3 {
                #expect(try client.read(until: "\n\n\r\n") == "16\r\ndata: {\"premium\": 9}\n\n\r\n")
                seen.happen()
            }
            #expect(try client.read(until: "0\r\n\r\n") == "0\r\n\r\n")
        }
        origin.stop()
    }

    @Test func aResponseThatBreaksOffDoesSoForTheClient() async throws {
        let origin = try Origin { wire, _, _ in
            _ = try wire.readRequest()
            try wire.send(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{\"premium\":")
        }
        try await TestProxy.run(.intercept, options: { $0.overrides = try JSONOverrides(["premium=9"]) }) { proxy in
            let client = try proxy.client()
            try client.send("GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            let (text, end) = client.readToEnd()
            #expect(text.hasSuffix("Content-Length: 99\r\n\r\n{\"premium\":") && end != .quiet)
        }
        origin.stop()
    }

    @Test func ignoredHostsAndBodilessResponsesStay() async throws {
        var settings = ProxySettings()
        settings.traffic.ignore = [try HostPattern("127.0.0.1")]
        _ = try await Self.ask(Self.response(#"{"premium":0}"#), settings: settings) { client, _ in
            let response = try client.readResponse()
            #expect(response.body == #"{"premium":0}"#)
        }
        _ = try await Self.ask("HTTP/1.1 204 No Content\r\n\r\n") { client, _ in
            let response = try client.readResponse()
            #expect(response.status == 204)
        }
    }
}
