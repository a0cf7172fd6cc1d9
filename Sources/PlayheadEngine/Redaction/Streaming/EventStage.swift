import PlayheadContent

/// Searches an event stream or JSON lines in windows of whole events, which overlap: a secret may come in pieces.
struct EventStage: StreamStage {
    private let stream: StreamRedaction
    private let type: MediaType
    private let bounds: StreamBounds
    private var behind = Octets()
    /// What searches a single event that does not fit into any window.
    private var oversized: TextStage?

    init(_ stream: StreamRedaction, type: MediaType?, bounds: StreamBounds) {
        self.stream = stream
        // Whoever looks like events is read as events to the end.
        self.type =
            EventStream.isJSONLines(type) ? type ?? Self.events : Self.events
        self.bounds = bounds
    }

    private static let events = MediaType(type: "text", subtype: "event-stream")

    mutating func settle(_ pending: Octets, isLast: Bool, _ substitution: inout SecretSubstitution) -> Settled {
        if var stage = self.oversized {
            let settled = stage.settle(pending, isLast: isLast, &substitution)
            self.oversized = stage
            return settled
        }
        let cut = isLast ? pending.count : self.border(in: pending, before: pending.count - self.bounds.events)
        guard cut > 0 else {
            if pending.count > self.bounds.longest, self.border(in: pending, before: pending.count) == 0 {
                let stage = TextStage(self.stream.text, bounds: self.bounds, behind: self.behind)
                self.oversized = stage
                return self.settle(pending, isLast: isLast, &substitution)
            }
            return .nothing
        }
        let all = self.behind + pending
        let start = self.behind.count
        let edits =
            self.stream.edits(in: all, type: self.type, &substitution)
            ?? self.stream.text.edits(in: all, .all, &substitution)
        self.keep(pending[..<cut])
        return Settled(
            count: cut,
            edits: edits.filter { $0.range.lowerBound >= start && $0.range.lowerBound < start + cut }
                .map { $0.moved(by: -start) })
    }

    /// Keeps whole events of what is settled.
    private mutating func keep(_ settled: ArraySlice<UInt8>) {
        self.behind += settled
        guard self.behind.count > self.bounds.events else { return }
        let first = self.behind.count - self.bounds.events
        self.behind.removeFirst(self.border(in: self.behind, before: first, orAfter: true))
    }

    /// The place after the last event that ends at or before `limit`, or after the first one behind it; 0 if there is none.
    private func border(in text: Octets, before limit: Int, orAfter: Bool = false) -> Int {
        var index = min(limit, text.count)
        while index > 0 {
            if self.isBorder(text, index) { return index }
            index -= 1
        }
        guard orAfter else { return 0 }
        index = max(limit, 0)
        while index < text.count, !self.isBorder(text, index) { index += 1 }
        return index
    }

    /// Whether an event has ended before `index`: at an empty line, or at the end of a line of JSON lines.
    private func isBorder(_ text: Octets, _ index: Int) -> Bool {
        let isEnd: (Int) -> Bool = { $0 >= 0 && (text[$0] == 0x0A || text[$0] == 0x0D) }
        guard isEnd(index - 1) else { return false }
        if index < text.count, text[index] == 0x0A || text[index] == 0x0D { return false }
        if EventStream.isJSONLines(self.type) { return true }
        // CR LF is one end of a line.
        let isPair = index >= 2 && text[index - 1] == 0x0A && text[index - 2] == 0x0D
        return isEnd(index - (isPair ? 3 : 2))
    }
}
