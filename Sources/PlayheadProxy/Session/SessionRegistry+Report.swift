import NIOCore
import PlayheadCassette
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
            if let warning = session.failureWarning { summary.warn(warning) }
            total.add(summary)
        }
        total.cassettePath = self.standard.summary.cassettePath
        return RunReport(total)
    }

    /// How many secrets the open sessions' cassettes held when they were opened; reads the disk.
    ///
    /// What was recorded since was redacted by the same rules.
    package func secretCount() throws -> Int { try self.all.reduce(0) { $0 + (try $1.secretCount()) } }
}

extension CassetteSession {
    func secretCount() throws -> Int {
        let search = CassetteSearch(self.location, redactor: self.options.redactor)
        return try self.base.exchanges.reduce(0) { try $0 + search.findings(in: $1) { _ in }.count }
    }

    /// Says which recorded failures were replayed so far; a session that was closed has it in its summary.
    var failureWarning: String? {
        let counts = self.state.withLock { $0.isClosed ? [] : $0.playback.sessionPlayCounts }
        return self.failureWarning(counts)
    }

    func failureWarning(_ playCounts: [Int]) -> String? {
        ReplayedFailures(self.base.exchanges, playCounts: playCounts, redactor: self.options.redactor)
            .warning(cassette: self.location.name.description)
    }

    /// How many recordings this session has not played.
    package var unusedCount: Int { self.state.withLock { $0.playback.unused.count } }
}
