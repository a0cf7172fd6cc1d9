public import PlayheadCassette

/// Which old exchanges stay in the cassette when the session closes.
///
/// Built up while exchanges are recorded, so the new ones need not be held in memory.
public struct KeptExchanges: Sendable {
    private let plan: SessionPlan
    private let count: Int
    private let dropsUnused: Bool
    private let index: PlaybackIndex?
    private var replaced: Set<Int> = []
    private var recordedCount = 0

    /// Creates a merge over the exchanges that were in the cassette at open.
    public init(plan: SessionPlan, rules: MatchRules, old: [Exchange], dropsUnused: Bool = false) {
        self.plan = plan
        self.count = old.count
        self.dropsUnused = dropsUnused
        self.index = plan.oldExchanges == .replaceMatching ? PlaybackIndex(exchanges: old, rules: rules) : nil
    }

    /// Notes that this request was recorded, and marks the old exchanges it replaces.
    public mutating func noteRecorded(_ request: IncomingRequest) {
        self.recordedCount += 1
        guard let index = self.index else { return }
        for position in index.matches(of: request) { self.replaced.insert(position) }
    }

    /// Whether the cassette has to be written: something was recorded, or unused exchanges go away.
    public func needsWriting(playCounts: [Int]) -> Bool {
        guard self.plan.records else { return false }
        return self.recordedCount > 0 || (self.dropsUnused && self.kept(playCounts: playCounts).count < self.count)
    }

    /// How many old exchanges go away because nobody used them, those that were replaced aside.
    public func droppedCount(playCounts: [Int]) -> Int {
        guard self.plan.oldExchanges != .dropAll else { return 0 }
        return self.count - self.replaced.count - self.kept(playCounts: playCounts).count
    }

    /// The positions of the old exchanges that stay, in their order; new ones follow behind them.
    ///
    /// - Parameter playCounts: how often each old exchange was played; see ``Playback/playCounts``.
    public func kept(playCounts: [Int]) -> [Int] {
        switch self.plan.oldExchanges {
        // Nothing recorded: the file stays as it is, an aborted run must not empty a cassette.
        case .dropAll: return self.recordedCount == 0 ? Array(0..<self.count) : []
        case .keepAll, .replaceMatching: break
        }
        return (0..<self.count).filter { position in
            if self.replaced.contains(position) { return false }
            guard self.dropsUnused, self.plan.records else { return true }
            return position < playCounts.count && playCounts[position] > 0
        }
    }
}
