/// A run of base64 that is too long to be decoded at once, as of a file: searched in pieces that overlap.
///
/// When something secret is in it, all of the run from there on goes, as the whole of a shorter run would.
struct LongRun {
    /// Whether the run has ended.
    private(set) var isOver = false
    private let isText: Bool
    private var isSecret = false
    /// How many letters of its line are settled.
    private var column = 0

    /// - Parameter text: begins with the run.
    init(_ text: Octets) { self.isText = EncodedRun.looksLikeText(EncodedRun.decode(text.prefix(64))) }

    mutating func settle(
        _ pending: Octets, isLast: Bool, _ text: TextRedaction, _ bounds: StreamBounds,
        _ substitution: inout SecretSubstitution
    ) -> Settled {
        let settled = self.search(pending, isLast, text, bounds, &substitution)
        self.note(pending[..<settled.count])
        return settled
    }

    private mutating func search(
        _ pending: Octets, _ isLast: Bool, _ text: TextRedaction, _ bounds: StreamBounds,
        _ substitution: inout SecretSubstitution
    ) -> Settled {
        let (end, isComplete) = self.end(of: pending, isLast)
        if self.isSecret || !self.isText {
            self.isOver = isComplete
            return self.isSecret ? .dropped(end) : Settled(count: end)
        }
        let whole = isComplete ? end : Self.aligned(pending, end)
        if whole > 0, let rule = text.deeper.rule(of: EncodedRun.decode(pending[..<whole])) {
            self.isSecret = true
            self.isOver = isComplete
            let mark = substitution.text(for: pending[..<whole], rule: rule)
            return Settled(count: whole, edits: [TextEdit(range: 0..<whole, replacement: mark)])
        }
        self.isOver = isComplete
        return Settled(count: isComplete ? end : Self.aligned(pending, max(0, whole - 2 * bounds.reach)))
    }

    /// Where the run ends, and whether that is sure.
    private func end(of text: Octets, _ isLast: Bool) -> (end: Int, isComplete: Bool) {
        var index = 0
        var column = self.column
        while index < text.count {
            if EncodedRun.isPart(text[index]) {
                index += 1
                column += 1
                continue
            }
            // The next line, if this one is as long as encoders make them.
            guard column == 64 || column == 76 else { break }
            var next = index
            if text[next] == 0x0D { next += 1 }
            if next == text.count || text[next] == 0x0A && next + 1 == text.count, !isLast { return (index, false) }
            guard next + 1 < text.count, text[next] == 0x0A, EncodedRun.isPart(text[next + 1]) else { break }
            index = next + 1
            column = 0
        }
        if index == text.count { return (index, isLast) }
        var padding = 0
        while index < text.count, text[index] == UInt8(ascii: "="), padding < 2 {
            index += 1
            padding += 1
        }
        return (index, true)
    }

    /// Counts the letters of the line that goes on behind what is settled.
    private mutating func note(_ settled: ArraySlice<UInt8>) {
        if let line = settled.lastIndex(of: 0x0A) {
            self.column = settled.count - 1 - line
        } else {
            self.column += settled.count
        }
    }

    /// The last place up to `end` before which whole groups of four letters stand.
    private static func aligned(_ text: Octets, _ end: Int) -> Int {
        var letters = 0
        var place = 0
        for index in 0..<end where EncodedRun.isPart(text[index]) {
            letters += 1
            if letters % 4 == 0 { place = index + 1 }
        }
        return place
    }
}
