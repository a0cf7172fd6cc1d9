import PlayheadEngine
import PlayheadProxy

/// What a session's summary means for the user and for the exit code.
struct Verdict {
    let settings: Settings
    let isQuiet: Bool

    /// Prints the summary and writes the reports.
    ///
    /// - Returns: the child's code if it failed, else the worst verdict that `--fail-on` names.
    func report(_ closed: [ClosedSession], childCode: Int32) throws -> Int32 {
        let failOn = try self.settings.parsedList(.failOn, expected: "miss, unused or none") { text in
            ["miss", "unused", "none"].contains(text) ? text : nil
        }
        let judged = failOn.isEmpty ? ["miss"] : failOn
        var summary = RunSummary()
        for session in closed {
            self.talk(session.summary)
            summary.add(session.summary)
        }
        for text in self.settings.list(.report) { try self.write(summary, to: text) }
        if let reason = summary.recordingFailure {
            if self.isQuiet { Terminal.talk("playhead: recording failed: \(reason)") }
            return childCode != 0 ? childCode : CommandFailure.Code.cannotWrite.rawValue
        }
        if childCode != 0 { return childCode }
        if judged.contains("miss"), summary.missed > 0 { return CommandFailure.Code.miss.rawValue }
        let forbidsUnused = try judged.contains("unused") || !self.settings.flag(.allowUnused, default: true)
        let unused = closed.reduce(0) { $0 + ($1.plan.replays ? $1.summary.unused : 0) }
        if forbidsUnused, unused > 0 {
            Terminal.talk("playhead: \(unused) recorded exchanges were not used.")
            return CommandFailure.Code.unused.rawValue
        }
        return 0
    }

    private func talk(_ summary: RunSummary) {
        guard !self.isQuiet else { return summary.misses.forEach { Terminal.error($0.text()) } }
        Terminal.error(summary.text)
    }

    private func write(_ summary: RunSummary, to target: String) throws {
        var path = target
        if let colon = target.lastIndex(of: ":"), !target[colon...].contains("/") {
            let format = target[target.index(after: colon)...]
            guard format == "json" else {
                throw CommandFailure(.usage, "--report \(target): the format is json, as in --report out.json.")
            }
            path = String(target[..<colon])
        }
        try FileText.replace(path, with: String(decoding: summary.json(), as: UTF8.self) + "\n")
    }
}
