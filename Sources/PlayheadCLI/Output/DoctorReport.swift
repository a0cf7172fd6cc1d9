import PlayheadTrust

/// What `doctor` found out about one client.
struct DoctorFinding: Equatable {
    /// What came of the canary.
    enum State: Equatable {
        /// It came through the proxy and our certificate was trusted.
        case works
        /// It did, with `--isolate trust`.
        case worksIsolated
        /// It came to the proxy, which the client did not trust.
        case distrusts
        /// It never came to the proxy.
        case bypasses
        /// It came through and the client did not print it, or it could not be built.
        case fails
    }

    var name: String
    var program: String
    var version: String?
    var state: State
    /// What to do; empty when all is well.
    var fix = ""
    /// The client's own words when it failed.
    var words = ""

    var isProxied: Bool { self.state != .bypasses && self.state != .fails }
    var isTrusted: Bool { self.state == .works || self.state == .worksIsolated }
}

/// The table and the JSON of `doctor`.
struct DoctorReport: Equatable {
    var findings: [DoctorFinding]
    /// Clients that are not on this machine.
    var missing: [String]

    /// A line for each client, then what is not here.
    var text: String {
        let rows = [["CLIENT", "VERSION", "PROXIED", "TRUSTED", "HOW TO FIX"]] + self.findings.map(Self.row)
        let widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
        var text = ""
        for row in rows {
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            let line = (cells + [row[4]]).joined(separator: "  ")
            text += line.reversed().drop { $0 == " " }.reversed() + "\n"
        }
        if !self.missing.isEmpty { text += "not here: \(self.missing.joined(separator: ", "))\n" }
        return text
    }

    private static func row(_ finding: DoctorFinding) -> [String] {
        let proxied =
            switch finding.state {
            case .fails: "?"
            case .bypasses: "no"
            case .works, .worksIsolated, .distrusts: "yes"
            }
        let trusted =
            switch finding.state {
            case .fails: "?"
            case .bypasses: "-"
            case .works: "yes"
            case .worksIsolated: "isolated"
            case .distrusts: "no"
            }
        let words = finding.words.split(separator: "\n").last.map { " (it says: \($0))" } ?? ""
        return [finding.name, finding.version ?? "?", proxied, trusted, finding.fix + words]
    }

    /// The same for programs, version 1.
    var json: String {
        let clients = self.findings.map { finding in
            JSONText.object([
                ("name", JSONText.string(finding.name)), ("program", JSONText.string(finding.program)),
                ("version", finding.version.map(JSONText.string) ?? "null"),
                ("proxied", finding.isProxied ? "true" : "false"), ("trusted", finding.isTrusted ? "true" : "false"),
                ("isolate", finding.state == .worksIsolated ? JSONText.string("trust") : "null"),
                ("failed", finding.state == .fails ? "true" : "false"),
                ("fix", JSONText.string(finding.fix)), ("words", JSONText.string(finding.words)),
            ])
        }
        return JSONText.object([
            ("version", "1"), ("clients", JSONText.array(clients)),
            ("missing", JSONText.array(self.missing.map(JSONText.string))),
        ])
    }
}
