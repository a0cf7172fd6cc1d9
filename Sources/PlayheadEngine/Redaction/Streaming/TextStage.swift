/// Searches text in windows that overlap by more than the length of a secret.
struct TextStage: StreamStage {
    private enum Phase {
        case searching
        case longRun(LongRun)
        /// A secret has begun that comes to no end.
        case dropping
    }

    private typealias Finding = (range: Range<Int>, rule: String)

    let text: TextRedaction
    private let bounds: StreamBounds
    private var phase = Phase.searching
    /// The octets before the window.
    private var behind: Octets

    init(_ text: TextRedaction, bounds: StreamBounds, behind: Octets = []) {
        self.text = text
        self.bounds = bounds
        self.behind = behind
    }

    mutating func settle(_ pending: Octets, isLast: Bool, _ substitution: inout SecretSubstitution) -> Settled {
        let settled: Settled
        switch self.phase {
        case .dropping: return .dropped(pending.count)
        case .searching: settled = self.search(pending, isLast, &substitution)
        case .longRun(var run):
            settled = run.settle(pending, isLast: isLast, self.text, self.bounds, &substitution)
            self.phase = run.isOver ? .searching : .longRun(run)
        }
        self.behind += pending[..<settled.count].suffix(self.bounds.behind)
        self.behind.removeFirst(max(0, self.behind.count - self.bounds.behind))
        return settled
    }

    private mutating func search(
        _ pending: Octets, _ isLast: Bool, _ substitution: inout SecretSubstitution
    ) -> Settled {
        let all = self.behind + pending
        let start = self.behind.count
        var found: [Finding] = []
        all.withUnsafeBufferPointer { buffer in self.text.scan(buffer, .all) { found.append(($0, $1)) } }
        let cut = isLast ? all.count : self.cut(all, start, pending, found)
        let edits = found.filter { $0.range.lowerBound < cut && $0.range.upperBound > start }.map { finding in
            let range = finding.range.clamped(to: start..<cut)
            let secret = substitution.text(for: all[range], rule: finding.rule)
            return TextEdit(range: range.lowerBound - start..<range.upperBound - start, replacement: secret)
        }
        return Settled(count: cut - start, edits: edits)
    }

    /// Where the octets end that later ones cannot change the meaning of.
    private mutating func cut(_ all: Octets, _ start: Int, _ pending: Octets, _ found: [Finding]) -> Int {
        var cut = all.count - self.bounds.reach
        guard cut > start else { return start }
        let mayWait = pending.count < self.bounds.longest
        for _ in 0..<16 {
            let before = cut
            if let finding = found.first(where: { $0.range.lowerBound < cut && $0.range.upperBound > cut }) {
                if finding.range.upperBound < all.count {
                    cut = finding.range.upperBound
                } else if mayWait || finding.range.lowerBound > start {
                    cut = max(start, finding.range.lowerBound)
                } else {
                    self.phase = .dropping
                    return all.count
                }
            }
            if let run = self.run(in: all, across: cut) {
                if run.upperBound < all.count {
                    cut = run.upperBound
                } else {
                    cut = max(start, run.lowerBound)
                    if cut == start, !mayWait { self.phase = .longRun(LongRun(pending)) }
                }
            }
            if cut == before || cut == start { return cut }
        }
        return start
    }

    /// The run of base64 that a place lies in.
    private func run(in text: Octets, across cut: Int) -> Range<Int>? {
        text.withUnsafeBufferPointer { buffer in
            var index = cut
            // Octets that no run holds part the runs before them from those behind them.
            while index > 0, EncodedRun.mayHold(buffer[index - 1]) { index -= 1 }
            while index < cut {
                guard EncodedRun.isPart(buffer[index]) else {
                    index += 1
                    continue
                }
                var end = index
                let run = EncodedRun(in: buffer, at: index, end: &end)
                // Its padding belongs to it.
                end = run?.range.upperBound ?? end
                if end > cut || end == buffer.count { return index..<end }
                index = max(end, index + 1)
            }
            return nil
        }
    }
}
