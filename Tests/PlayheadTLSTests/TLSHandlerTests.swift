import NIOCore
import NIOEmbedded
import NIOTLS
import PlayheadCA
import PlayheadTLS
import Testing

@Suite struct TLSHandlerTests {
    @Test func carriesDataBothWaysAfterTheHandshake() throws {
        let pair = try EmbeddedPair()
        defer { pair.finish() }
        try pair.handshake()
        #expect(pair.clientEnd.events == ["handshake -"])
        #expect(pair.serverEnd.events == ["handshake -"])
        #expect(pair.serverHandler.requestedServerName == "a.example")
        #expect(pair.serverHandler.protocolVersion == "TLSv1.3")

        try pair.client.writeOutbound(buffer("hello"))
        try pair.exchange()
        #expect(pair.serverEnd.text == "hello")
        try pair.server.writeOutbound(buffer("world"))
        try pair.exchange()
        #expect(pair.clientEnd.text == "world")
    }

    @Test func sendsWritesThatCameBeforeTheHandshakeAfterIt() throws {
        let pair = try EmbeddedPair()
        defer { pair.finish() }
        let promise = pair.client.eventLoop.makePromise(of: Void.self)
        pair.client.write(buffer("early "), promise: nil)
        pair.client.writeAndFlush(buffer("bird"), promise: promise)
        try pair.handshake()
        #expect(pair.serverEnd.text == "early bird")
        #expect(pair.serverEnd.events == ["handshake -", "data"])
        try promise.futureResult.wait()
    }

    @Test(arguments: [1, 2, 7, 1000]) func takesCiphertextInPieces(of size: Int) throws {
        let pair = try EmbeddedPair()
        defer { pair.finish() }
        try pair.connect()
        try pair.exchange(piecesOf: size)
        let text = String(repeating: "0123456789", count: 5000)
        try pair.client.writeOutbound(buffer(text))
        try pair.exchange(piecesOf: size)
        #expect(pair.serverEnd.text == text)
        #expect(pair.serverEnd.errors.isEmpty && pair.clientEnd.errors.isEmpty)
    }

    @Test func agreesOnTheServersFirstProtocol() throws {
        let pair = try EmbeddedPair(
            client: TestAuthority.clientContext(alpn: ["http/1.1", "h2"]),
            server: TestAuthority.serverContext(alpn: ["h2", "http/1.1"]))
        defer { pair.finish() }
        try pair.handshake()
        #expect(pair.clientEnd.events == ["handshake h2"])
        #expect(pair.serverEnd.events == ["handshake h2"])
        #expect(pair.clientHandler.negotiatedProtocol == "h2")
    }

    @Test func goesOnWithoutProtocolWhenNoneOverlaps() throws {
        let pair = try EmbeddedPair(
            client: TestAuthority.clientContext(alpn: ["spdy/3"]),
            server: TestAuthority.serverContext(alpn: ["h2", "http/1.1"]))
        defer { pair.finish() }
        try pair.handshake()
        #expect(pair.clientEnd.events == ["handshake -"])
        #expect(pair.serverEnd.events == ["handshake -"])
    }

    @Test func keepsWritingAfterThePeersCloseNotify() throws {
        let pair = try EmbeddedPair()
        defer { pair.finish() }
        try pair.handshake()
        try pair.client.writeOutbound(buffer("question"))
        pair.client.close(mode: .output, promise: nil)
        try pair.exchange()
        #expect(pair.serverEnd.events == ["handshake -", "data", "inputClosed"])
        try pair.server.writeOutbound(buffer("answer"))
        try pair.exchange()
        #expect(pair.clientEnd.text == "answer")
        pair.server.close(promise: nil)
        try pair.exchange()
        #expect(pair.clientEnd.events == ["handshake -", "data", "inputClosed", "shutdown", "inactive"])
        #expect(pair.clientEnd.errors.isEmpty && pair.serverEnd.errors.isEmpty)
    }

    @Test func tellsAnEndWithoutCloseNotifyFromAnEnd() throws {
        let pair = try EmbeddedPair()
        defer { pair.finish() }
        try pair.handshake()
        pair.client.pipeline.fireChannelInactive()
        #expect(pair.clientEnd.errors.map(\.code) == [.truncated])
        #expect(pair.clientEnd.events.prefix(3) == ["handshake -", "error", "inactive"])

        pair.server.close(promise: nil)
        pair.server.pipeline.fireChannelInactive()
        #expect(pair.serverEnd.errors.isEmpty)
    }

    @Test func refusesAServerOfAnotherName() throws {
        let leaves = try TestAuthority.leaves()
        let server = try TLSServerContext(alpn: []) { _ in try leaves.identity(for: "other.example") }
        let pair = try EmbeddedPair(server: server)
        defer { pair.finish() }
        try pair.handshake()
        let error = try #require(pair.clientEnd.errors.first)
        #expect(error.code == .certificateRejected)
        #expect(error.message.lowercased().contains("hostname mismatch"))
        #expect(error.message.contains("a.example") && error.message.contains("other.example"))
        #expect(pair.clientEnd.events == ["error", "inactive"])
        #expect(pair.serverEnd.errors.first?.code == .peerAlert)
    }

    @Test func namesTheIssuerThatIsNotTrustedAndTheServerHearsWhy() throws {
        let pair = try EmbeddedPair(client: TestAuthority.clientContext(trusted: false))
        defer { pair.finish() }
        try pair.handshake()
        let error = try #require(pair.clientEnd.errors.first)
        #expect(error.code == .certificateRejected)
        #expect(error.message.contains("unable to get local issuer certificate"))
        #expect(error.rejection?.isUntrustedIssuer == true)
        #expect(error.message.contains("Playhead local CA (test@host)"))
        let heard = try #require(pair.serverEnd.errors.first)
        #expect(heard.code == .peerAlert)
        #expect(heard.alert == "unknown ca")
        #expect(heard.message.contains("does not trust the CA"))
    }
}
