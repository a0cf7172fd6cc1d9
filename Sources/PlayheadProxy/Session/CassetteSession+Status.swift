public import PlayheadCassette
import PlayheadEngine
import Synchronization

extension CassetteSession {
    /// Whether the cassette was missing or had no exchanges when the session opened.
    public var isNew: Bool { self.base.exchanges.isEmpty }

    /// Whether nothing can be recorded: the mode forbids it, or it is `once` and the cassette had exchanges.
    public var isWriteProtected: Bool { !self.plan.records }

    /// Whether every exchange of the cassette was played to its end since the session opened or was rewound.
    public var allPlayed: Bool { self.state.withLock { $0.playback.allPlayed } }

    /// How many answers were handed over completely since the session opened or was rewound.
    public var playCount: Int { self.playCounts.reduce(0, &+) }

    /// How often each exchange was played to its end since the session opened or was rewound, in recorded order.
    public var playCounts: [Int] { self.state.withLock { $0.playback.playCounts } }

    /// The exchanges that the session plays, in recorded order: secrets put back, overrides applied.
    public var exchanges: [Exchange] { self.state.withLock { $0.playback.exchanges } }

    /// Whether the session was closed, so that it neither plays nor records any more.
    public var isClosed: Bool { self.state.withLock { $0.isClosed } }

    /// Begins to play anew, as if nothing had been played; answers under way go on and count for the time before.
    ///
    /// What this session recorded still does not answer, and the counts of the summary go on.
    public func rewind() {
        let wakes = self.state.withLock { state in
            state.playback.rewind()
            state.round += 1
            return state.chronology?.rewind() ?? []
        }
        for wake in wakes { wake() }
    }
}
