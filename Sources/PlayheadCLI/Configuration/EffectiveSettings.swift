import PlayheadEngine

/// The settings that hold here, each with the place that it comes from; secrets masked.
struct EffectiveSettings {
    /// One setting that has a value.
    struct Line: Equatable {
        var key: SettingKey
        var values: [String]
        /// `flag`, `variable`, `file` or `default`.
        var origin: String
        /// The flag, the variable, or the file with its line.
        var place: String
    }

    let lines: [Line]

    /// Takes the settings in the order of their names; those without a value and a default are left out.
    init(_ settings: Settings) {
        self.lines = SettingKey.allCases.sorted { $0.rawValue < $1.rawValue }.compactMap { key in
            guard let entry = settings[key] else {
                guard let standard = SettingDescription.all[key]?.standard else { return nil }
                let values = key.shape == .list ? standard.split(separator: ",").map(String.init) : [standard]
                return Line(key: key, values: values, origin: "default", place: "default")
            }
            return Line(
                key: key, values: entry.values.map { Self.masked($0, key) }, origin: Self.origin(entry.source),
                place: Self.place(entry.source, key))
        }
    }

    /// As `playhead.yaml` would say it.
    func text(showingOrigin: Bool) -> String {
        let settings = self.lines.map { line in
            let values = line.values.map(Self.yaml)
            let value = line.key.shape == .list ? "[\(values.joined(separator: ", "))]" : values.first ?? ""
            return (text: "\(line.key.rawValue): \(value)", place: line.place)
        }
        guard showingOrigin else { return settings.map { $0.text + "\n" }.joined() }
        let width = min(48, settings.map(\.text.count).max() ?? 0)
        return settings.map { setting in
            let gap = String(repeating: " ", count: max(0, width - setting.text.count))
            return "\(setting.text)\(gap)  # \(setting.place)\n"
        }.joined()
    }

    /// For programs; version 1.
    var json: String {
        let settings = self.lines.map { line in
            JSONText.object([
                ("key", JSONText.string(line.key.rawValue)), ("flag", JSONText.string(line.key.flag)),
                ("variable", JSONText.string(line.key.variable)),
                ("values", JSONText.array(line.values.map(JSONText.string))),
                ("origin", JSONText.string(line.origin)), ("place", JSONText.string(line.place)),
            ])
        }
        return JSONText.object([("version", "1"), ("settings", JSONText.array(settings))])
    }

    private static func origin(_ source: Settings.Source) -> String {
        switch source {
        case .flag: "flag"
        case .variable: "variable"
        case .file: "file"
        case .standard: "default"
        }
    }

    private static func place(_ source: Settings.Source, _ key: SettingKey) -> String {
        switch source {
        case .flag: key.flag
        case .variable: key.variable
        case .file(let path, let line): "\(path), line \(line)"
        case .standard: "default"
        }
    }

    private static func masked(_ value: String, _ key: SettingKey) -> String {
        key == .upstreamProxy ? Redactor.standard.maskURL(value) : Redactor.standard.maskText(value)
    }

    /// A text that YAML reads as itself.
    private static func yaml(_ text: String) -> String {
        func isWord(_ octet: UInt8) -> Bool { (octet | 0x20) &- 0x61 < 26 || octet &- 0x30 < 10 }
        let first = text.utf8.first.map { isWord($0) || $0 == UInt8(ascii: "/") } ?? false
        let isPlain = first && text.utf8.allSatisfy { isWord($0) || "/._-".utf8.contains($0) }
        return isPlain ? text : JSONText.string(text)
    }
}
