import ArgumentParser
import PlayheadCassette
import PlayheadEngine
import PlayheadProxy

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
                    let count =
                        self.dryRun
                        ? try Self.redacted(
                            CassetteChange.read(location), at: location, redactor, filters, writes: false
                        ).count
                        : try CassetteChange.update(location) { cassette in
                            let (clean, count) = try Self.redacted(
                                cassette, at: location, redactor, filters, writes: true)
                            cassette = clean
                            return count
                        }
                    Terminal.result(
                        "\(location.name)  \(List.counted(count)) \(self.dryRun ? "would change" : "changed")")
                }
            }
        }

        /// The cassette without secrets, and how many exchanges that changed; an unchanged one keeps its side files.
        static func redacted(
            _ cassette: Cassette, at location: CassetteLocation, _ redactor: Redactor, _ filters: FilterChain,
            writes: Bool
        ) throws -> (cassette: Cassette, count: Int) {
            let search = CassetteSearch(location, redactor: redactor)
            let ledger = SharedLedger(RedactionLedger(continuing: cassette.exchanges, at: location))
            var result = cassette
            var count = 0
            for (index, exchange) in cassette.exchanges.enumerated() {
                let name = "\(location.name) #\(index + 1)"
                do {
                    let clean = try search.redacted(
                        exchange, filters: filters, ledger: ledger, writes: writes,
                        note: { Terminal.talk("playhead: \(name): \($0)") })
                    guard let clean else { continue }
                    result.exchanges[index] = clean
                    count += 1
                } catch let error as EngineError {
                    throw CommandFailure(.usage, "\(name): \(error.message)")
                }
            }
            return (result, count)
        }
    }
}
