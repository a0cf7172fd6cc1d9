import NIOCore
import NIOEmbedded
import PlayheadTLS
import Testing

/// Counts what passes the network side of a pipeline.
private final class NetworkCounter: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    var reads = 0
    var writes = 0
    var flushes = 0
    var holdsWrites = false
    private var held: [EventLoopPromise<Void>?] = []

    func read(context: ChannelHandlerContext) {
        reads += 1
        context.read()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        writes += 1
        guard holdsWrites else { return context.write(data, promise: promise) }
        held.append(promise)
    }

    func flush(context: ChannelHandlerContext) {
        flushes += 1
        context.flush()
    }

    func release() {
        let all = held
        held = []
        for promise in all { promise?.succeed() }
    }
}

@Suite struct TLSHandlerMannersTests {
    @Test func makesOneFlushOfOneWriteFromManySmallWrites() throws {
        let pair = try EmbeddedPair()
        defer { pair.finish() }
        let counter = NetworkCounter()
        try pair.server.pipeline.syncOperations.addHandler(counter, position: .first)
        try pair.handshake()
        // The session ticket goes with the first data.
        try pair.server.writeOutbound(buffer("first "))
        try pair.exchange()
        (counter.writes, counter.flushes) = (0, 0)
        let promises = (0..<3).map { _ in pair.server.eventLoop.makePromise(of: Void.self) }
        pair.server.write(buffer("head "), promise: promises[0])
        pair.server.write(buffer("body "), promise: promises[1])
        pair.server.write(buffer(""), promise: promises[2])
        pair.server.write(buffer("end"), promise: nil)
        #expect(counter.writes == 0)
        pair.server.flush()
        #expect(counter.writes == 1 && counter.flushes == 1)
        let ciphertext = try #require(try pair.server.readOutbound(as: ByteBuffer.self))
        // 13 octets in one record of TLS 1.3: header 5, type 1, tag 16.
        #expect(ciphertext.readableBytes == 13 + 22)
        pair.client.pipeline.fireChannelRead(ciphertext)
        #expect(pair.clientEnd.text == "first head body end")
        for promise in promises { try promise.futureResult.wait() }
    }

    @Test("The session ticket, for which nobody waits, goes out with the first data or the close")
    func sendsTheTicketWithTheFirstData() throws {
        for closes in [false, true] {
            let pair = try EmbeddedPair()
            defer { pair.finish() }
            let counter = NetworkCounter()
            try pair.server.pipeline.syncOperations.addHandler(counter, position: .first)
            try pair.handshake()
            #expect(pair.serverHandler.protocolVersion == "TLSv1.3")
            #expect(counter.writes == 1 && counter.flushes == 1)
            try pair.client.writeOutbound(buffer("request"))
            try pair.exchange()
            #expect(pair.serverEnd.text == "request")
            #expect(counter.writes == 1 && counter.flushes == 1)
            if closes { pair.server.close(promise: nil) } else { try pair.server.writeOutbound(buffer("answer")) }
            #expect(counter.writes == 2 && counter.flushes == 2)
            let sent = try #require(try pair.server.readOutbound(as: ByteBuffer.self))
            // The record of a ticket is over 100 octets, one of six octets or of an alert under 30.
            #expect(sent.readableBytes > 130)
            pair.client.pipeline.fireChannelRead(sent)
            #expect(pair.clientEnd.text == (closes ? "" : "answer"))
            #expect(pair.clientEnd.errors.isEmpty)
        }
    }

    @Test func clientsThatNeverResumeGetATicketNowAndThen() throws {
        let server = try TestAuthority.serverContext()
        let client = try TestAuthority.clientContext()
        let withTicket = try (0..<64).filter { _ in
            let pair = try EmbeddedPair(client: client, server: server)
            defer { pair.finish() }
            try pair.handshake()
            try pair.server.writeOutbound(buffer("answer"))
            let sent = try #require(try pair.server.readOutbound(as: ByteBuffer.self))
            return sent.readableBytes > 130
        }
        // All of the first 32, then each eighth.
        #expect(withTicket == Array(0..<32) + [32, 40, 48, 56])
    }

    @Test func readsAgainOnlyWhenADeliveryHeldNoPlaintext() throws {
        let pair = try EmbeddedPair()
        defer { pair.finish() }
        let counter = NetworkCounter()
        try pair.server.pipeline.syncOperations.addHandler(counter, position: .first)
        try pair.handshake()
        try pair.client.writeOutbound(buffer("hello"))
        var record = try #require(try pair.client.readOutbound(as: ByteBuffer.self))
        let half = record.readSlice(length: 10) ?? ByteBuffer()
        let before = counter.reads
        pair.server.pipeline.fireChannelRead(half)
        pair.server.pipeline.fireChannelReadComplete()
        #expect(counter.reads == before + 1)
        pair.server.pipeline.fireChannelRead(record)
        pair.server.pipeline.fireChannelReadComplete()
        #expect(pair.serverEnd.text == "hello")
        #expect(counter.reads == before + 1)
    }

    @Test func closesWithoutWaitingForeverForAFullNetwork() throws {
        let pair = try EmbeddedPair()
        defer { pair.finish() }
        let counter = NetworkCounter()
        try pair.server.pipeline.syncOperations.addHandler(counter, position: .first)
        try pair.handshake()
        counter.holdsWrites = true
        let closed = pair.server.eventLoop.makePromise(of: Void.self)
        pair.server.close(promise: closed)
        #expect(pair.server.isActive)
        pair.server.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!pair.server.isActive)
        counter.release()
        try closed.futureResult.wait()
    }

    @Test func givesUpOnASilentPeer() throws {
        let pair = try EmbeddedPair()
        defer { pair.finish() }
        try pair.connect()
        pair.server.embeddedEventLoop.advanceTime(by: .seconds(10))
        #expect(pair.serverEnd.errors.map(\.code) == [.timedOut])
        #expect(!pair.server.isActive)
    }

    @Test func saysThatAPeerDoesNotSpeakTLS() throws {
        let pair = try EmbeddedPair()
        defer { pair.finish() }
        try pair.connect()
        pair.server.pipeline.fireChannelRead(buffer("GET / HTTP/1.1\r\n\r\n"))
        #expect(pair.serverEnd.errors.map(\.code) == [.handshakeFailed])
        #expect(pair.serverEnd.errors.first?.message.contains("http request") == true)
    }

    @Test func noticesATamperedRecord() throws {
        let pair = try EmbeddedPair()
        defer { pair.finish() }
        try pair.handshake()
        try pair.client.writeOutbound(buffer("hello"))
        var record = try #require(try pair.client.readOutbound(as: ByteBuffer.self))
        record.setInteger(UInt8(record.getInteger(at: 8, as: UInt8.self) ?? 0) ^ 1, at: 8)
        pair.server.pipeline.fireChannelRead(record)
        #expect(pair.serverEnd.errors.map(\.code) == [.unexpected])
        #expect(pair.serverEnd.text.isEmpty)
        #expect(!pair.server.isActive)
    }

    @Test func failsWritesThatComeTooLate() throws {
        let pair = try EmbeddedPair()
        defer { pair.finish() }
        try pair.handshake()
        pair.client.close(mode: .output, promise: nil)
        #expect { try pair.client.writeOutbound(buffer("late")) } throws: { ($0 as? TLSError)?.code == .closed }
    }

    @Test func failsQueuedWritesWithTheReason() throws {
        let pair = try EmbeddedPair(client: TestAuthority.clientContext(trusted: false))
        defer { pair.finish() }
        let promise = pair.client.eventLoop.makePromise(of: Void.self)
        pair.client.writeAndFlush(buffer("never sent"), promise: promise)
        try pair.handshake()
        #expect { try promise.futureResult.wait() } throws: { ($0 as? TLSError)?.code == .certificateRejected }
        #expect(pair.serverEnd.text.isEmpty)
    }

    @Test(arguments: [true, false]) func letsOneWhoHearsOfAFailedWriteCloseTheChannel(afterHandshake: Bool) throws {
        let pair = try EmbeddedPair()
        defer { pair.finish() }
        if afterHandshake { try pair.handshake() } else { try pair.connect() }
        let server = pair.server
        var failures = 0
        for _ in 0..<2 {
            let promise = server.eventLoop.makePromise(of: Void.self)
            promise.futureResult.assumeIsolated().whenFailure { _ in
                failures += 1
                server.close(promise: nil)
            }
            server.write(buffer("never flushed"), promise: promise)
        }
        server.pipeline.fireChannelInactive()
        #expect(failures == 2)
    }

    @Test func startsInAPipelineThatIsActiveAlready() throws {
        let server = EmbeddedChannel()
        let end = Recorder()
        try server.pipeline.syncOperations.addHandler(end)
        try server.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let handler = TLSHandler(accepting: try TestAuthority.serverContext(), fallbackName: "a.example")
        try server.pipeline.syncOperations.addHandler(handler, position: .before(end))
        let pair = try EmbeddedPair()
        defer {
            pair.finish()
            _ = try? server.finish(acceptAlreadyClosed: true)
        }
        try pair.connect()
        let hello = try #require(try pair.client.readOutbound(as: ByteBuffer.self))
        server.pipeline.fireChannelRead(hello)
        server.pipeline.fireChannelReadComplete()
        let answer = try #require(try server.readOutbound(as: ByteBuffer.self))
        pair.client.pipeline.fireChannelRead(answer)
        #expect(pair.clientEnd.events == ["handshake -"])
        #expect(handler.requestedServerName == "a.example")
    }

    @Test func carriesALargeBufferWhole() throws {
        let pair = try EmbeddedPair()
        defer { pair.finish() }
        try pair.handshake()
        var large = ByteBuffer()
        for number in 0..<500_000 { large.writeInteger(UInt32(number)) }
        pair.server.write(buffer("head"), promise: nil)
        try pair.server.writeOutbound(large)
        try pair.exchange()
        var expected = buffer("head")
        expected.writeImmutableBuffer(large)
        #expect(pair.clientEnd.received == expected)
    }
}
