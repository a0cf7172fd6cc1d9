public import NIOCore
import PlayheadCassette

extension Playback {
    /// The report of a client's message that is not the recorded one.
    public func messageMiss(index: Int, _ differences: [Difference]) -> MissReport {
        let exchange = self.exchanges.indices.contains(index) ? self.exchanges[index] : nil
        let url = exchange.map { self.redactor.maskURL($0.request.url) } ?? ""
        let candidate = exchange.map {
            MissReport.Candidate(
                exchange: $0.id, number: index + 1, method: $0.request.method, url: url, passed: 0,
                differences: differences.map { self.redactor.mask($0) }, alreadyPlayedAt: nil)
        }
        return MissReport(
            reason: .messageDiffers, method: exchange?.request.method ?? "GET", url: url,
            nearest: candidate.map { [$0] } ?? [], cassette: self.context.cassette, mode: self.context.mode,
            exchangeCount: self.exchanges.count, suggestedRule: nil)
    }
}

extension FilterChain {
    /// A client's message as it is compared: changed in the same way as what is stored.
    public func filtered(message: ByteBuffer) -> ByteBuffer {
        guard !self.leavesRequests, message.readableBytes > 0 else { return message }
        var text = Octets(message.readableBytesView)
        text = TextEdit.apply(self.requestBody.edits(in: text, contentType: nil), to: text)
        return ByteBuffer(bytes: TextEdit.apply(self.textEdits(in: text), to: text))
    }
}
