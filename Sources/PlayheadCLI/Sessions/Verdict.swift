import PlayheadCassette
import PlayheadEngine
import PlayheadProxy

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What a session's summary means for the user and for the exit code.
struct Verdict {
    private let setup: SessionSetup
    private let isQuiet: Bool
    private let failOn: Set<String>
    private let reports: [ReportTarget]
    private let redactor: Redactor
    private let endsWithJSON: Bool

    /// Reads what is judged and where reports go, so that a mistake there is told before anything runs.
    init(_ setup: SessionSetup) throws {
        self.setup = setup
        self.isQuiet = try setup.settings.flag(.quiet)
        let named = try setup.settings.parsedList(.failOn, expected: ReportVerdict.names.joined(separator: ", ")) {
            text in
            ReportVerdict.names.contains(text) ? text : nil
        }
        var failOn: Set<String> = named.isEmpty ? ["miss"] : Set(named)
        if try !setup.settings.flag(.allowUnused, default: true) { failOn.insert("unused") }
        self.failOn = failOn
        self.reports = try setup.settings.list(.report).map { text in
            guard let target = ReportTarget(text) else {
                throw setup.settings.error(.report, "is \(text); it takes FILE, FILE:json, FILE:junit or FILE:html")
            }
            return target
        }
        self.redactor = try setup.redactor()
        self.endsWithJSON = setup.settings.text(.logFormat) == "json"
    }

    /// Prints the summary and writes the reports.
    ///
    /// - Parameters:
    ///   - leak: what to say of a command that sent nothing through the proxy; nil when it did.
    ///   - staged: how many requests mocks and faults answered; nil for `run`, which has none.
    /// - Returns: the child's code if it failed, else the worst verdict that `--fail-on` names.
    func report(
        _ closed: [ClosedSession], childCode: Int32, leak: String? = nil, staged: Int? = nil
    ) throws -> Int32 {
        var summary = RunSummary()
        for session in closed {
            self.talk(session.summary)
            summary.add(session.summary)
        }
        if let leak {
            summary.warn(leak)
            if !self.isQuiet { Terminal.talk("playhead: warning: \(leak)") }
        }
        var secrets: Int?
        var isLeak = leak != nil
        var report = RunReport(summary)
        do {
            secrets = try self.secrets(in: closed)
            if let staged { report.counts.append(RunReport.Count(name: "mocked", value: staged)) }
            if let secrets { report.counts.append(RunReport.Count(name: "secrets", value: secrets)) }
            // A service has no command that it could ask; it is judged like a report of it.
            if staged != nil, self.failOn.contains("leak"), ReportVerdict.isSilent(report) {
                isLeak = true
                Terminal.talk("playhead: nothing came through the proxy; are the clients' variables set?")
            }
            for target in self.reports {
                try self.setup.write(target.format.octets(of: report), to: target.path, .report)
            }
        } catch {
            // What the command said counts more than a report about it.
            guard childCode != 0 else { throw error }
            Terminal.talk("playhead: \(error)")
        }
        let unused = closed.reduce(0) { $0 + ($1.plan.replays ? $1.summary.unused : 0) }
        let code = self.code(
            summary, unused: unused, childCode: childCode, leaks: isLeak, secrets: secrets ?? 0)
        if staged != nil, self.endsWithJSON {
            let text = String(decoding: report.json(), as: UTF8.self)
            Terminal.result(
                JSONText.object([("event", JSONText.string("stopped")), ("code", "\(code)"), ("report", text)]))
        }
        return code
    }

    /// How many secrets `cassette scan` would find in the cassettes as they were saved.
    ///
    /// Counted for `--fail-on secret`, and for reports, which may be judged by it later; nil if nobody asks.
    private func secrets(in closed: [ClosedSession]) throws -> Int? {
        guard self.failOn.contains("secret") || !self.reports.isEmpty else { return nil }
        var seen: Set<String> = []
        var count = 0
        for location in closed.flatMap(\.cassettes) where seen.insert(location.file).inserted {
            guard CassetteFolder.exists(location) else { continue }
            do { count += try CassetteCommand.Scan.findings(at: location, self.redactor).count } catch {
                guard !self.failOn.contains("secret") else { throw error }
                Terminal.talk(
                    "playhead: warning: secrets are not counted: \(CommandBoundary.failure(for: error).message)")
                return nil
            }
        }
        return count
    }

    /// The exit code alone.
    ///
    /// - Parameters:
    ///   - unused: the recordings that were not played by the sessions that replay.
    ///   - leaks: whether nothing came through the proxy.
    ///   - secrets: how many the cassettes hold.
    func code(
        _ summary: RunSummary, unused: Int, childCode: Int32, leaks: Bool = false, secrets: Int = 0
    ) -> Int32 {
        if let reason = summary.recordingFailure {
            if self.isQuiet { Terminal.talk("playhead: recording failed: \(reason)") }
            return childCode != 0 ? childCode : CommandFailure.Code.cannotWrite.rawValue
        }
        if let reason = summary.replayFailure {
            if self.isQuiet { Terminal.talk("playhead: a recording cannot be replayed: \(reason)") }
            return childCode != 0 ? childCode : CommandFailure.Code.badCassette.rawValue
        }
        if childCode != 0 { return childCode }
        if self.failOn.contains("miss"), summary.missed > 0 { return CommandFailure.Code.miss.rawValue }
        if self.failOn.contains("secret"), secrets > 0 {
            Terminal.talk(
                "playhead: the \(secrets == 1 ? "cassette holds a secret" : "cassettes hold \(secrets) secrets"). See "
                    + "`playhead cassette scan`, and take them out with `playhead cassette redact`.")
            return CommandFailure.Code.secretFound.rawValue
        }
        let isDistrusted = self.failOn.contains("trust") && summary.failedTLS > 0
        if isDistrusted || (leaks && self.failOn.contains("leak")) {
            return CommandFailure.Code.clientDistrust.rawValue
        }
        if self.failOn.contains("unused"), unused > 0 {
            Terminal.talk("playhead: \(unused) recorded \(unused == 1 ? "exchange was" : "exchanges were") not used.")
            return CommandFailure.Code.unused.rawValue
        }
        return 0
    }

    private func talk(_ summary: RunSummary) {
        guard !self.isQuiet else { return summary.misses.forEach { Terminal.error($0.text()) } }
        var summary = summary
        // An arrow to a file that is not there would send people to look for it.
        if let path = summary.cassettePath, access(self.setup.host.absolute(path), F_OK) != 0 {
            summary.cassettePath = nil
        }
        Terminal.error(summary.text)
    }
}
