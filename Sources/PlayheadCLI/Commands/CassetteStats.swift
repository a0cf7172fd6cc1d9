import ArgumentParser
import PlayheadCassette
import PlayheadEngine

extension CassetteCommand {
    /// `playhead cassette stats`.
    struct Stats: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Count what is in cassettes: hosts, methods, answers, bodies, age.",
            discussion: """
                EXAMPLES
                  playhead cassette stats                 all cassettes of the folder together
                  playhead cassette stats --json checkout
                """)

        @OptionGroup var place: Place
        @Flag(help: "Print JSON.") var json = false
        @Argument(help: "Names or files; all cassettes of the folder if none is given.") var cassettes: [String] = []

        func run() throws {
            try CommandBoundary.run {
                let locations = try self.place.locations(self.cassettes)
                var counts = Counts()
                for location in locations { counts.add(try CassetteChange.read(location)) }
                Terminal.raw(self.json ? counts.json + "\n" : counts.text)
            }
        }
    }

    /// What is in some cassettes.
    struct Counts {
        private(set) var cassettes = 0
        private(set) var exchanges = 0
        private(set) var failures = 0
        private(set) var streams = 0
        private(set) var webSockets = 0
        private(set) var frames = 0
        private(set) var duplicates = 0
        private(set) var octets = 0
        private(set) var sideFiles = 0
        private(set) var sideFileOctets = 0
        private(set) var oldest: Timestamp?
        private(set) var newest: Timestamp?
        private(set) var hosts: [String: Int] = [:]
        private(set) var methods: [String: Int] = [:]
        private(set) var statuses: [String: Int] = [:]

        mutating func add(_ cassette: Cassette) {
            self.cassettes += 1
            var finder = DuplicateFinder()
            for exchange in cassette.exchanges {
                self.exchanges += 1
                if finder.isKnown(exchange) { self.duplicates += 1 }
                self.oldest = min(self.oldest ?? exchange.recordedAt, exchange.recordedAt)
                self.newest = max(self.newest ?? exchange.recordedAt, exchange.recordedAt)
                let origin = (try? IncomingRequest(method: "GET", url: exchange.request.url))?.origin
                self.hosts[
                    origin.map { String($0.description.drop { $0 != "/" }.dropFirst(2)) } ?? "unknown", default: 0] += 1
                self.methods[exchange.request.method, default: 0] += 1
                self.add(exchange.request.body)
                switch exchange.outcome {
                case .response(let response):
                    self.statuses["\(response.status)", default: 0] += 1
                    if response.chunks.count > 1 { self.streams += 1 }
                    self.add(response.body)
                case .failure(let failure):
                    self.failures += 1
                    self.statuses["failed (\(failure.kind.rawValue))", default: 0] += 1
                    if let partial = failure.partial { self.add(partial.body) }
                case .webSocket(let socket):
                    self.webSockets += 1
                    self.frames += socket.frames.count
                    self.statuses["101", default: 0] += 1
                    for frame in socket.frames { self.add(frame.payload) }
                }
            }
        }

        private mutating func add(_ body: RecordedBody) {
            self.octets += body.count
            guard case .file(let reference) = body.content else { return }
            self.sideFiles += 1
            self.sideFileOctets += reference.length
        }

        /// Lines for people.
        var text: String {
            var lines = [
                "cassettes    \(self.cassettes)",
                "exchanges    \(self.exchanges) (\(self.failures) failures, \(self.streams) streamed, \(self.duplicates) duplicates)",
                "bodies       \(self.octets) octets, of which \(self.sideFileOctets) in \(self.sideFiles) side files",
            ]
            if self.webSockets > 0 { lines.append("websockets   \(self.webSockets) (\(self.frames) frames)") }
            if let oldest = self.oldest, let newest = self.newest {
                lines.append("recorded     \(oldest.description) to \(newest.description)")
            }
            for (title, counts) in [("host", self.hosts), ("method", self.methods), ("answer", self.statuses)] {
                for (name, count) in Self.sorted(counts) {
                    lines.append("\(title)\(String(repeating: " ", count: 13 - title.count))\(count)  \(name)")
                }
            }
            return lines.joined(separator: "\n") + "\n"
        }

        /// The counts as JSON, version 1.
        var json: String {
            func object(_ counts: [String: Int]) -> String {
                JSONText.object(Self.sorted(counts).map { ($0.key, "\($0.value)") })
            }
            return JSONText.object([
                ("version", "1"), ("cassettes", "\(self.cassettes)"), ("exchanges", "\(self.exchanges)"),
                ("failures", "\(self.failures)"), ("streamed", "\(self.streams)"),
                ("websockets", "\(self.webSockets)"), ("frames", "\(self.frames)"),
                ("duplicates", "\(self.duplicates)"), ("octets", "\(self.octets)"),
                ("side_files", "\(self.sideFiles)"), ("side_file_octets", "\(self.sideFileOctets)"),
                ("oldest", self.oldest.map { JSONText.string($0.description) } ?? "null"),
                ("newest", self.newest.map { JSONText.string($0.description) } ?? "null"),
                ("hosts", object(self.hosts)), ("methods", object(self.methods)),
                ("answers", object(self.statuses)),
            ])
        }

        private static func sorted(_ counts: [String: Int]) -> [(key: String, value: Int)] {
            counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        }
    }
}
