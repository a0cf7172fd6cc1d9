package import PlayheadEngine
import Synchronization

extension SessionRegistry {
    /// The report over all sessions as they are now, those that ended included.
    ///
    /// Recordings that were not played count as unused only where recordings are played at all.
    package func report() -> RunReport {
        var total = RunSummary()
        for closed in self.leases.ended {
            var summary = closed.summary
            if !closed.plan.replays { summary.unused = 0 }
            total.add(summary)
        }
        for session in self.all {
            var summary = session.summary
            summary.unused = session.plan.replays ? session.unusedCount : 0
            total.add(summary)
        }
        total.cassettePath = self.standard.summary.cassettePath
        return RunReport(total)
    }
}

extension CassetteSession {
    /// How many recordings this session has not played.
    package var unusedCount: Int { self.state.withLock { $0.playback.unused.count } }
}
