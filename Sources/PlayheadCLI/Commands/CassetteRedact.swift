import ArgumentParser
import PlayheadCassette
import PlayheadEngine

extension CassetteCommand {
    /// `playhead cassette redact`.
    struct Redact: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take secrets out of cassettes that exist.",
            discussion: """
                Rewrites each cassette in one step and under its lock; a cassette without secrets is not touched. Replay goes \
                on working: a redacted value matches any value. What was in git stays in its history: revoke it.

                EXAMPLES
                  playhead cassette redact checkout
                  playhead cassette redact --dry-run                    what would change
                  playhead cassette redact --secrets-from-env API_KEY   $API_KEY as {{API_KEY}}
                  playhead cassette redact --filters                    and filter anew
                """)

        @OptionGroup var place: Place
        @Option(help: "Redaction rules that are not applied.") var noRedact: [String] = []
        @Option(help: "Environment variables whose values become {{NAME}}.") var secretsFromEnv: [String] = []
        @Flag(help: "Apply the filters of playhead.yaml first.") var filters = false
        @Flag(help: "Change nothing, only say what would be.") var dryRun = false
        @Argument(help: "Names or files; all cassettes of the folder if none is given.") var cassettes: [String] = []

        func run() throws {
            try CommandBoundary.run {
                let redactor = try self.place.redactor(noRedact: self.noRedact, secretsFromEnv: self.secretsFromEnv)
                let filters = self.filters ? try self.place.setup().settings.filters : FilterChain()
                for location in try self.place.locations(self.cassettes) {
                    let count: Int
                    if self.dryRun {
                        count = try Self.redacted(CassetteChange.read(location), at: location, redactor, filters).count
                    } else {
                        count = try CassetteChange.update(location) { cassette in
                            let (clean, count) = try Self.redacted(cassette, at: location, redactor, filters)
                            cassette = clean
                            for index in cassette.exchanges.indices {
                                cassette.exchanges[index] = try CassetteChange.stored(
                                    cassette.exchanges[index], at: location)
                            }
                            return count
                        }
                    }
                    Terminal.result(
                        "\(location.name)  \(count) exchanges \(self.dryRun ? "would change" : "changed")")
                }
            }
        }

        /// The cassette without secrets, and how many exchanges that changed; an unchanged one keeps its side files.
        static func redacted(
            _ cassette: Cassette, at location: CassetteLocation, _ redactor: Redactor, _ filters: FilterChain
        ) throws -> (cassette: Cassette, count: Int) {
            var ledger = RedactionLedger(continuing: cassette.exchanges)
            var result = cassette
            var count = 0
            for (index, exchange) in cassette.exchanges.enumerated() {
                let whole = try CassetteChange.inlined(exchange, at: location)
                let clean = redactor.redact(filters.filtered(whole), ledger: &ledger)
                guard clean != whole else { continue }
                result.exchanges[index] = clean
                count += 1
            }
            return (result, count)
        }
    }
}
