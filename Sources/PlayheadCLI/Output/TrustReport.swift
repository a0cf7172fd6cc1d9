import PlayheadTrust

/// What happened to each trust store, in lines, and the verdict.
enum TrustReport {
    /// - Throws: `CommandFailure` when a store that is present could not be changed.
    static func print(
        _ reports: [TrustStores.Report], on host: TrustHost, done: String, already: String
    ) throws {
        var failures = 0
        for report in reports {
            switch report.outcome {
            case .changed: Terminal.result("\(report.store): \(done)")
            case .unchanged: Terminal.result("\(report.store): \(already)")
            case .notPresent(let reason): Terminal.talk("\(report.store): not present (\(reason))")
            case .planned(let commands):
                for command in commands { Terminal.result(command.line(isSuperuser: host.isSuperuser)) }
            case .declined(let commands):
                failures += 1
                Terminal.talk("\(report.store): not changed; run this yourself:")
                for command in commands { Terminal.talk("  \(command.line(isSuperuser: host.isSuperuser))") }
            case .failed(let reason, let remedy):
                failures += 1
                Terminal.talk("\(report.store): failed: \(reason)")
                for command in remedy { Terminal.talk("  to do: \(command.line(isSuperuser: host.isSuperuser))") }
            }
        }
        guard failures > 0 else { return }
        throw CommandFailure(
            .noPermission, "\(failures) trust stores were not changed; the lines above say what to run.")
    }
}
