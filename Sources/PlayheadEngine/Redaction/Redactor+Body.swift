import NIOCore
import PlayheadCassette
import PlayheadContent
import PlayheadHTTP

extension Redactor {
    /// A body without secrets, and the edits that were made.
    ///
    /// Octets in a side file are not here; the recorder redacts before it writes one.
    func redacted(
        _ body: RecordedBody, _ headers: HeaderList, _ substitution: inout SecretSubstitution
    ) -> (body: RecordedBody, edits: [TextEdit]) {
        guard case .octets(let octets) = body.content, octets.readableBytes > 0 else { return (body, []) }
        if let clean = self.uncoded(body, octets, headers, &substitution) { return clean }
        let text = Octets(octets.readableBytesView)
        let edits = self.edits(in: text, headers.first("content-type"), &substitution)
        guard !edits.isEmpty else { return (body, []) }
        var result = body
        result.content = .octets(ByteBuffer(bytes: TextEdit.apply(edits, to: text)))
        return (result, edits)
    }

    /// A body that is kept with its coding on, as a digest over it asks: decoded if something secret is in it.
    ///
    /// The edit that is reported covers all of it, since chunk borders of coded octets mean nothing afterwards.
    private func uncoded(
        _ body: RecordedBody, _ octets: ByteBuffer, _ headers: HeaderList, _ substitution: inout SecretSubstitution
    ) -> (body: RecordedBody, edits: [TextEdit])? {
        guard body.coding.isEmpty, !headers.values("content-encoding").isEmpty,
            let codings = ContentCoding.list(fromHeader: headers.values("content-encoding").joined(separator: ",")),
            !codings.isEmpty, let plain = try? ContentDecoder.decode(octets, codings: codings)
        else { return nil }
        let seen = Octets(plain.readableBytesView)
        // The pass that hides named secrets saw only the coded octets.
        let marks = self.secrets.edits(in: seen)
        let text = TextEdit.apply(marks, to: seen)
        let edits = self.edits(in: text, headers.first("content-type"), &substitution)
        guard !edits.isEmpty || !marks.isEmpty else { return (body, []) }
        let clean = TextEdit.apply(edits, to: text)
        var result = body
        result.content = .octets(ByteBuffer(bytes: clean))
        result.coding = codings.map(\.rawValue)
        return (result, [TextEdit(range: 0..<octets.readableBytes, replacement: clean)])
    }

    /// The edits that take the secrets out of a body of some type.
    private func edits(
        in text: Octets, _ contentType: String?, _ substitution: inout SecretSubstitution, depth: Int = 4
    ) -> [TextEdit] {
        let type = contentType.flatMap { MediaType.parse($0) }
        if let type, Redactor.opaqueTypes.contains(type.type) { return [] }
        if let type, type.isForm { return self.form.edits(in: text, &substitution) }
        if let boundary = type?.multipartBoundary, depth > 0,
            let multipart = try? MultipartBody(ByteBuffer(bytes: text), boundary: boundary)
        {
            return self.edits(in: multipart, text, &substitution, depth)
        }
        if let edits = StreamRedaction(text: self.text, json: self.json).edits(in: text, type: type, &substitution) {
            return edits
        }
        let first = text.first { $0 > 0x20 }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "\"") {
            // Many servers send JSON under another type; a text that only looks like JSON is searched as text.
            if let edits = self.json.edits(in: text, &substitution) { return edits }
        }
        return self.text.edits(in: text, .all, &substitution)
    }

    /// Media that hold no text worth searching, in which a chance hit would break the file.
    static let opaqueTypes: Set<String> = ["image", "audio", "video", "font"]

    private func edits(
        in multipart: MultipartBody, _ text: Octets, _ substitution: inout SecretSubstitution, _ depth: Int
    ) -> [TextEdit] {
        var edits: [TextEdit] = []
        var end = 0
        // The fields of parts hold names of files, and what stands around parts may be anything.
        func searchUp(to start: Int, _ substitution: inout SecretSubstitution) {
            guard start > end else { return }
            for edit in self.text.edits(in: Octets(text[end..<start]), .all, &substitution) {
                edits.append(edit.moved(by: end))
            }
        }
        for part in multipart.parts {
            searchUp(to: part.range.lowerBound, &substitution)
            end = part.range.upperBound
            if part.range.isEmpty { continue }
            let content = Octets(text[part.range])
            if let name = part.name, part.filename == nil, let finding = self.names.formField(Octets(name.utf8)),
                content.count >= finding.minimumLength
            {
                guard !Placeholder.occurs(in: content), !Placeholder.isWhole(content) else { continue }
                let replacement = substitution.text(for: content, rule: finding.rule)
                edits.append(TextEdit(range: part.range, replacement: replacement))
                continue
            }
            let type = part.headers.first { asciiLowercased($0.name) == "content-type" }?.value
            for edit in self.edits(in: content, type, &substitution, depth: depth - 1) {
                edits.append(edit.moved(by: part.range.lowerBound))
            }
        }
        searchUp(to: text.count, &substitution)
        return edits
    }
}
