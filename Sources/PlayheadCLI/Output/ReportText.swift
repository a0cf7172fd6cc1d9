import PlayheadEngine

/// A report as text for people and as annotations for GitHub.
struct ReportText {
    let report: RunReport

    /// The counts on one line, then the warnings, then each miss with what would help.
    var text: String {
        let counts = self.report.counts.map { "\($0.value) \($0.name)" }.joined(separator: ", ")
        var text = "playhead: \(counts)\(self.report.cassette.map { " -> \(Self.line($0))" } ?? "")\n"
        if let failure = self.report.recordingFailure { text += "playhead: recording failed: \(Self.line(failure))\n" }
        if let failure = self.report.replayFailure {
            text += "playhead: a recording cannot be replayed: \(Self.line(failure))\n"
        }
        for warning in self.report.warnings { text += "playhead: warning: \(Self.line(warning))\n" }
        for miss in self.report.misses {
            text += "miss \(Self.line(miss.id)): \(Self.line(miss.method)) \(Self.line(miss.url))\n"
            for line in miss.lines { text += "  \(Self.line(line))\n" }
        }
        let rest = self.missed - self.report.misses.count
        if rest > 0 { text += "and \(rest) more misses\n" }
        return text
    }

    /// At most so many misses are shown to GitHub, which cuts longer pages off and shows few annotations of a step.
    private static let shownLimit = 100

    /// Workflow commands: an error per miss, a warning per warning.
    ///
    /// What a peer sent is escaped, so that no text of a request is taken for a command.
    var github: String {
        var text = ""
        if let failure = self.report.recordingFailure {
            text += "::error title=playhead: recording failed::\(Self.data(failure))\n"
        }
        if let failure = self.report.replayFailure {
            text += "::error title=playhead: a recording cannot be replayed::\(Self.data(failure))\n"
        }
        for miss in self.report.misses.prefix(Self.shownLimit) {
            let title = Self.property("playhead: miss \(miss.method) \(miss.url)")
            text += "::error title=\(title)::\(Self.data(miss.lines.joined(separator: "\n")))\n"
        }
        if self.hidden > 0 { text += "::error title=playhead::and \(self.hidden) more misses\n" }
        for warning in self.report.warnings { text += "::warning title=playhead::\(Self.data(warning))\n" }
        return text
    }

    /// The page for the file that `GITHUB_STEP_SUMMARY` names, in Markdown.
    var stepSummary: String {
        var text = "### Playhead\n\n| | |\n|---|---|\n"
        for count in self.report.counts { text += "| \(Self.line(count.name)) | \(count.value) |\n" }
        for miss in self.report.misses.prefix(Self.shownLimit) {
            text += "\n<details><summary>miss: \(Self.markup("\(miss.method) \(miss.url)"))</summary>\n\n<pre>"
            text += miss.lines.map(Self.markup).joined(separator: "\n") + "</pre>\n</details>\n"
        }
        if self.hidden > 0 { text += "\nand \(self.hidden) more misses\n" }
        return text
    }

    /// A file may say anything; below zero there is nothing to subtract from.
    private var missed: Int { max(0, self.report.count("missed")) }

    /// How many misses are not shown to GitHub.
    private var hidden: Int { self.missed - min(self.report.misses.count, Self.shownLimit) }

    /// One line: control characters would move the cursor or begin a line of their own.
    static func line(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
    }

    private static func markup(_ text: String) -> String {
        Self.line(text).replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    private static func data(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }

    private static func property(_ text: String) -> String {
        Self.data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
    }
}
