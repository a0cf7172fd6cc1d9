import ArgumentParser
import PlayheadCassette
import PlayheadEngine

extension CassetteCommand {
    /// `playhead cassette diff`.
    struct Diff: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compare two cassettes, exchange by exchange and field by field; exit 1 if they differ.",
            discussion: """
                Exchanges belong together when method and URL are the same, in recorded order. Ids, moments and durations do \
                not count, nor do Date and the fields that change from run to run. Secrets are masked.

                EXAMPLES
                  playhead cassette diff checkout checkout-new
                  playhead cassette diff --ignore-header etag --json old.yaml new.yaml
                """)

        @OptionGroup var place: Place
        @Option(help: "Header names that do not count.") var ignoreHeader: [String] = []
        @Flag(help: "Print JSON.") var json = false
        @Argument(help: "The first cassette's name or file.") var first: String
        @Argument(help: "The second cassette's name or file.") var second: String

        func run() throws {
            try CommandBoundary.run {
                let redactor = try self.place.redactor(noRedact: [], secretsFromEnv: [])
                let ignored = Set(
                    (["date"] + self.ignoreHeader).flatMap { $0.split(separator: ",") }.map { $0.lowercased() })
                let entries = try Self.entries(
                    CassetteChange.read(self.place.location(self.first)).exchanges,
                    CassetteChange.read(self.place.location(self.second)).exchanges, ignoring: ignored, redactor)
                if self.json {
                    Terminal.result(Self.json(entries))
                } else {
                    for entry in entries { Terminal.result(entry.text) }
                    if entries.isEmpty { Terminal.talk("playhead: no differences") }
                }
                if !entries.isEmpty { throw ExitCode(CommandFailure.Code.failure.rawValue) }
            }
        }

        /// One exchange that is not the same in both.
        struct Entry: Equatable {
            /// Its number in the first cassette, counted from 1; nil if it is only in the second.
            var first: Int?
            var second: Int?
            var request: String
            var differences: [ExchangeDifference]

            var text: String {
                switch (self.first, self.second) {
                case (let first?, nil): "- #\(first)  \(self.request)"
                case (nil, let second?): "+ #\(second)  \(self.request)"
                default:
                    "~ #\(self.first ?? 0) -> #\(self.second ?? 0)  \(self.request)"
                        + self.differences.map { "\n    \($0.sentence)" }.joined()
                }
            }
        }

        static func entries(
            _ first: [Exchange], _ second: [Exchange], ignoring ignored: Set<String>, _ redactor: Redactor
        ) -> [Entry] {
            func key(_ exchange: Exchange) -> String { "\(exchange.request.method) \(exchange.request.url)" }
            func shown(_ exchange: Exchange) -> String {
                "\(exchange.request.method) \(redactor.maskURL(exchange.request.url))"
            }
            var open: [String: [Int]] = [:]
            for (number, exchange) in second.enumerated().reversed() { open[key(exchange), default: []].append(number) }
            var entries: [Entry] = []
            var paired: Set<Int> = []
            for (number, exchange) in first.enumerated() {
                guard let other = open[key(exchange)]?.popLast() else {
                    entries.append(Entry(first: number + 1, request: shown(exchange), differences: []))
                    continue
                }
                paired.insert(other)
                let differences = ExchangeDifference.between(
                    exchange, second[other], ignoredHeaders: ignored, redactor: redactor)
                if !differences.isEmpty {
                    entries.append(
                        Entry(
                            first: number + 1, second: other + 1, request: shown(exchange), differences: differences))
                }
            }
            for (number, exchange) in second.enumerated() where !paired.contains(number) {
                entries.append(Entry(second: number + 1, request: shown(exchange), differences: []))
            }
            return entries
        }

        static func json(_ entries: [Entry]) -> String {
            func text(_ value: String?) -> String { value.map { JSONText.string($0) } ?? "null" }
            func number(_ value: Int?) -> String { value.map { "\($0)" } ?? "null" }
            return JSONText.object([
                ("version", "1"),
                (
                    "exchanges",
                    JSONText.array(
                        entries.map { entry in
                            JSONText.object([
                                ("first", number(entry.first)), ("second", number(entry.second)),
                                ("request", JSONText.string(entry.request)),
                                (
                                    "differences",
                                    JSONText.array(
                                        entry.differences.map {
                                            JSONText.object([
                                                ("field", JSONText.string($0.field)), ("first", text($0.first)),
                                                ("second", text($0.second)),
                                            ])
                                        })
                                ),
                            ])
                        })
                ),
            ])
        }
    }
}
