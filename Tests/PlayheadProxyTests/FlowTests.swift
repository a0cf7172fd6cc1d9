import Foundation
import NIOCore
import PlayheadEngine
import Testing

@testable import PlayheadProxy

/// Slow peers: memory stays bounded and nothing is cut off.
@Suite(.serialized) struct FlowTests {
    @Test func holdsTheOriginBackForASlowReader() async throws {
        let sent = Box(0)
        let origin = try Origin(timeout: 1) { wire, _, _ in
            _ = try wire.readRequest()
            try wire.send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.huge)\r\n\r\n")
            sent.value = wire.sendUntilRefused(Data(count: 64 * 1024), limit: Self.huge)
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.client(receiveBuffer: 16 * 1024, timeout: 1)
            try client.send("GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try client.read(until: "\r\n\r\n")
            let before = Self.residentOctets
            // The origin's send runs into its time limit when nobody takes more.
            try eventually("the origin is held back") { origin.ended == 1 }
            #expect(Self.residentOctets - before < Self.bound)
        }
        // What the kernel's buffers hold on loopback, and no more.
        #expect(sent.value < Self.bound)
    }

    @Test func holdsTheClientBackForASlowOrigin() async throws {
        let done = Event()
        let origin = try Origin { wire, _, _ in
            _ = try wire.read(until: "\r\n\r\n")
            try done.wait()
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.client(timeout: 1)
            try client.send(
                "POST http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\nContent-Length: \(Self.huge)\r\n\r\n")
            let before = Self.residentOctets
            let sent = client.sendUntilRefused(Data(count: 64 * 1024), limit: Self.huge)
            #expect(sent < Self.bound)
            #expect(Self.residentOctets - before < Self.bound)
            done.happen()
        }
    }

    @Test func deliversAllOfALargeAnswerThatClosesTheConnectionToASlowReader() async throws {
        // More than the kernel takes of it at once.
        let size = 20 * 1024 * 1024
        let folder = try Folder()
        let origin = try Origin(timeout: 90) { wire, _, _ in
            _ = try wire.readRequest()
            try wire.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            try wire.send(Data(repeating: 0x20, count: size))
        }
        let request = "GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        var settings = ProxySettings()
        settings.timeouts.idle = 1_000_000
        for mode in [RecordMode.once, .none] {
            try await TestProxy.run(mode, in: folder, settings: settings) { proxy in
                let client = try proxy.client(receiveBuffer: 16 * 1024, timeout: 90)
                try client.send(request)
                _ = try client.read(until: "\r\n\r\n")
                var count = client.received.count
                client.received = Data()
                while client.receive() == nil {
                    count += client.received.count
                    client.received = Data()
                    // Longer than the limit for lingering, at every stage of the response.
                    try proxy.passTime(.seconds(3))
                }
                #expect(count == size)
            }
            origin.stop()
        }
    }

    @Test func boundsWhatPipelinedReplaysHold() async throws {
        let folder = try Folder()
        let body = String(repeating: "a", count: 60_000)
        let origin = try Origin.answering("HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n" + body)
        let request = "GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n"
        try await TestProxy.run(.once, in: folder) { proxy in
            let client = try proxy.client()
            try client.send(request)
            _ = try client.readResponse()
        }
        origin.stop()
        try await TestProxy.run(.none, in: folder, repeats: .last) { proxy in
            let client = try proxy.client(receiveBuffer: 16 * 1024, timeout: 1)
            let before = Self.residentOctets
            // Some 400,000 requests, if nobody stopped us: 24 GB of answers.
            let piece = Data(String(repeating: request, count: 1000).utf8)
            let sent = client.sendUntilRefused(piece, limit: 400 * piece.count)
            #expect(sent < 400 * piece.count)
            #expect(Self.residentOctets - before < Self.bound)
            for _ in 0..<200 { #expect(try client.readResponse().body.utf8.count == 60_000) }
        }
    }

    @Test func flushesWhatASlowReaderHadHeldBack() async throws {
        let full = Event()
        let origin = try Origin { wire, _, _ in
            _ = try wire.readRequest()
            try wire.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            // Many small chunks fill the way to the client; then the stream is quiet, not ended.
            let chunk = "400\r\n\(String(repeating: "a", count: 1024))\r\n"
            try wire.send(Data(String(repeating: chunk, count: 20_000).utf8), whenFull: full)
            try wire.send("4\r\nlast\r\n")
            _ = wire.readToEnd()
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let client = try proxy.client(receiveBuffer: 16 * 1024)
            try client.send("GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try client.read(until: "\r\n\r\n")
            try full.wait("the way to the client is full")
            _ = try client.read(until: "4\r\nlast\r\n")
        }
    }

    /// The proxy stops in the middle of what it read at once; the rest is all that comes for a while.
    @Test func flushesWhatCameBehindWhatFilledTheBuffer() async throws {
        let origin = try Origin { wire, _, _ in
            let head = try wire.read(until: "\r\n\r\n")
            guard let count = head.split(separator: " ").dropFirst().first.flatMap({ Int($0.dropFirst()) }) else {
                return
            }
            let chunk = "1388\r\n\(String(repeating: "a", count: 5000))\r\n"
            try wire.send(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + String(repeating: chunk, count: count)
                    + "4\r\nlast\r\n")
            _ = wire.readToEnd()
        }
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            // Wherever the border of a read is, some of these lengths end a little behind a full buffer.
            for count in 1...80 {
                let client = try proxy.client(timeout: 20)
                try client.send("GET http://127.0.0.1:\(origin.port)/\(count) HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try client.read(until: "4\r\nlast\r\n")
            }
        }
    }

    private static let huge = 2_000_000_000
    /// What kernel buffers and the tests that run at the same time may take.
    private static let bound = 400_000_000

    private static var residentOctets: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
    }
}
