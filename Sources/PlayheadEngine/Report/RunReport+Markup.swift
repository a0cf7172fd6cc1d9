extension RunReport {
    /// The report as a JUnit file: a test case per exchange and per miss; a miss is a failure, an unused one is skipped.
    public func junit() -> [UInt8] {
        let skipped = self.exchanges.count { $0.outcome == .unused }
        let broken = [
            ("recording", self.recordingFailure), ("replay", self.replayFailure),
        ].compactMap { kind, reason in reason.map { (kind, $0) } }
        let tests = self.exchanges.count + self.misses.count + broken.count
        let failures = self.misses.count + broken.count
        let name = Markup.escaped(self.cassette ?? "playhead")
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="playhead" tests="\(tests)" failures="\(failures)" skipped="\(skipped)">
              <testsuite name="\(name)" tests="\(tests)" failures="\(failures)" errors="0" skipped="\(skipped)">
                <properties>

            """
        for count in self.counts {
            text += "      <property name=\"\(Markup.escaped(count.name))\" value=\"\(count.value)\"/>\n"
        }
        text += "    </properties>\n"
        for miss in self.misses {
            text += "    <testcase classname=\"miss\" name=\"\(Markup.escaped("\(miss.method) \(miss.url)"))\">\n"
            text += "      <failure type=\"\(Markup.escaped(miss.reason))\" message=\"\(Markup.escaped(miss.cause))\">"
            text += Markup.escaped(miss.lines.joined(separator: "\n")) + "</failure>\n    </testcase>\n"
        }
        for (kind, failure) in broken {
            text += "    <testcase classname=\"\(kind)\" name=\"\(name)\">\n"
            text += "      <failure type=\"\(kind)_failure\" message=\"\(Markup.escaped(failure))\"/>\n"
            text += "    </testcase>\n"
        }
        for line in self.exchanges {
            let name = Markup.escaped("#\(line.id) \(line.method) \(line.url)")
            text += "    <testcase classname=\"\(line.outcome.rawValue)\" name=\"\(name)\""
            text += line.outcome == .unused ? "><skipped message=\"not used in this run\"/></testcase>\n" : "/>\n"
        }
        if !self.warnings.isEmpty {
            text += "    <system-err>\(Markup.escaped(self.warnings.joined(separator: "\n")))</system-err>\n"
        }
        return Array((text + "  </testsuite>\n</testsuites>\n").utf8)
    }

    /// The report as one HTML page that needs nothing else and runs no script.
    public func html() -> [UInt8] {
        let title = "playhead: \(Markup.escaped(self.cassette ?? "run"))"
        var text = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width">
            <title>\(title)</title>
            <style>
            body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; }
            table { border-collapse: collapse; width: 100%; }
            td, th { border-bottom: 1px solid #8884; padding: .2em .6em; text-align: left; vertical-align: top; }
            td { overflow-wrap: anywhere; }
            pre { background: #8882; padding: .6em; white-space: pre-wrap; overflow-wrap: anywhere; }
            @media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd; } }
            </style>
            </head>
            <body>
            <h1>\(title)</h1>
            <table><tr>

            """
        text += self.counts.map { "<th>\(Markup.escaped($0.name))</th>" }.joined() + "</tr>\n<tr>"
        text += self.counts.map { "<td>\($0.value)</td>" }.joined() + "</tr></table>\n"
        if let failure = self.recordingFailure { text += "<p>Recording failed: \(Markup.escaped(failure))</p>\n" }
        if let failure = self.replayFailure {
            text += "<p>A recording cannot be replayed: \(Markup.escaped(failure))</p>\n"
        }
        for warning in self.warnings { text += "<p>Warning: \(Markup.escaped(warning))</p>\n" }
        if !self.misses.isEmpty { text += "<h2>Misses</h2>\n" }
        for miss in self.misses {
            text += "<h3>\(Markup.escaped("\(miss.id) \(miss.method) \(miss.url)"))</h3>\n"
            text += "<pre>\(Markup.escaped(miss.lines.joined(separator: "\n")))</pre>\n"
        }
        if !self.exchanges.isEmpty {
            text += "<h2>Exchanges</h2>\n<table><tr><th>id</th><th>outcome</th><th>plays</th><th>request</th></tr>\n"
            for line in self.exchanges {
                text += "<tr><td>\(Markup.escaped(line.id))</td><td>\(line.outcome.rawValue)</td>"
                text += "<td>\(line.plays)</td><td>\(Markup.escaped("\(line.method) \(line.url)"))</td></tr>\n"
            }
            text += "</table>\n"
        }
        return Array((text + "</body>\n</html>\n").utf8)
    }
}

/// Text inside XML and HTML.
enum Markup {
    /// The text with marks spelled out, and without characters that XML 1.0 cannot hold (section 2.2).
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            case "\u{0}"..<"\u{20}", "\u{7f}"..<"\u{a0}", "\u{fffe}", "\u{ffff}": result += "\u{fffd}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
