import ArgumentParser
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP

extension CassetteCommand {
    /// `playhead cassette prune`.
    struct Prune: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove exchanges from a cassette.",
            discussion: """
                An exchange goes when any of the options names it; at least one option is needed. The others keep their order \
                and their ids. A cassette that is left without exchanges counts as empty: mode once records into it again.

                EXAMPLES
                  playhead cassette prune checkout --host '*.ads.example'
                  playhead cassette prune checkout --older-than 90d
                  playhead cassette prune checkout --duplicates    the first of equals stays
                  playhead cassette prune checkout --failures      servers are asked again
                  playhead cassette prune checkout --id 7 --id 12 --dry-run
                What one run did not use goes with `playhead run --drop-unused --mode new_episodes -- COMMAND`.
                With --duplicates a program that polls gets a miss at the second request, unless --repeats last is set.
                """)

        @OptionGroup var place: Place
        @Option(help: "Exchanges recorded longer ago, as 90d.") var olderThan: String?
        @Option(help: "Exchanges with this host: a name, *.example.com, or either with :PORT.") var host: [String] = []
        @Option(help: "The exchange with this id; `playhead cassette show --json` tells them.") var id: [String] = []
        @Flag(help: "Exchanges that repeat an earlier one, request and answer; moments and ids do not count.")
        var duplicates = false
        @Flag(help: "Exchanges in which the server failed: no connection, no trust, no whole response.")
        var failures = false
        @Flag(help: "Change nothing, only say what would go.") var dryRun = false
        @Argument(help: "The cassette's name or file.") var cassette: String

        func run() throws {
            try CommandBoundary.run {
                let location = try self.place.location(self.cassette)
                let now = try self.place.setup().host.now()
                var (gone, left) = ([(number: Int, exchange: Exchange)](), 0)
                if self.dryRun {
                    let cassette = try CassetteChange.read(location)
                    gone = try self.goners(cassette.exchanges, now: now)
                    left = cassette.exchanges.count - gone.count
                } else {
                    (gone, left) = try CassetteChange.update(location) { cassette in
                        let gone = try self.goners(cassette.exchanges, now: now)
                        let numbers = Set(gone.map(\.number))
                        cassette.exchanges = cassette.exchanges.enumerated().filter { !numbers.contains($0.offset + 1) }
                            .map(\.element)
                        return (gone, cassette.exchanges.count)
                    }
                }
                for (number, exchange) in gone { Terminal.result(Show.line(number, exchange)) }
                let done = self.dryRun ? "would be removed" : "removed"
                Terminal.talk("playhead: \(List.counted(gone.count)) \(done), \(left) left in \(location.file)")
            }
        }

        /// The exchanges that go, with their numbers counted from 1.
        func goners(_ exchanges: [Exchange], now: Timestamp) throws -> [(number: Int, exchange: Exchange)] {
            let namesSome = self.olderThan != nil || !self.host.isEmpty || !self.id.isEmpty
            guard namesSome || self.duplicates || self.failures else {
                throw CommandFailure(.usage, "Say what goes: --older-than, --host, --id, --duplicates or --failures.")
            }
            var limit: Int64?
            if let text = self.olderThan {
                guard let age = ValueParsers.milliseconds(text) else {
                    throw CommandFailure(.usage, "--older-than is \(text); it takes a duration such as 90d.")
                }
                limit = now.milliseconds - age
            }
            let hosts = try self.host.map { try HostPattern($0) }
            if let unknown = self.id.first(where: { id in !exchanges.contains { $0.id == id } }) {
                throw CommandFailure(
                    .usage, "No exchange has the id \(unknown); `playhead cassette show --json` tells them.")
            }
            var seen = DuplicateFinder()
            return exchanges.enumerated().compactMap { offset, exchange in
                let isDuplicate = self.duplicates && seen.isKnown(exchange)
                let origin = (try? IncomingRequest(method: "GET", url: exchange.request.url))?.origin
                let hasHost = origin.map { origin in
                    hosts.contains { $0.matches(host: origin.host, port: origin.port) }
                }
                let isOld = limit.map { exchange.recordedAt.milliseconds < $0 } ?? false
                let isFailed = self.failures && Self.isFailed(exchange)
                guard isDuplicate || hasHost == true || isOld || isFailed || self.id.contains(exchange.id) else {
                    return nil
                }
                return (offset + 1, exchange)
            }
        }

        private static func isFailed(_ exchange: Exchange) -> Bool {
            if case .failure(let failure) = exchange.outcome { failure.kind.isFault } else { false }
        }
    }
}

/// Finds exchanges that are equal but for ids and moments.
struct DuplicateFinder {
    private var known: [String: [Exchange]] = [:]

    /// Whether an equal exchange was asked about before.
    mutating func isKnown(_ exchange: Exchange) -> Bool {
        let bare = Self.bare(exchange)
        let key = "\(exchange.request.method) \(exchange.request.url)"
        if self.known[key]?.contains(bare) == true { return true }
        self.known[key, default: []].append(bare)
        return false
    }

    private static func bare(_ exchange: Exchange) -> Exchange {
        var bare = exchange
        bare.id = ""
        bare.recordedAt = Timestamp(milliseconds: 0)
        bare.timing = Exchange.Timing()
        if case .webSocket(var socket) = exchange.outcome {
            for index in socket.frames.indices { socket.frames[index].at = 0 }
            bare.outcome = .webSocket(socket)
        }
        guard case .response(var response) = exchange.outcome else { return bare }
        response.headers.remove("date")
        response.headers.remove("age")
        response.chunks = []
        bare.outcome = .response(response)
        return bare
    }
}
