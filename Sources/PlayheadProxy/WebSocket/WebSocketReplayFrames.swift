import NIOCore
import PlayheadCassette
import PlayheadHTTP

/// The server's frames of a WebSocket that is replayed, as octets to the client; nothing follows a close frame.
final class WebSocketReplayFrames {
    private unowned let sink: any ResponseSink
    private(set) var hasSentClose = false

    init(to sink: any ResponseSink) { self.sink = sink }

    /// Sends what was recorded; pongs belong to the pings of another client and are left out.
    func send(_ frame: RecordedWebSocket.Frame) {
        var payload = ByteBuffer()
        if case .octets(let octets) = frame.payload.content { payload = octets }
        switch frame.opcode {
        case .text: self.write(.text, payload, in: frame.fragments)
        case .binary: self.write(.binary, payload, in: frame.fragments)
        case .ping: self.write(.ping, payload)
        case .pong: break
        case .close: self.sendClose(code: frame.closeCode, reason: String(buffer: payload))
        }
    }

    func sendPong(_ octets: ByteBuffer) { self.write(.pong, octets) }

    func sendClose(code: Int?, reason: String) {
        guard !self.hasSentClose else { return }
        self.hasSentClose = true
        var wire = ByteBuffer()
        WebSocketEncoder.writeClose(code: code, reason: reason, into: &wire)
        self.sink.body(wire)
    }

    /// A message in the frames it came in, if their lengths still fit it.
    private func write(_ opcode: WebSocketOpcode, _ payload: ByteBuffer, in fragments: [Int]) {
        guard fragments.count > 1, Self.sum(fragments) == payload.readableBytes else {
            return self.write(opcode, payload)
        }
        var rest = payload
        for (number, length) in fragments.enumerated() {
            let piece = rest.readSlice(length: length) ?? ByteBuffer()
            self.write(number == 0 ? opcode : .continuation, piece, isFinal: number == fragments.count - 1)
        }
    }

    private static func sum(_ lengths: [Int]) -> Int? {
        lengths.reduce(0 as Int?) { sum, length in
            guard let sum, length >= 0 else { return nil }
            let (next, overflow) = sum.addingReportingOverflow(length)
            return overflow ? nil : next
        }
    }

    private func write(_ opcode: WebSocketOpcode, _ payload: ByteBuffer, isFinal: Bool = true) {
        guard !self.hasSentClose else { return }
        var wire = ByteBuffer()
        WebSocketEncoder.write(opcode, payload, isFinal: isFinal, into: &wire)
        self.sink.body(wire)
    }
}

@available(*, unavailable)
extension WebSocketReplayFrames: Sendable {}
