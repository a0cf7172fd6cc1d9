import PlayheadCassette

/// Finds the recordings that come nearest to a request, with bounded work on cassettes of any size.
///
/// Made at the first miss: most sessions never need it.
struct NearestIndex: Sendable {
    /// How many recordings are compared in full at most.
    static let comparisonLimit = 1000
    /// How many octets of request bodies are compared in full at most: all wait while a miss is explained.
    static let octetLimit = 8 << 20
    /// How many recordings a report names.
    static let shown = 3

    private let count: Int
    private var byHostAndPath: [UInt64: [Int32]] = [:]
    private var byPath: [UInt64: [Int32]] = [:]
    private var byHost: [UInt64: [Int32]] = [:]

    init(_ index: PlaybackIndex) {
        self.count = index.recordings.count
        for (position, target) in index.recordings.lazy.map(\.target).enumerated() {
            let path = NearestIndex.pathHash(target.pathAndQuery)
            let host = KeyHash.of(target.origin.host.utf8)
            self.byHostAndPath[path ^ KeyHash.spread(host), default: []].append(Int32(position))
            self.byPath[path, default: []].append(Int32(position))
            self.byHost[host, default: []].append(Int32(position))
        }
    }

    /// The positions worth comparing: those with the same host and path first, then path, host, and the rest.
    func worthComparing(_ request: IncomingRequest) -> [Int] {
        let path = NearestIndex.pathHash(request.pathAndQuery)
        let host = KeyHash.of(request.host.utf8)
        var result: [Int] = []
        var seen: Set<Int> = []
        func add(_ positions: some Sequence<Int>) {
            for position in positions {
                if result.count >= NearestIndex.comparisonLimit { return }
                if seen.insert(position).inserted { result.append(position) }
            }
        }
        add((self.byHostAndPath[path ^ KeyHash.spread(host)] ?? []).lazy.map { Int($0) })
        add((self.byPath[path] ?? []).lazy.map { Int($0) })
        add((self.byHost[host] ?? []).lazy.map { Int($0) })
        add(0..<self.count)
        return result
    }

    /// Makes the report of a miss.
    func report(
        _ request: IncomingRequest, index: PlaybackIndex, redactor: Redactor, context: MissContext,
        takenBy: (Int) -> Int?, repeats: Repeats
    ) -> MissReport {
        let body = ComparableBody(request)
        var ranked: [(rank: Rank, differences: [Difference])] = []
        var octetsLeft = index.comparison.parts.needBody ? Self.octetLimit : .max
        for position in self.worthComparing(request) {
            guard octetsLeft > 0 || ranked.count < Self.shown else { break }
            octetsLeft -= index.exchanges[position].request.body.count
            let (passed, differences) = index.comparison.differences(
                request, body: body, target: index.recordings[position].target,
                exchange: index.exchanges[position])
            let distance = differences.reduce(0) { $0 + 100 + $1.distance }
            let rank = Rank(
                passed: passed, distance: distance, takenBy: takenBy(position) ?? 0, position: position)
            ranked.append((rank, differences))
        }
        ranked.sort { $0.rank < $1.rank }
        let nearest = ranked.prefix(NearestIndex.shown).map { entry in
            let exchange = index.exchanges[entry.rank.position]
            return MissReport.Candidate(
                exchange: exchange.id, number: entry.rank.position + 1, method: exchange.request.method,
                url: redactor.maskURL(exchange.request.url), passed: entry.rank.passed,
                differences: entry.differences.map { redactor.mask($0) },
                alreadyPlayedAt: entry.rank.takenBy > 0 ? entry.rank.takenBy : nil)
        }
        let isExhausted = ranked.first?.differences.isEmpty ?? false
        return MissReport(
            reason: index.exchanges.isEmpty ? .cassetteEmpty : isExhausted ? .exhausted : .noMatch,
            method: request.method, url: redactor.maskURL(request.url), nearest: nearest, cassette: context.cassette,
            mode: context.mode, exchangeCount: index.exchanges.count,
            suggestedRule: isExhausted
                ? "--repeats last" : nearest.first.flatMap { RuleSuggestion.option(for: $0, index.comparison.rules) })
    }

    /// The order of recordings: most matchers passed, smallest difference, played last, recorded order.
    private struct Rank: Comparable {
        var passed: Int
        var distance: Int
        var takenBy: Int
        var position: Int

        static func < (left: Rank, right: Rank) -> Bool {
            if left.passed != right.passed { return left.passed > right.passed }
            if left.distance != right.distance { return left.distance < right.distance }
            if left.takenBy != right.takenBy { return left.takenBy > right.takenBy }
            return left.position < right.position
        }
    }

    private static func pathHash(_ target: String) -> UInt64 {
        KeyHash.of(PercentText.normalizedPath(RecordedTarget.split(target).path))
    }
}
