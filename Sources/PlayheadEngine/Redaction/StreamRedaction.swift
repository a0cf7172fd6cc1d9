import NIOCore
import PlayheadContent

/// Takes secrets out of event streams and JSON lines, also those that come in pieces over several events.
///
/// The events keep their number and shape: the placeholder stands in the piece where the secret began, and the other
/// pieces lose their part of it.
struct StreamRedaction {
    let text: TextRedaction
    let json: JSONRedaction
    /// A token that begins with a piece, in the middle of a word, is at most this long.
    private static let reach = 16 * 1024

    /// The edits in a stream; nil if the text is none.
    func edits(in octets: Octets, type: MediaType?, _ substitution: inout SecretSubstitution) -> [TextEdit]? {
        guard let stream = EventStream(octets, type: type), !stream.payloads.isEmpty else { return nil }
        let texts = StreamedTexts(stream, octets)
        let cuts = self.cuts(in: texts, &substitution)
        var edits: [TextEdit] = []
        for (position, payload) in stream.payloads.enumerated() {
            let content = Octets(octets[payload.range])
            if let own = cuts[position] {
                let clean = self.cut(content, texts.isJSON[position], own, &substitution)
                edits.append(TextEdit(range: payload.range, replacement: clean))
            } else {
                let found = self.edits(inPayload: content, isJSON: texts.isJSON[position], &substitution)
                edits += found.map { edit in
                    let start = payload.range.lowerBound
                    return TextEdit(
                        range: edit.range.lowerBound + start..<edit.range.upperBound + start,
                        replacement: edit.replacement)
                }
            }
        }
        return (edits + self.rest(octets, stream, edits, &substitution)).sorted {
            $0.range.lowerBound < $1.range.lowerBound
        }
    }

    private func edits(
        inPayload content: Octets, isJSON: Bool, _ substitution: inout SecretSubstitution
    ) -> [TextEdit] {
        (isJSON ? self.json.edits(in: content, &substitution) : nil)
            ?? self.text.edits(in: content, .all, &substitution)
    }

    /// What stands between the payloads, and what is only known by its company in another event.
    private func rest(
        _ octets: Octets, _ stream: EventStream, _ known: [TextEdit], _ substitution: inout SecretSubstitution
    ) -> [TextEdit] {
        var found: [(range: Range<Int>, rule: String)] = []
        octets.withUnsafeBufferPointer { buffer in self.text.scan(buffer, .all) { found.append(($0, $1)) } }
        var taken = known[...]
        return found.compactMap { range, rule in
            while let first = taken.first, first.range.upperBound <= range.lowerBound { taken.removeFirst() }
            if let first = taken.first, first.range.overlaps(range) { return nil }
            // A find that reaches over the end of a line would take the events apart.
            guard !octets[range].contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return nil }
            return TextEdit(range: range, replacement: substitution.text(for: octets[range], rule: rule))
        }
    }

    // MARK: secrets in pieces

    /// What goes out of one piece, and what takes its place.
    private struct Cut {
        var span: Int?
        var edit: TextEdit
    }

    /// The cuts by payload.
    private func cuts(in texts: StreamedTexts, _ substitution: inout SecretSubstitution) -> [Int: [Cut]] {
        var cuts: [Int: [Cut]] = [:]
        for joined in texts.texts {
            for (range, replacement) in self.spanning(joined, &substitution) {
                var replacement = replacement
                for piece in joined.pieces[Self.first(joined.pieces, in: range)...] {
                    guard piece.range.lowerBound < range.upperBound else { break }
                    let part = range.clamped(to: piece.range)
                    let start = piece.range.lowerBound
                    let edit = TextEdit(
                        range: part.lowerBound - start..<part.upperBound - start, replacement: replacement)
                    cuts[piece.payload, default: []].append(Cut(span: piece.span, edit: edit))
                    replacement = []
                }
            }
        }
        return cuts
    }

    /// The secrets of a text that lie in more than one piece, in order.
    private func spanning(
        _ joined: StreamedTexts.Joined, _ substitution: inout SecretSubstitution
    ) -> [(range: Range<Int>, replacement: Octets)] {
        func spans(_ range: Range<Int>) -> Bool {
            let piece = joined.pieces[Self.first(joined.pieces, in: range)]
            return !range.isEmpty && range.upperBound > piece.range.upperBound
        }
        var known = self.text.known.edits(in: joined.octets).filter { spans($0.range) }.map {
            (range: $0.range, replacement: $0.replacement)
        }
        var hits: [(range: Range<Int>, rule: String)] = []
        joined.octets.withUnsafeBufferPointer { buffer in
            func add(_ range: Range<Int>, _ rule: String) {
                if spans(range), !self.endsInFirst(range, joined, buffer) { hits.append((range, rule)) }
            }
            self.text.scan(buffer, .all) { add($0, $1) }
            // Words may have been cut between pieces as well: a token may begin with each.
            var end = 0
            for piece in joined.pieces where piece.range.lowerBound >= end {
                let start = piece.range.lowerBound
                let reach = buffer[start..<min(buffer.count, start + Self.reach)]
                guard let (range, rule) = self.text.token(atStartOf: UnsafeBufferPointer(rebasing: reach)) else {
                    continue
                }
                end = range.upperBound + start
                add(range.lowerBound + start..<end, rule)
            }
        }
        var rest = known[...]
        var end = 0
        for hit in hits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) where hit.range.lowerBound >= end {
            while let first = rest.first, first.range.upperBound <= hit.range.lowerBound { rest.removeFirst() }
            if let first = rest.first, first.range.overlaps(hit.range) { continue }
            end = hit.range.upperBound
            known.append((hit.range, substitution.text(for: joined.octets[hit.range], rule: hit.rule)))
        }
        return known.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// Whether a secret is whole in its first event, and the next one is rather another word: it has no digit.
    ///
    /// Only events of plain text are in doubt; the pieces at one place of JSON go on from one another.
    private func endsInFirst(
        _ range: Range<Int>, _ joined: StreamedTexts.Joined, _ buffer: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        let position = Self.first(joined.pieces, in: range)
        guard joined.pieces[position].span == nil, !TokenShape.has("-----", buffer, range.lowerBound)
        else { return false }
        let piece = joined.pieces[position].range
        var isWhole = false
        self.text.scan(UnsafeBufferPointer(rebasing: buffer[piece]), .all) { found, _ in
            isWhole =
                isWhole || found.upperBound == piece.count && found.lowerBound + piece.lowerBound <= range.lowerBound
        }
        guard isWhole, joined.pieces.indices.contains(position + 1) else { return false }
        let next = range.clamped(to: joined.pieces[position + 1].range)
        return !buffer[next].contains { $0 &- 0x30 < 10 }
    }

    /// The position of the piece that holds the first octet of a range.
    private static func first(_ pieces: [StreamedTexts.Piece], in range: Range<Int>) -> Int {
        var low = 0
        var high = pieces.count - 1
        while low < high {
            let middle = (low + high) / 2
            if pieces[middle].range.upperBound <= range.lowerBound { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// A payload without its parts of the secrets, and without those that lie in it whole.
    private func cut(
        _ content: Octets, _ isJSON: Bool, _ cuts: [Cut], _ substitution: inout SecretSubstitution
    ) -> Octets {
        var clean: Octets
        if isJSON, let spans = try? JSONSpans(ByteBuffer(bytes: content)) {
            let bySpan = Dictionary(grouping: cuts) { $0.span ?? 0 }
            let edits = bySpan.map { index, cuts -> TextEdit in
                let text = Octets((spans.string(at: index) ?? "").utf8)
                let rest = TextEdit.apply(cuts.map(\.edit), to: text)
                return TextEdit(
                    range: spans.spans[index].range,
                    replacement: Octets(JSONText.quoted(String(decoding: rest, as: UTF8.self)).utf8))
            }
            clean = TextEdit.apply(edits.sorted { $0.range.lowerBound < $1.range.lowerBound }, to: content)
        } else {
            clean = TextEdit.apply(cuts.map(\.edit), to: content)
        }
        let more = self.edits(inPayload: clean, isJSON: isJSON, &substitution)
        clean = TextEdit.apply(more, to: clean)
        return clean
    }
}
