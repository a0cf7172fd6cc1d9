/// Makes changes that a search of text alone finds: named secrets, texts and patterns of filters, keys in lines.
struct EditStage: StreamStage {
    /// Where a window may end.
    enum Border { case character, line }

    private let border: Border
    private let bounds: StreamBounds
    private let find: @Sendable (Octets) -> [TextEdit]
    private var behind = Octets()

    init(_ border: Border, bounds: StreamBounds, find: @escaping @Sendable (Octets) -> [TextEdit]) {
        self.border = border
        self.bounds = bounds
        self.find = find
    }

    mutating func settle(_ pending: Octets, isLast: Bool, _ substitution: inout SecretSubstitution) -> Settled {
        switch self.border {
        case .line:
            let end = isLast ? pending.count : (pending.lastIndex(of: 0x0A) ?? -1) + 1
            return Settled(count: end, edits: end > 0 ? self.find(Octets(pending[..<end])) : [])
        case .character: return self.text(pending, isLast)
        }
    }

    private mutating func text(_ pending: Octets, _ isLast: Bool) -> Settled {
        // A pattern sees text that is whole: no character may be cut.
        let end = isLast ? pending.count : Self.characterStart(pending, pending.count - 4)
        let all = self.behind + pending[..<max(0, end)]
        let start = self.behind.count
        var cut = isLast ? all.count : Self.characterStart(all, all.count - self.bounds.reach)
        guard cut > start else { return .nothing }
        let edits = self.find(all).filter { $0.range.lowerBound >= start }
        if let across = edits.first(where: { $0.range.lowerBound < cut && $0.range.upperBound > cut }) {
            let isSure = across.range.upperBound < all.count || pending.count >= self.bounds.longest
            cut = isSure ? across.range.upperBound : across.range.lowerBound
        }
        let first = Self.characterStart(all, max(0, cut - self.bounds.behind))
        self.behind = Octets(all[first..<cut])
        return Settled(
            count: cut - start, edits: edits.filter { $0.range.lowerBound < cut }.map { $0.moved(by: -start) })
    }

    /// The place at or before `index` where a character of UTF-8 begins.
    private static func characterStart(_ text: Octets, _ index: Int) -> Int {
        guard index > 0, index < text.count else { return max(0, min(index, text.count)) }
        for back in 0..<min(4, index) where text[index - back] & 0xC0 != 0x80 { return index - back }
        return index
    }
}
