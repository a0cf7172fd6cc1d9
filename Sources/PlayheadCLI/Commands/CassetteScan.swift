import ArgumentParser
import PlayheadCassette
import PlayheadEngine
import PlayheadProxy

extension CassetteCommand {
    /// `playhead cassette scan`.
    struct Scan: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Look for secrets in cassettes; exit 5 if there are some.",
            discussion: """
                Applies the redaction rules, and the secrets of secrets_from_env, to cassettes as they are. Every finding \
                names exchange, place and rule, never the secret. `playhead cassette redact` takes them out.

                EXAMPLES
                  playhead cassette scan                         all of the folder, in CI
                  playhead cassette scan --json checkout
                  playhead cassette scan --no-redact jwt login   without the rule jwt
                """)

        @OptionGroup var place: Place
        @Option(help: "Redaction rules that are not applied.") var noRedact: [String] = []
        @Option(help: "Environment variables whose values are secrets.") var secretsFromEnv: [String] = []
        @Flag(help: "Print JSON.") var json = false
        @Argument(help: "Names or files; all cassettes of the folder if none is given.") var cassettes: [String] = []

        func run() throws {
            try CommandBoundary.run {
                let redactor = try self.place.redactor(noRedact: self.noRedact, secretsFromEnv: self.secretsFromEnv)
                let locations = try self.place.locations(self.cassettes)
                var found: [Found] = []
                for location in locations { found += try Self.findings(at: location, redactor) }
                if self.json {
                    Terminal.result(Self.json(found, cassettes: locations.count))
                } else {
                    for finding in found { Terminal.result(finding.line) }
                }
                guard found.isEmpty else {
                    throw CommandFailure(
                        .secretFound,
                        "\(found.count) \(found.count == 1 ? "secret" : "secrets") in \(Set(found.map(\.cassette)).count) of \(locations.count) cassettes. "
                            + "Take them out with `playhead cassette redact`; what was in git must be revoked.")
                }
                if !self.json { Terminal.talk("playhead: no secrets in \(locations.count) cassettes") }
            }
        }

        /// A finding with its exchange.
        struct Found: Equatable {
            var cassette: String
            var number: Int
            var id: String
            var finding: SecretFinding

            var line: String {
                "\(self.cassette)  #\(self.number) (\(self.id))  \(self.finding.place)  \(self.finding.rule)"
            }
        }

        static func findings(at location: CassetteLocation, _ redactor: Redactor) throws -> [Found] {
            let search = CassetteSearch(location, redactor: redactor)
            return try CassetteChange.read(location).exchanges.enumerated().flatMap { number, exchange in
                let found = try search.findings(in: exchange) {
                    Terminal.talk("playhead: \(location.name) #\(number + 1): \($0)")
                }
                return found.map {
                    Found(
                        cassette: location.name.description, number: number + 1,
                        id: redactor.maskText(exchange.id), finding: $0)
                }
            }
        }

        static func json(_ found: [Found], cassettes: Int) -> String {
            JSONText.object([
                ("version", "1"), ("cassettes", "\(cassettes)"),
                (
                    "findings",
                    JSONText.array(
                        found.map {
                            JSONText.object([
                                ("cassette", JSONText.string($0.cassette)), ("number", "\($0.number)"),
                                ("id", JSONText.string($0.id)), ("place", JSONText.string($0.finding.place)),
                                ("rule", JSONText.string($0.finding.rule)),
                            ])
                        })
                ),
            ])
        }
    }
}
