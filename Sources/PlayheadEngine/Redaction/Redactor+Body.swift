import NIOCore
import PlayheadCassette
import PlayheadHTTP

extension Redactor {
    /// A body without secrets, and the edits that were made.
    ///
    /// Octets in a side file are not here; the recorder redacts before it writes one.
    func redacted(
        _ body: RecordedBody, _ headers: HeaderList, _ substitution: inout SecretSubstitution
    ) -> (body: RecordedBody, edits: [TextEdit]) {
        guard case .octets(let octets) = body.content, octets.readableBytes > 0 else { return (body, []) }
        let text = Octets(octets.readableBytesView)
        let type = asciiLowercased(headers.first("content-type") ?? "")
        let edits =
            type.hasPrefix("application/x-www-form-urlencoded")
            ? self.form.edits(in: text, &substitution) : self.text.edits(in: text, .all, &substitution)
        guard !edits.isEmpty else { return (body, []) }
        var result = body
        result.content = .octets(ByteBuffer(bytes: TextEdit.apply(edits, to: text)))
        return (result, edits)
    }
}
