extension MissReport {
    /// How many differences of one recording are spelled out.
    static let shownDifferences = 5

    /// The id in brackets, where it says more than the number.
    private static func name(of candidate: Candidate) -> String {
        candidate.exchange == "\(candidate.number)" ? "" : " (\(visible(candidate.exchange)))"
    }

    /// A few lines for people: the request, the nearest recording with what differs, and the way out.
    public func text() -> String {
        var lines = ["miss\(self.id.isEmpty ? "" : " \(self.id)"): \(visible(self.method)) \(visible(self.url))"]
        lines.append("  \(self.cause); \(self.modeNote)")
        if let candidate = self.nearest.first {
            let played = candidate.alreadyPlayedAt.map { ", already played at #\($0)" } ?? ""
            lines.append(
                "  nearest: recording \(candidate.number)\(Self.name(of: candidate)) "
                    + "\(visible(candidate.method)) \(visible(candidate.url))\(played)")
            for difference in candidate.differences.prefix(MissReport.shownDifferences) {
                lines.append("    \(difference.sentence)")
            }
            let rest = candidate.differences.count - MissReport.shownDifferences
            if rest > 0 { lines.append("    and \(rest) more") }
        }
        if let rule = self.suggestedRule { lines.append("  it would match with: \(rule)") }
        lines.append("  to record it: \(self.recordCommand)")
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Difference {
    /// `query date: recorded "1", requested "2"`.
    public var sentence: String { self.sentence(named: self.name) }

    func sentence(named name: String) -> String {
        switch (self.recorded, self.requested) {
        case (nil, nil): "\(visible(name)): differs"
        case (let recorded?, nil): "\(visible(name)): recorded \(quoted(recorded)), not in the request"
        case (nil, let requested?): "\(visible(name)): not in the recording, requested \(quoted(requested))"
        case (let recorded?, let requested?):
            "\(visible(name)): recorded \(quoted(recorded)), requested \(quoted(requested))"
        }
    }
}

/// A value in quotes, cut where it gets long.
private func quoted(_ text: String) -> String {
    let limit = 120
    let short = text.count > limit ? text.prefix(limit) + "…" : text[...]
    return "\"\(visible(String(short)))\""
}

/// Text in which control characters are spelled out, so that a peer cannot write to the terminal.
func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0.value < 0x20 || ($0.value >= 0x7F && $0.value < 0xA0) }) else {
        return text
    }
    var result = ""
    for scalar in text.unicodeScalars {
        if scalar.value < 0x20 || (scalar.value >= 0x7F && scalar.value < 0xA0) {
            result +=
                scalar == "\n"
                ? "\\n" : scalar == "\r" ? "\\r" : scalar == "\t" ? "\\t" : "\\u{\(String(scalar.value, radix: 16))}"
        } else {
            result.unicodeScalars.append(scalar)
        }
    }
    return result
}
