import Foundation
import NIOCore
import PlayheadHTTP
import PlayheadTLS

@testable import PlayheadProxy

/// One message or control frame as a test writes and reads it.
enum Say: Equatable, Sendable {
    case text(String)
    case binary([UInt8])
    case ping(String)
    case pong(String)
    case close(Int?, String)
}

/// The frames of one side of a WebSocket over a plain socket.
final class WebSocketPeer: @unchecked Sendable {
    let wire: Wire
    private let isClient: Bool
    private var decoder: WebSocketDecoder
    private var message: [UInt8] = []

    init(_ wire: Wire, isClient: Bool) {
        self.wire = wire
        self.isClient = isClient
        self.decoder = WebSocketDecoder(from: isClient ? .server : .client)
        self.decoder.append(ByteBuffer(bytes: wire.received))
        wire.received = Data()
    }

    static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    static let fields =
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \(key)\r\n"

    /// Asks through a proxy; the answer's head, and the peer if it was a 101.
    static func open(
        _ proxy: TestProxy, _ origin: String, path: String = "/chat", fields: String = "", tunnel: Bool = false
    ) throws -> (head: Message, peer: WebSocketPeer) {
        let (head, wire) = try Self.ask(proxy, origin, path: path, fields: fields, tunnel: tunnel)
        return (head, WebSocketPeer(wire, isClient: true))
    }

    /// Asks through a proxy; the answer's head, and the socket with what came behind it.
    static func ask(
        _ proxy: TestProxy, _ origin: String, path: String = "/chat", fields: String = "", tunnel: Bool = false
    ) throws -> (head: Message, wire: Wire) {
        let wire = tunnel ? try proxy.tunnel(to: origin) : try proxy.client()
        let target = tunnel ? path : "http://\(origin)\(path)"
        try wire.send("GET \(target) HTTP/1.1\r\nHost: \(origin)\r\n\(Self.fields)\(fields)\r\n")
        return (try Message(reading: wire) { $0.status >= 200 }, wire)
    }

    /// Answers a request with 101, whatever it was.
    static func accept(_ wire: Wire, _ request: Message, fields: String = "", frames: [UInt8] = []) throws
        -> WebSocketPeer
    {
        let key = request.fields["sec-websocket-key"] ?? ""
        let head =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: \(WebSocketHandshake.accept(for: key))\r\n\(fields)\r\n"
        try wire.send(Data(head.utf8) + Data(frames))
        return WebSocketPeer(wire, isClient: false)
    }

    func send(_ says: Say...) throws { for say in says { try self.wire.send(Data(self.octets(say))) } }

    func send(frame first: UInt8, _ payload: [UInt8]) throws { try self.wire.send(Data(self.frame(first, payload))) }

    func octets(_ say: Say) -> [UInt8] {
        switch say {
        case .text(let text): return self.frame(0x81, Array(text.utf8))
        case .binary(let octets): return self.frame(0x82, octets)
        case .ping(let text): return self.frame(0x89, Array(text.utf8))
        case .pong(let text): return self.frame(0x8A, Array(text.utf8))
        case .close(let code, let reason):
            let head = code.map { [UInt8($0 >> 8), UInt8($0 & 255)] } ?? []
            return self.frame(0x88, head + Array(reason.utf8))
        }
    }

    func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let count = payload.count
        var head: [UInt8]
        switch count {
        case 0...125: head = [UInt8(count)]
        case 126...65535: head = [126, UInt8(count >> 8), UInt8(count & 255)]
        default: head = [127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
        }
        guard self.isClient else { return [first] + head + payload }
        let key: [UInt8] = [1, 2, 3, 4]
        head[0] |= 0x80
        return [first] + head + key + payload.enumerated().map { $0.element ^ key[$0.offset % 4] }
    }

    /// What the other side says next; fails when its stream ends first.
    func next() throws -> Say {
        while true {
            if let event = try self.decoder.next() {
                switch event {
                case .data(let octets, let opcode, _, let endsMessage):
                    self.message += Array(octets.readableBytesView)
                    guard endsMessage else { continue }
                    defer { self.message = [] }
                    return opcode == .text
                        ? .text(String(decoding: self.message, as: UTF8.self)) : .binary(self.message)
                case .ping(let octets): return .ping(String(buffer: octets))
                case .pong(let octets): return .pong(String(buffer: octets))
                case .close(let code, let reason): return .close(code, reason)
                }
            }
            var end: StreamEnd?
            end = self.wire.receiveRaw { self.decoder.append(ByteBuffer(bytes: $0)) }
            if let end { throw WireError(description: "\(end) before a frame") }
        }
    }

    /// How the stream ends after all frames were read.
    func end() -> StreamEnd { self.wire.readToEnd().end }

    /// Says back what it hears, and ends with the closing handshake.
    func echo() throws {
        while true {
            switch try self.next() {
            case .ping(let text): try self.send(.pong(text))
            case .pong: break
            case .close(let code, let reason): return try self.send(.close(code, reason))
            case let say: try self.send(say)
            }
        }
    }
}
