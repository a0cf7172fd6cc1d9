import NIOCore
import PlayheadCassette

extension RecordedWebSocket {
    /// The WebSocket with other payloads; fragments keep their borders, as far as edits leave them.
    ///
    /// - Parameter change: gives the payload of a frame and the edits that made it.
    func mappingPayloads(
        _ change: (Frame) -> (body: RecordedBody, edits: [TextEdit])
    ) -> RecordedWebSocket {
        var result = self
        for index in self.frames.indices {
            let (body, edits) = change(self.frames[index])
            guard !edits.isEmpty else { continue }
            result.frames[index].payload = body
            result.frames[index].fragments = RecordedResponse.Chunk.moved(
                self.frames[index].fragments.map { RecordedResponse.Chunk(at: 0, length: $0) }, by: edits
            ).map(\.length)
            if !self.frames[index].opcode.isMessage { result.frames[index].cutToControlFrame() }
        }
        return result
    }
}

extension RecordedWebSocket.Frame {
    /// A placeholder may be longer than a control frame can hold (RFC 6455 section 5.5).
    fileprivate mutating func cutToControlFrame() {
        let limit = self.opcode == .close ? 123 : 125
        guard case .octets(let octets) = self.payload.content, octets.readableBytes > limit else { return }
        var kept = octets.readableBytesView.prefix(limit)
        while String(validating: kept, as: UTF8.self) == nil, !kept.isEmpty { kept = kept.dropLast() }
        self.payload.content =
            kept.isEmpty ? .none : .octets(octets.getSlice(at: kept.startIndex, length: kept.count) ?? octets)
    }
}
