import ArgumentParser
import PlayheadCassette
import PlayheadEngine

extension CassetteCommand {
    /// `playhead cassette learn`.
    struct Learn: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compare two recordings of the same run, and propose what to ignore.",
            discussion: """
                Run the same program twice, into two cassettes. What differs in their requests (query names, headers, places \
                in JSON, form fields) changes from run to run, so it should not decide which recording answers.

                EXAMPLES
                  playhead run -c one -m rewrite -- ./tests && playhead run -c two -m rewrite -- ./tests
                  playhead cassette learn one two           lines for playhead.yaml, and the same as flags
                  playhead cassette learn one two --write   put them into playhead.yaml
                """)

        @OptionGroup var place: Place
        @Flag(help: "Add the rules to playhead.yaml, which is made here if there is none.") var write = false
        @Flag(help: "Print JSON.") var json = false
        @Argument(help: "The first recording's name or file.") var first: String
        @Argument(help: "The second recording's name or file.") var second: String

        func run() throws {
            try CommandBoundary.run {
                let rules = LearnedRules(first: try self.exchanges(self.first), second: try self.exchanges(self.second))
                if self.json {
                    Terminal.result(Self.json(rules))
                } else {
                    Terminal.raw(Self.text(rules))
                    Terminal.talk("playhead: \(Self.note(rules))")
                }
                if self.write, !rules.isEmpty { try self.store(rules) }
            }
        }

        private func exchanges(_ name: String) throws -> [Exchange] {
            let location = try self.place.location(name)
            return try CassetteChange.read(location).exchanges.map { try CassetteChange.inlined($0, at: location) }
        }

        private func store(_ rules: LearnedRules) throws {
            let host = HostEnvironment.current()
            let path = ConfigurationFile.find(from: host.workingFolder) ?? host.absolute(ConfigurationFile.name)
            let old = FileText.read(path).map { String(decoding: $0, as: UTF8.self) } ?? ""
            let new = try ConfigurationEdit(path: path).adding(Self.settings(rules), to: old)
            try FileText.replace(path, with: new)
            Terminal.talk("playhead: written to \(path)")
        }

        static func settings(_ rules: LearnedRules) -> [(key: SettingKey, values: [String])] {
            [
                (key: SettingKey.ignoreQuery, values: rules.query.sorted()),
                (key: .ignoreHeader, values: rules.headers.sorted()),
                (key: .ignoreJSON, values: rules.jsonPaths.sorted()),
                (key: .ignoreForm, values: rules.formKeys.sorted()),
            ].filter { !$0.values.isEmpty }
        }

        static func text(_ rules: LearnedRules) -> String {
            let settings = Self.settings(rules)
            guard !settings.isEmpty else { return "" }
            let flags = settings.map { key, values in
                key.isUnsplit
                    ? values.map { "\(key.flag) \(Self.quoted($0))" }.joined(separator: " ")
                    : "\(key.flag) \(Self.quoted(values.joined(separator: ",")))"
            }
            return settings.map { ConfigurationEdit.block($0.key, $0.values) }.joined()
                + "# as flags: \(flags.joined(separator: " "))\n"
        }

        static func note(_ rules: LearnedRules) -> String {
            var text = "compared \(rules.compared) request\(rules.compared == 1 ? "" : "s")"
            if rules.isEmpty { text += "; nothing varies" }
            if !rules.onlyFirst.isEmpty || !rules.onlySecond.isEmpty {
                text +=
                    "; \(rules.onlyFirst.count) of the first and \(rules.onlySecond.count) of the second recording "
                    + "have no counterpart"
                if let one = rules.onlyFirst.first ?? rules.onlySecond.first { text += ", such as \(one)" }
            }
            return text
        }

        static func json(_ rules: LearnedRules) -> String {
            func list(_ values: some Sequence<String>) -> String { JSONText.array(values.map(JSONText.string)) }
            return JSONText.object([
                ("version", "1"), ("compared", "\(rules.compared)"), ("ignore_query", list(rules.query.sorted())),
                ("ignore_header", list(rules.headers.sorted())), ("ignore_json", list(rules.jsonPaths.sorted())),
                ("ignore_form", list(rules.formKeys.sorted())), ("only_first", list(rules.onlyFirst)),
                ("only_second", list(rules.onlySecond)),
            ])
        }

        private static func quoted(_ text: String) -> String {
            "'" + text.replacing("'", with: "'\\''") + "'"
        }
    }
}
