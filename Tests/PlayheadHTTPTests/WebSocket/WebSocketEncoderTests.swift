import NIOCore
import PlayheadHTTP
import Testing

struct WebSocketEncoderTests {
    @Test(arguments: [0, 1, 125, 126, 65535, 65536, 1 << 20]) func writesTheShortestLength(count: Int) throws {
        let payload = ByteBuffer(repeating: 0x61, count: count)
        var wire = ByteBuffer()
        WebSocketEncoder.write(.binary, payload, into: &wire)
        #expect(wire.readableBytes == count + (count < 126 ? 2 : count <= 65535 ? 4 : 10))
        var decoder = WebSocketDecoder(from: .server)
        decoder.append(wire)
        #expect(try decoder.next() == .data(payload, opcode: .binary, endsFrame: true, endsMessage: true))
    }

    @Test func writesFragments() throws {
        var wire = ByteBuffer()
        WebSocketEncoder.write(.text, ByteBuffer(string: "a"), isFinal: false, into: &wire)
        WebSocketEncoder.write(.continuation, ByteBuffer(string: "b"), into: &wire)
        #expect(Array(wire.readableBytesView) == [0x01, 1, 0x61, 0x80, 1, 0x62])
    }

    @Test func writesCloseFramesThatFit() throws {
        for (code, reason) in [(nil, ""), (1000, "bye"), (1011, String(repeating: "é", count: 200))] as [(Int?, String)]
        {
            var wire = ByteBuffer()
            WebSocketEncoder.writeClose(code: code, reason: reason, into: &wire)
            var decoder = WebSocketDecoder(from: .server)
            decoder.append(wire)
            guard case .close(let readCode, let read)? = try decoder.next() else {
                Issue.record("no close frame")
                continue
            }
            #expect(readCode == code)
            #expect(read == reason || (read.hasSuffix("é…") && read.utf8.count <= 123))
        }
    }

    @Test func tellsWhichCodesMayBeSent() {
        let good = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 4999]
        let bad = [-1, 0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535]
        #expect(good.allSatisfy { WebSocketClose.isValid($0) })
        #expect(!bad.contains { WebSocketClose.isValid($0) })
    }
}
