import Foundation
import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP2

/// A peer that speaks HTTP/2 over a wire, frame by frame; either side.
final class HTTP2Peer {
    /// What came on one stream.
    struct Message {
        /// 1xx heads, then the final one.
        var heads: [HPACKHeaders] = []
        var body = Data()
        var trailers: HPACKHeaders?
        var reset: HTTP2ErrorCode?

        var status: Int { self.heads.last?.first(name: ":status").flatMap { Int($0) } ?? 0 }
        var text: String { String(decoding: self.body, as: UTF8.self) }
        func field(_ name: String) -> String? { self.heads.last?.first(name: name) }
    }

    let wire: Wire
    /// Whether the windows are opened again for what came.
    var opensWindows = true
    private(set) var goAway: HTTP2ErrorCode?
    /// Whether the other side has said what it offers.
    private(set) var hasSettings = false
    private(set) var sentOctets = 0
    private let channel: EmbeddedChannel
    private var nextStream = 1
    private var messages: [Int: Message] = [:]
    private var ended: Set<Int> = []
    private let isClient: Bool

    init(_ wire: Wire, client: Bool = true, settings: [HTTP2Setting] = []) throws {
        self.wire = wire
        self.isClient = client
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        configuration.initialSettings = settings
        configuration.headerBlockValidation = .disabled
        configuration.contentLengthValidation = .disabled
        self.channel = EmbeddedChannel(
            handler: NIOHTTP2Handler(mode: client ? .client : .server, connectionConfiguration: configuration))
        self.channel.connect(to: try SocketAddress(unixDomainSocketPath: "peer"), promise: nil)
        try self.sendOut()
    }

    // MARK: sending

    /// Starts a request and returns its stream; without `ends` its body may follow.
    func request(
        _ method: String = "GET", _ path: String, authority: String, scheme: String = "http",
        _ fields: [(String, String)] = [], ends: Bool = true
    ) throws -> Int {
        let pseudo = [(":method", method), (":scheme", scheme), (":authority", authority), (":path", path)]
        return try self.request(pseudo + fields, ends: ends)
    }

    func request(_ fields: [(String, String)], ends: Bool = true) throws -> Int {
        let id = self.nextStream
        self.nextStream += 2
        try self.send(id, .headers(.init(headers: HPACKHeaders(fields), endStream: ends)))
        return id
    }

    func send(_ id: Int, headers: [(String, String)], ends: Bool = false) throws {
        try self.send(id, .headers(.init(headers: HPACKHeaders(headers), endStream: ends)))
    }

    func send(_ id: Int, body: Data, ends: Bool = false) throws {
        try self.send(id, .data(.init(data: .byteBuffer(ByteBuffer(bytes: body)), endStream: ends)))
    }

    func send(_ id: Int, _ payload: HTTP2Frame.FramePayload) throws {
        self.channel.writeAndFlush(HTTP2Frame(streamID: HTTP2StreamID(id), payload: payload), promise: nil)
        try self.sendOut()
    }

    private func sendOut() throws {
        var octets = Data()
        while let data = try self.channel.readOutbound(as: IOData.self) {
            if case .byteBuffer(let buffer) = data { octets.append(contentsOf: buffer.readableBytesView) }
        }
        self.sentOctets += octets.count
        if !octets.isEmpty { try self.wire.send(octets) }
    }

    // MARK: receiving

    /// Waits until what came satisfies `condition`.
    func wait(until condition: (HTTP2Peer) -> Bool) throws {
        while !condition(self) {
            if let end = self.wire.receive() { throw WireError(description: "\(end) while waiting") }
            let octets = self.wire.received
            self.wire.received = Data()
            _ = try? self.channel.writeInbound(ByteBuffer(bytes: octets))
            while let frame = try self.channel.readInbound(as: HTTP2Frame.self) { try self.note(frame) }
            try self.sendOut()
        }
    }

    /// The whole message of a stream: to its end, or its reset.
    func message(_ id: Int) throws -> Message {
        try self.wait { $0.ended.contains(id) }
        return self.messages[id] ?? Message()
    }

    /// What has come of a message.
    func partial(_ id: Int) -> Message { self.messages[id] ?? Message() }

    /// The next request that a server gets, head only.
    func nextRequest() throws -> Int {
        let id = self.nextStream
        self.nextStream += 2
        try self.wait { $0.messages[id] != nil }
        return id
    }

    /// Reads to the end of the connection; the code of a GOAWAY that came.
    func readToEnd() -> HTTP2ErrorCode? {
        try? self.wait { _ in false }
        return self.goAway
    }

    private func note(_ frame: HTTP2Frame) throws {
        let id = Int(frame.streamID)
        switch frame.payload {
        case .headers(let headers):
            var message = self.messages[id] ?? Message()
            if message.heads.isEmpty || (self.isClient && message.status < 200) {
                message.heads.append(headers.headers)
            } else {
                message.trailers = headers.headers
            }
            self.messages[id] = message
            if headers.endStream { self.ended.insert(id) }
        case .data(let data):
            guard case .byteBuffer(let buffer) = data.data else { return }
            self.messages[id, default: Message()].body.append(contentsOf: buffer.readableBytesView)
            if data.endStream { self.ended.insert(id) }
            guard self.opensWindows, buffer.readableBytes > 0 else { return }
            try self.send(0, .windowUpdate(windowSizeIncrement: buffer.readableBytes))
            if !data.endStream { try self.send(id, .windowUpdate(windowSizeIncrement: buffer.readableBytes)) }
        case .rstStream(let code):
            self.messages[id, default: Message()].reset = code
            self.ended.insert(id)
        case .goAway(_, let code, _): self.goAway = code
        case .settings: self.hasSettings = true
        default: break
        }
    }
}
