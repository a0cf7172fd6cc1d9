import ArgumentParser
import PlayheadCassette

extension CassetteCommand {
    /// `playhead cassette convert`.
    struct Convert: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write a cassette in another format or layout, encrypted or in clear.",
            discussion: """
                The extension of the target says the format: .yaml, .yml, .json, .plist, or .cassette for a folder with one \
                file per exchange. With --encrypt-with the target is encrypted; a source that is encrypted is read with \
                --source-key, or else with the same key. The source stays as it is.

                EXAMPLES
                  playhead cassette convert checkout checkout.json
                  playhead cassette convert checkout checkout.cassette          one file per exchange
                  playhead cassette convert checkout checkout --force --encrypt-with playhead.key
                  playhead cassette convert checkout clear --decrypt --source-key env:OLD_KEY
                """)

        @OptionGroup var place: Place
        @Option(help: ArgumentHelp("The key of the source.", valueName: "key")) var sourceKey: String?
        @Flag(help: "Write the target in clear, though a key is set.") var decrypt = false
        @Flag(help: "Replace a cassette that is there.") var force = false
        @Argument(help: "The cassette's name or file.") var source: String
        @Argument(help: "The new cassette's name or file.") var target: String

        func run() throws {
            try CommandBoundary.run {
                let source = try self.place.location(self.source, key: self.sourceKey)
                var target = try self.place.location(self.target, isNew: true)
                if self.decrypt { target.key = nil }
                // What a run that did not end left behind would not be understood under another key.
                if CassetteFolder.isFile(source.journal) { try CassetteChange.update(source) { _ in } }
                let cassette = try CassetteChange.read(source)
                var whole = cassette
                whole.exchanges = try cassette.exchanges.map { try CassetteChange.inlined($0, at: source) }
                try CassetteChange.create(whole, at: target, replaces: self.force)
                Terminal.result("\(target.file)  \(List.counted(whole.exchanges.count))")
            }
        }
    }
}
