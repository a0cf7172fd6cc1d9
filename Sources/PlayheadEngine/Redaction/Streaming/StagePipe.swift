import PlayheadCassette

/// Feeds a stage with pieces of a body, and gives back what is settled.
struct StagePipe {
    private var stage: any StreamStage
    private let bounds: StreamBounds
    private var pending = Octets()
    /// The stage is asked again when this much is pending.
    private var wanted: Int
    /// The octets that are settled.
    private var position = 0
    /// Every change, counted from the start of what went in; none if ``places`` is kept.
    private(set) var edits: [TextEdit] = []
    /// Where the changes were, if that is all that is asked for.
    private(set) var places: FoundPlaces?
    /// Whether anything was changed.
    private(set) var isChanged = false
    /// Whether the rest was left out, because a stage came to no end.
    private(set) var isCut = false

    init(_ stage: any StreamStage, bounds: StreamBounds, places: FoundPlaces? = nil) {
        self.stage = stage
        self.places = places
        self.bounds = bounds
        self.wanted = bounds.window
    }

    mutating func take(_ octets: Octets, isLast: Bool, _ substitution: inout SecretSubstitution) -> Octets {
        if self.isCut { return [] }
        self.pending += octets
        var clean = Octets()
        while isLast ? !self.pending.isEmpty : self.pending.count >= self.wanted {
            let settled = self.stage.settle(self.pending, isLast: isLast, &substitution)
            guard settled.count > 0 else {
                // What nobody searched is never passed on.
                if isLast || self.pending.count > 4 * self.bounds.longest { return clean + self.cut() }
                self.wanted = 2 * self.pending.count
                continue
            }
            self.wanted = self.bounds.window
            self.apply(settled, to: &clean)
        }
        return clean
    }

    private mutating func apply(_ settled: Settled, to clean: inout Octets) {
        self.isChanged = self.isChanged || !settled.edits.isEmpty
        self.places?.note(settled, of: self.pending)
        if settled.edits.isEmpty {
            clean += self.pending[..<settled.count]
        } else {
            clean += TextEdit.apply(settled.edits, to: Octets(self.pending[..<settled.count]))
            if self.places == nil { self.edits += settled.edits.map { $0.moved(by: self.position) } }
        }
        self.position += settled.count
        self.pending.removeFirst(settled.count)
    }

    private mutating func cut() -> Octets {
        self.isCut = true
        self.pending = []
        return []
    }
}

extension TextEdit {
    /// The same change in a text that begins `offset` octets earlier.
    func moved(by offset: Int) -> TextEdit {
        TextEdit(range: self.range.lowerBound + offset..<self.range.upperBound + offset, replacement: self.replacement)
    }
}
