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

    /// How many secrets the cassettes of all sessions hold, those that ended included; reads the disk.
    ///
    /// An open one counts as it was when it was opened: what was recorded since was redacted by the same rules.
    package func secretCount() throws -> Int {
        var seen: Set<String> = []
        var count = 0
        for session in self.all where session.usesCassette && seen.insert(session.location.file).inserted {
            count += try session.base.exchanges.secretCount(at: session.location, self.options.redactor)
        }
        for location in self.leases.ended.flatMap(\.cassettes) where seen.insert(location.file).inserted {
            let exchanges = try CassetteReader.read(location)?.exchanges ?? []
            count += try exchanges.secretCount(at: location, self.options.redactor)
        }
        return count
    }
}

extension [Exchange] {
    fileprivate func secretCount(at location: CassetteLocation, _ redactor: Redactor) throws -> Int {
        let search = CassetteSearch(location, redactor: redactor)
        return try self.reduce(0) { try $0 + search.findings(in: $1) { _ in }.count }
    }
}

extension CassetteSession {
    /// Says which recorded failures were replayed so far; a session that was closed has it in its summary.
    var failureWarning: String? {
        let counts = self.state.withLock { $0.isClosed ? [] : $0.playback.sessionPlayCounts }
        return self.failureWarning(counts)
    }

    func failureWarning(_ playCounts: [Int]) -> String? {
        ReplayedFailures(self.base.exchanges, playCounts: playCounts, redactor: self.options.redactor)
            .warning(cassette: self.location.name.description)
    }

    /// Whether the mode has to do with the cassette at all.
    var usesCassette: Bool { self.plan.mode != .passthrough && self.plan.mode != .intercept }

    /// How many recordings this session has not played.
    package var unusedCount: Int { self.state.withLock { $0.playback.unused.count } }
}
