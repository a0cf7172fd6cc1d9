import NIOCore
import PlayheadHTTP
import PlayheadTestSupport
import Testing

/// Octets that nobody would send, in every cut: nothing traps, and the cut makes no difference.
@Suite struct FuzzedFramesTests {
    /// What a decoder of WebSockets made of its input, whatever pieces it came in.
    private struct Reading: Equatable {
        var said: [String] = []
        var error: WebSocketError?
        var passed: [UInt8] = []
    }

    private static func read(_ pieces: [ArraySlice<UInt8>], from side: WebSocketSide) -> Reading {
        var decoder = WebSocketDecoder(from: side)
        var reading = Reading()
        var open = ByteBuffer()
        for piece in pieces {
            decoder.append(ByteBuffer(bytes: piece))
            do {
                while let event = try decoder.next() {
                    guard case .data(let octets, let opcode, let endsFrame, let endsMessage) = event else {
                        reading.said.append("\(event)")
                        continue
                    }
                    open.writeImmutableBuffer(octets)
                    guard endsFrame else { continue }
                    reading.said.append("\(opcode) \(Array(open.readableBytesView)) \(endsMessage)")
                    open.clear()
                }
            } catch {
                reading.error = error
            }
            reading.passed += Array(decoder.takeConsumed().readableBytesView)
            if reading.error != nil { return reading }
        }
        if open.readableBytes > 0 { reading.said.append("open \(Array(open.readableBytesView))") }
        return reading
    }

    private static func frame(_ generator: inout SeededGenerator, _ side: WebSocketSide) -> [UInt8] {
        let first: UInt8 =
            [0x00, 0x01, 0x02, 0x80, 0x81, 0x82, 0x88, 0x89, 0x8A].randomElement(using: &generator) ?? 0x81
        let length = [0, 1, 2, 5, 125].randomElement(using: &generator) ?? 0
        let isMasked = side == .client
        var octets: [UInt8] = [first, UInt8(length) | (isMasked ? 0x80 : 0)]
        let mask = (0..<4).map { _ in UInt8.random(in: 0...255, using: &generator) }
        if isMasked { octets += mask }
        let text: [UInt8] = first == 0x88 ? [3, 0xE8] : Array("é".utf8)
        for index in 0..<length {
            octets.append(text[index % text.count] ^ (isMasked ? mask[index % 4] : 0))
        }
        return octets
    }

    @Test(arguments: [WebSocketSide.client, .server]) func webSocketFrames(side: WebSocketSide) {
        var generator = SeededGenerator(state: 6455)
        for round in 0..<1500 {
            var octets: [UInt8] = []
            for _ in 0..<Int.random(in: 1...4, using: &generator) { octets += Self.frame(&generator, side) }
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                octets[Int.random(in: octets.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            let whole = Self.read([octets[...]], from: side)
            // After an error, how much of the frame before it has passed depends on the cut.
            #expect(octets.starts(with: whole.passed), "round \(round): \(octets)")
            let byOctet = Self.read(octets.indices.map { octets[$0...$0] }, from: side)
            #expect(whole.error == byOctet.error, "round \(round): \(octets)")
            if whole.error == nil { #expect(whole == byOctet, "round \(round): \(octets)") }
        }
    }

    @Test func bordersOfMessages() {
        var generator = SeededGenerator(state: 50051)
        for round in 0..<2000 {
            var octets: [UInt8] = []
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let length = UInt8.random(in: 0...40, using: &generator)
                octets += [0, 0, 0, 0, length] + [UInt8](repeating: 1, count: Int(length))
            }
            if round.isMultiple(of: 2) {
                octets[Int.random(in: octets.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            var whole = GRPCMessageBorders()
            let ends = whole.take(ByteBuffer(bytes: octets))
            #expect(ends.reduce(0, +) + whole.open == octets.count, "round \(round): \(octets)")
            var cut = GRPCMessageBorders()
            let cutEnds = octets.flatMap { cut.take(ByteBuffer(bytes: [$0])) }
            #expect(cutEnds == ends && cut.open == whole.open, "round \(round): \(octets)")
        }
    }
}
