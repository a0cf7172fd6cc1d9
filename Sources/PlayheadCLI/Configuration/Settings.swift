import PlayheadEngine

/// All settings with the place each value came from: flag, variable, file, or the default.
struct Settings: Sendable {
    /// Where a value came from.
    enum Source: Sendable, Equatable {
        case flag
        case variable
        case file(String, line: Int)
        case standard
    }

    /// The values of one setting; a single setting has one.
    struct Entry: Sendable, Equatable {
        var values: [String]
        var source: Source
    }

    private var entries: [SettingKey: Entry] = [:]
    /// What is changed before it is stored or compared; only a file can say it.
    let filters: FilterChain

    /// Merges the sources: flag over variable over file.
    init(flags: [SettingKey: [String]], environment: [String: String], file: ConfigurationFile?) {
        self.filters = file?.filters ?? FilterChain()
        for key in SettingKey.allCases {
            if let values = flags[key], !values.isEmpty {
                self.entries[key] = Entry(values: Self.split(values, key), source: .flag)
            } else if let text = environment[key.variable], !text.isEmpty {
                self.entries[key] = Entry(values: Self.split([text], key), source: .variable)
            } else if let entry = file?.entries[key] {
                self.entries[key] = entry
            }
        }
    }

    subscript(key: SettingKey) -> Entry? { self.entries[key] }

    /// The value of a single setting.
    func text(_ key: SettingKey) -> String? { self.entries[key]?.values.first }

    /// The values of a list; empty if it is not set.
    func list(_ key: SettingKey) -> [String] { self.entries[key]?.values ?? [] }

    /// The value of a flag, or the default.
    func flag(_ key: SettingKey, default standard: Bool = false) throws -> Bool {
        guard let text = self.text(key) else { return standard }
        switch text.lowercased() {
        case "true", "yes", "on", "1": return true
        case "false", "no", "off", "0": return false
        default: throw self.error(key, "is \(text), which is neither true nor false")
        }
    }

    /// A parsed single value; `expected` completes the sentence "it takes …".
    func parsed<Value>(
        _ key: SettingKey, default standard: Value, expected: String, _ parse: (String) -> Value?
    ) throws -> Value {
        guard let text = self.text(key) else { return standard }
        guard let value = parse(text) else { throw self.error(key, "is \(text); it takes \(expected)") }
        return value
    }

    /// A list of parsed values.
    ///
    /// - Parameter texts: the values to parse if not all of them.
    func parsedList<Value>(
        _ key: SettingKey, in texts: [String]? = nil, expected: String, _ parse: (String) -> Value?
    ) throws -> [Value] {
        try (texts ?? self.list(key)).map { text in
            guard let value = parse(text) else { throw self.error(key, "has \(text); it takes \(expected)") }
            return value
        }
    }

    /// An error that names the place the value came from.
    func error(_ key: SettingKey, _ problem: String) -> CommandFailure {
        let code: CommandFailure.Code =
            switch self.entries[key]?.source {
            case .flag?, .standard?, nil: .usage
            case .variable?, .file?: .badConfiguration
            }
        return CommandFailure(code, "\(self.place(of: key)) \(problem).")
    }

    /// How people name the place a value came from: the flag, the variable, or the line of a file.
    func place(of key: SettingKey) -> String {
        switch self.entries[key]?.source {
        case .flag?, .standard?, nil: key.flag
        case .variable?: "The variable \(key.variable)"
        case .file(let name, let line)?: "\(name), line \(line): \(key.rawValue)"
        }
    }

    private static func split(_ values: [String], _ key: SettingKey) -> [String] {
        // A report's file name and a JSONPath filter may hold a comma; all other lists are split at commas.
        guard key.shape == .list, !key.isUnsplit else { return values }
        return values.flatMap { $0.split(separator: ",").map { String($0.trimmingSpaces()) } }.filter { !$0.isEmpty }
    }
}

extension Substring {
    func trimmingSpaces() -> Substring {
        var rest = self
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return rest
    }
}
