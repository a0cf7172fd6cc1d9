import PlayheadEngine

/// What a report means for the exit code.
struct ReportVerdict {
    /// What `--fail-on` takes, at the end of `run` and `serve` and in `playhead report`.
    static let names = ["miss", "unused", "leak", "trust", "secret", "none"]

    /// The counts of what a client did through the proxy.
    private static let signsOfLife = [
        "replayed", "recorded", "missed", "tunnelled", "ignored", "failed", "failed_tls", "mocked",
        "discarded",
    ]

    let failOn: Set<String>

    /// Reads a list; nil when it names something else.
    init?(_ names: [String]) {
        let parts = names.flatMap { $0.split(separator: ",").map { String($0.trimmingSpaces()) } }
        guard parts.allSatisfy(Self.names.contains) else { return nil }
        self.failOn = parts.isEmpty ? ["miss"] : Set(parts)
    }

    /// Whether the report must tell how many secrets the cassettes hold.
    var asksForSecrets: Bool { self.failOn.contains("secret") }

    /// Whether nothing at all came through the proxy.
    static func isSilent(_ report: RunReport) -> Bool { Self.signsOfLife.allSatisfy { report.count($0) == 0 } }

    /// The worst verdict; a recording that could not be stored or replayed is always one.
    ///
    /// When nothing at all came, the clients went past the proxy: that is a leak.
    func code(_ report: RunReport) -> CommandFailure.Code? {
        if report.recordingFailure != nil { return .cannotWrite }
        if report.replayFailure != nil { return .badCassette }
        if self.failOn.contains("miss"), report.count("missed") > 0 { return .miss }
        if self.failOn.contains("secret"), report.count("secrets") > 0 { return .secretFound }
        if self.failOn.contains("trust"), report.count("failed_tls") > 0 { return .clientDistrust }
        if self.failOn.contains("leak"), Self.isSilent(report) { return .clientDistrust }
        if self.failOn.contains("unused"), report.count("unused") > 0 { return .unused }
        return nil
    }
}
