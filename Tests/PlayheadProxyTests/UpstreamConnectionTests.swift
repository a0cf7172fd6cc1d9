import NIOCore
import NIOEmbedded
import PlayheadHTTP
import PlayheadTLS
import Testing

@testable import PlayheadProxy

/// Transcripts of one connection to an origin, without sockets.
@Suite struct UpstreamConnectionTests {
    /// Hears what a connection says, and asks again as soon as it may, as a pipelined client does.
    private final class Listener: UpstreamReceiver {
        var log: [String] = []
        var asksAgainOn: UpstreamConnection?

        func upstreamInformational(_ head: ResponseHead) { self.log.append("interim \(head.status)") }
        func upstreamHead(_ head: ResponseHead, _ framing: BodyFraming) { self.log.append("head \(head.status)") }
        func upstreamBody(_ octets: ByteBuffer, endsChunk: Bool) { self.log.append("body \(String(buffer: octets))") }
        func upstreamEnd(_ trailers: HeaderList) {
            self.log.append("end")
            if let connection = self.asksAgainOn, connection.isIdle { UpstreamConnectionTests.ask(connection, self) }
        }
        func upstreamReadComplete() {}
        func upstreamBecameWritable() {}
        func upstreamFailed(_ failure: UpstreamFailure, beforeResponse: Bool) {
            self.log.append("failed \(failure.kind)")
        }
    }

    private static func ask(_ connection: UpstreamConnection, _ listener: Listener, method: String = "GET") {
        let head = RequestHead(method: method, target: "/", headers: HeaderList([("Host", "a.example")]))
        connection.send(head, framing: .none, to: listener)
        connection.sendEnd(trailers: HeaderList())
        connection.flush()
    }

    /// Runs a transcript on a fresh connection that was asked once.
    private static func transcript(
        method: String = "GET", _ body: (EmbeddedChannel, UpstreamConnection, Listener) throws -> Void
    ) throws -> [String] {
        let settings = ProxySettings()
        let trust = try TLSClientContext(extraRoots: [], useSystemRoots: false, verifiesPeer: false, alpn: [])
        let dialler = Dialler(
            settings: settings, verifying: trust, unverified: trust, guardian: AddressGuard(refusesMetadata: false))
        let channel = EmbeddedChannel()
        let pool = UpstreamPool(eventLoop: channel.eventLoop, dialler: dialler, timeouts: settings.timeouts)
        let target = UpstreamTarget(isSecure: false, host: "a.example", port: 80)
        let connection = UpstreamConnection(target: target, pool: pool)
        try channel.pipeline.syncOperations.addHandler(connection)
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 80)).wait()
        let listener = Listener()
        Self.ask(connection, listener, method: method)
        try body(channel, connection, listener)
        withExtendedLifetime(pool) { _ = try? channel.finish(acceptAlreadyClosed: true) }
        return listener.log
    }

    private static func octets(_ text: String) -> ByteBuffer { ByteBuffer(string: text) }

    @Test func octetsOfTheSameReadDoNotAnswerTheNextRequest() throws {
        let log = try Self.transcript { channel, connection, listener in
            listener.asksAgainOn = connection
            // A TLS handler delivers each record of one network read on its own.
            channel.pipeline.fireChannelRead(Self.octets("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"))
            channel.pipeline.fireChannelRead(Self.octets("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL"))
            channel.pipeline.fireChannelReadComplete()
            channel.embeddedEventLoop.run()
            #expect(!channel.isActive)
        }
        #expect(log == ["head 200", "body 1", "end"])
    }

    @Test func servesTheNextRequestAfterACleanResponse() throws {
        let log = try Self.transcript { channel, connection, listener in
            listener.asksAgainOn = connection
            channel.pipeline.fireChannelRead(Self.octets("HTTP/1.1 204 No Content\r\n\r\n"))
            channel.pipeline.fireChannelReadComplete()
            #expect(connection.isReused)
            listener.asksAgainOn = nil
            channel.pipeline.fireChannelRead(Self.octets("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2"))
            channel.pipeline.fireChannelReadComplete()
            #expect(connection.isIdle)
        }
        #expect(log == ["head 204", "end", "head 200", "body 2", "end"])
    }

    @Test func octetsOnAnIdleConnectionCloseIt() throws {
        _ = try Self.transcript { channel, connection, listener in
            channel.pipeline.fireChannelRead(Self.octets("HTTP/1.1 204 No Content\r\n\r\n"))
            channel.pipeline.fireChannelReadComplete()
            #expect(connection.isIdle)
            channel.pipeline.fireChannelRead(Self.octets("H"))
            channel.embeddedEventLoop.run()
            #expect(!connection.isIdle)
            #expect(!channel.isActive)
        }
    }

    @Test func heldBackPartsComeWhenTheClientTakesThem() throws {
        let log = try Self.transcript { channel, connection, listener in
            connection.setPaused(true)
            channel.pipeline.fireChannelRead(Self.octets("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"))
            channel.pipeline.fireChannelReadComplete()
            #expect(listener.log == [])
            connection.setPaused(false)
            #expect(connection.isIdle)
        }
        #expect(log == ["head 200", "body 1", "end"])
    }

    @Test(arguments: [
        ("Content-Length: 5\r\n\r\nab", ["head 200", "body ab", "failed closed"]),
        ("Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", ["head 200", "body ab", "failed closed"]),
        ("\r\nab", ["head 200", "body ab", "end"]),
    ])
    func theEndOfTheStreamEndsOnlyWhatRunsToIt(fields: String, expected: [String]) throws {
        let log = try Self.transcript { channel, _, _ in
            channel.pipeline.fireChannelRead(Self.octets("HTTP/1.1 200 OK\r\n\(fields)"))
            channel.pipeline.fireChannelReadComplete()
            try channel.close().wait()
            channel.embeddedEventLoop.run()
        }
        #expect(log == expected)
    }

    @Test func everyCutOfAResponseReadsTheSame() throws {
        let response =
            "HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"
        for cut in 1..<response.utf8.count {
            let log = try Self.transcript { channel, connection, _ in
                for part in [response.utf8.prefix(cut), response.utf8.dropFirst(cut)] {
                    channel.pipeline.fireChannelRead(ByteBuffer(bytes: part))
                    channel.pipeline.fireChannelReadComplete()
                }
                #expect(connection.isIdle)
            }
            #expect(log == ["interim 103", "head 200", "body a", "end"])
        }
    }
}
