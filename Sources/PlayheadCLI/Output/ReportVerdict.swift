import PlayheadEngine

/// What a report means for the exit code of `playhead report`.
struct ReportVerdict {
    /// What can fail a job.
    static let names = ["miss", "unused", "trust", "none"]

    let failOn: Set<String>

    /// Reads a list; nil when it names something else.
    init?(_ names: [String]) {
        let parts = names.flatMap { $0.split(separator: ",").map { String($0.trimmingSpaces()) } }
        guard parts.allSatisfy(Self.names.contains) else { return nil }
        self.failOn = parts.isEmpty ? ["miss"] : Set(parts)
    }

    /// The worst verdict; a recording that could not be stored is always one.
    func code(_ report: RunReport) -> CommandFailure.Code? {
        if report.recordingFailure != nil { return .cannotWrite }
        if self.failOn.contains("miss"), report.count("missed") > 0 { return .miss }
        if self.failOn.contains("trust"), report.count("failed_tls") > 0 { return .clientDistrust }
        if self.failOn.contains("unused"), report.count("unused") > 0 { return .unused }
        return nil
    }
}
