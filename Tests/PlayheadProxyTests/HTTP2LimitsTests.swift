import Foundation
import NIOHPACK
import NIOHTTP2
import PlayheadEngine
import Testing

@testable import PlayheadProxy

/// Hostile and slow clients over HTTP/2: memory stays bounded, the connection ends, the proxy goes on.
@Suite(.serialized) struct HTTP2LimitsTests {
    @Test func opensAWindowByHalves() {
        var window = HTTP2ReceiveWindow(size: 100)
        #expect(window.take(49) == nil)
        #expect(window.take(1) == 50)
        #expect(window.take(49) == nil)
        #expect(window.take(200) == 249)
    }

    @Test func holdsTheOriginBackForAStreamWithoutAWindow() async throws {
        let sent = Box(0)
        let origin = try Origin(timeout: 1) { wire, _, _ in
            _ = try wire.readRequest()
            try wire.send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.huge)\r\n\r\n")
            sent.value = wire.sendUntilRefused(Data(count: 64 * 1024), limit: Self.huge)
        }
        defer { origin.stop() }
        let other = try Origin.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        defer { other.stop() }
        try await TestProxy.run { proxy in
            let peer = try HTTP2Peer(try proxy.client(timeout: 15))
            peer.opensWindows = false
            _ = try peer.request("/", port: origin.port)
            try eventually("the origin is held back") { origin.ended == 1 }
            // Other streams are not held up by it, but for the connection's window, which the peer keeps shut too.
            try peer.send(0, .windowUpdate(windowSizeIncrement: 100_000))
            #expect(try peer.message(try peer.request("/", port: other.port)).text == "hi")
        }
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
            let peer = try HTTP2Peer(try proxy.client(timeout: 1))
            let id = try peer.request("/", port: origin.port, method: "POST", ends: false)
            // The peer keeps what the windows do not let out; what went out is seen by the silence.
            for _ in 0..<400 { try peer.send(id, body: Data(count: 64 * 1024)) }
            let before = Self.residentOctets
            #expect(throws: WireError.self) { try peer.wait { _ in false } }
            #expect(Self.residentOctets - before < Self.bound)
            done.happen()
        }
    }

    @Test(arguments: Attack.allCases)
    func endsTheConnectionOfAnAttacker(attack: Attack) async throws {
        let origin = try Origin.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        defer { origin.stop() }
        try await TestProxy.run { proxy in
            let wire = try proxy.client(timeout: 20)
            try wire.send(attack.opening)
            let before = Self.residentOctets
            let piece = attack.piece(port: origin.port)
            for round in 0..<attack.rounds {
                guard (try? wire.send(piece(round))) != nil else { break }
            }
            // RST or FIN, but not silence.
            #expect(wire.readToEnd().end != .quiet)
            #expect(Self.residentOctets - before < 100_000_000)
            let peer = try HTTP2Peer(try proxy.client(timeout: 15))
            #expect(try peer.message(try peer.request("/", port: origin.port)).text == "hi")
        }
    }

    enum Attack: String, CaseIterable, CustomTestStringConvertible {
        case rapidReset, continuation, hpackBomb, settings, pings, emptyData, malformed

        var testDescription: String { self.rawValue }

        var opening: Data {
            Data("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Self.frame(type: 4, flags: 0, stream: 0, [])
        }

        var rounds: Int {
            switch self {
            case .continuation: 10_000
            case .hpackBomb: 50
            default: 5000
            }
        }

        func piece(port: Int) -> (Int) -> Data {
            { round in
                let id = UInt32(2 * round + 1)
                switch self {
                case .rapidReset:
                    let head = Self.head(port: port)
                    return Self.frame(type: 1, flags: 5, stream: id, head)
                        + Self.frame(type: 3, flags: 0, stream: id, [0, 0, 0, 8])
                case .continuation:
                    // Never END_HEADERS.
                    let fragment = [UInt8](repeating: 0x82, count: 1000)
                    return Self.frame(type: round == 0 ? 1 : 9, flags: 0, stream: 1, fragment)
                case .hpackBomb:
                    // One entry of 4000 octets in the table, then named thousands of times.
                    let entry: [UInt8] = [0x40, 1, 0x78, 0x7F, 0xA1, 0x1E] + [UInt8](repeating: 0x61, count: 4000)
                    let bomb = Self.head(port: port) + entry + [UInt8](repeating: 0xBE, count: 12_000)
                    return Self.frame(type: 1, flags: 5, stream: id, bomb)
                case .settings: return Self.frame(type: 4, flags: 0, stream: 0, [])
                case .pings: return Self.frame(type: 6, flags: 0, stream: 0, [UInt8](repeating: 0, count: 8))
                case .emptyData:
                    let data = Self.frame(type: 0, flags: 0, stream: 1, [])
                    return round == 0 ? Self.frame(type: 1, flags: 4, stream: 1, Self.head(port: port)) + data : data
                case .malformed:
                    return Self.frame(type: 1, flags: 5, stream: id, Self.head(port: port) + [0x00, 1, 0x58, 1, 0x61])
                }
            }
        }

        /// GET http://127.0.0.1:port/ in HPACK, without the dynamic table.
        private static func head(port: Int) -> [UInt8] {
            let authority = Array("127.0.0.1:\(port)".utf8)
            return [0x82, 0x86, 0x84, 0x01, UInt8(authority.count)] + authority
        }

        private static func frame(type: UInt8, flags: UInt8, stream: UInt32, _ payload: [UInt8]) -> Data {
            let count = payload.count
            return Data(
                [UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255), type, flags]
                    + [24, 16, 8, 0].map { UInt8(stream >> $0 & 255) } + payload)
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
