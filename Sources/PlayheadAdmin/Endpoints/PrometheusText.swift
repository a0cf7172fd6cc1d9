/// Prometheus's text format: samples grouped by metric, each metric with its help and type once.
struct PrometheusText {
    /// What a metric is.
    enum Kind: String { case counter, gauge }

    private(set) var text = ""
    private var described: Set<String> = []

    /// Adds a sample; samples of one metric must follow each other.
    ///
    /// Equal labels may come twice, as when two sessions play one cassette; their values are not added up here.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ labels: [(String, String)], _ value: Int) {
        if self.described.insert(name).inserted {
            self.text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        }
        let shown = labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        self.text += "\(name)\(shown.isEmpty ? "" : "{\(shown)}") \(value)\n"
    }

    /// Backslash, quote and line feed are escaped in label values; nothing else is.
    private static func escaped(_ value: String) -> String {
        value.reduce(into: "") { result, character in
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n", "\r\n": result += "\\n"
            default: result.append(character)
            }
        }
    }
}
