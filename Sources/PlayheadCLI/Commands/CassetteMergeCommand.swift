import ArgumentParser
import PlayheadCassette
import PlayheadEngine

extension CassetteCommand {
    /// `playhead cassette merge`.
    struct Merge: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put the exchanges of several cassettes into one.",
            discussion: """
                Exchanges stay in order: those of the first cassette, then those of the second. One that is the same in both, \
                moment included, is taken once. Ids that are taken get the next free number, and numbers of redacted secrets \
                are raised, since the same number must mean the same secret. The sources stay as they are.

                EXAMPLES
                  playhead cassette merge login checkout --into shop
                  playhead cassette merge shop search --into shop   the target may be a source
                  playhead cassette merge a b --into shop --force   replace what is there
                """)

        @OptionGroup var place: Place
        @Option(help: "The cassette that is written.") var into: String
        @Flag(help: "Replace a cassette that is there.") var force = false
        @Argument(help: "Names or files, in order.") var cassettes: [String]

        func run() throws {
            try CommandBoundary.run {
                let target = try self.place.location(self.into)
                let sources = try self.cassettes.map { try self.place.location($0) }
                let merged = try Self.merged(sources)
                let replaces = self.force || sources.contains(target)
                try CassetteChange.create(merged, at: target, replaces: replaces)
                Terminal.result("\(target.file)  \(List.counted(merged.exchanges.count))")
            }
        }

        /// One cassette of all sources, with all bodies in memory.
        static func merged(_ sources: [CassetteLocation]) throws -> Cassette {
            var result: Cassette?
            var ids: Set<String> = []
            // The exchanges of earlier sources, as they were there.
            var known: [Timestamp: [Exchange]] = [:]
            var nextID = 1
            for source in sources {
                let cassette = try CassetteChange.read(source)
                var merged =
                    result
                    ?? Cassette(
                        recordedWith: cassette.recordedWith, metadata: cassette.metadata, matchers: cassette.matchers)
                merged.metadata.merge(cassette.metadata) { first, _ in first }
                let offset = RedactionLedger(continuing: merged.exchanges).next - 1
                for exchange in cassette.exchanges {
                    let whole = try CassetteChange.inlined(exchange, at: source)
                    let isTaken = known[whole.recordedAt]?.contains { Self.same($0, whole) } ?? false
                    guard !isTaken else { continue }
                    var new = RedactionLedger.renumbered(whole, by: offset)
                    if !ids.insert(new.id).inserted {
                        while !ids.insert("\(nextID)").inserted { nextID += 1 }
                        new.id = "\(nextID)"
                    }
                    merged.exchanges.append(new)
                }
                for exchange in cassette.exchanges {
                    known[exchange.recordedAt, default: []].append(try CassetteChange.inlined(exchange, at: source))
                }
                result = merged
            }
            return result ?? Cassette(recordedWith: Version.program)
        }

        private static func same(_ left: Exchange, _ right: Exchange) -> Bool {
            var right = right
            right.id = left.id
            return left == right
        }
    }

    /// `playhead cassette split`.
    struct Split: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make one cassette per host out of one cassette.",
            discussion: """
                The new cassettes are named after the cassette and the host: checkout/api.example.com. The cassette stays, \
                unless --remove is given. Exchanges keep their order and their ids.

                EXAMPLES
                  playhead cassette split checkout
                  playhead cassette split checkout --into by-host --remove
                """)

        @OptionGroup var place: Place
        @Option(help: "The name in front of the hosts. (default: the cassette's name)") var into: String?
        @Flag(help: "Remove the cassette when the new ones are written.") var remove = false
        @Flag(help: "Replace cassettes that are there.") var force = false
        @Argument(help: "The cassette's name or file.") var cassette: String

        func run() throws {
            try CommandBoundary.run {
                let source = try self.place.location(self.cassette)
                let cassette = try CassetteChange.read(source)
                let prefix = self.into ?? source.name.base
                let parts = try Self.parts(of: cassette).map { host, exchanges in
                    let name = "\(prefix)/\(host).\(source.name.fileExtension)"
                    return (
                        CassetteLocation(
                            folder: source.folder, name: try CassetteName.validated(name), key: source.key),
                        exchanges
                    )
                }
                if let taken = parts.first(where: { CassetteFolder.exists($0.0) && !self.force }) {
                    throw CommandFailure(
                        .cannotWrite, "\(taken.0.file) is there already. Use --into NAME, or --force to replace it.")
                }
                for (location, exchanges) in parts {
                    var part = cassette
                    part.exchanges = try exchanges.map { try CassetteChange.inlined($0, at: source) }
                    try CassetteChange.create(part, at: location, replaces: self.force)
                    Terminal.result("\(location.file)  \(List.counted(exchanges.count))")
                }
                if self.remove { try CassetteChange.remove(source) }
            }
        }

        /// The exchanges by host, in the order in which hosts first occur; a port that is not the default counts.
        static func parts(of cassette: Cassette) -> [(host: String, exchanges: [Exchange])] {
            var order: [String] = []
            var parts: [String: [Exchange]] = [:]
            for exchange in cassette.exchanges {
                let origin = (try? IncomingRequest(method: "GET", url: exchange.request.url))?.origin
                var host = origin?.host ?? "unknown"
                if let origin, origin.port != Origin.defaultPort(scheme: origin.scheme) { host += "-\(origin.port)" }
                host = host.replacing(":", with: "-")
                if parts[host] == nil { order.append(host) }
                parts[host, default: []].append(exchange)
            }
            return order.map { ($0, parts[$0] ?? []) }
        }
    }
}
