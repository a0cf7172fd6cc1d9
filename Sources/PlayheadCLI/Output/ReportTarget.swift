import PlayheadEngine

/// Where a report goes and in which form: `FILE`, or `FILE:json`, `FILE:junit`, `FILE:html`.
struct ReportTarget: Equatable {
    /// The forms of a report.
    enum Format: String, CaseIterable {
        case json, junit, html

        /// The octets of a file in this form.
        func octets(of report: RunReport) -> [UInt8] {
            switch self {
            case .json: report.json() + [0x0a]
            case .junit: report.junit()
            case .html: report.html()
            }
        }
    }

    var path: String
    var format: Format

    /// Reads what `--report` takes; nil for an unknown form.
    ///
    /// Without a form, `.xml` means JUnit and `.html` HTML.
    init?(_ text: String) {
        if let colon = text.lastIndex(of: ":"), !text[colon...].contains("/") {
            guard let format = Format(rawValue: String(text[text.index(after: colon)...])), colon > text.startIndex
            else { return nil }
            self.path = String(text[..<colon])
            self.format = format
            return
        }
        self.path = text
        self.format = text.hasSuffix(".xml") ? .junit : text.hasSuffix(".html") ? .html : .json
    }
}
