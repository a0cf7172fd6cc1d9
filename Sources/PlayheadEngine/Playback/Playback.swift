public import NIOCore
public import PlayheadCassette

/// What the engine says about a request.
public enum PlaybackResult: Sendable {
    /// The recording at `index` answers; `play` counts its plays from 1.
    case play(index: Int, play: Int)
    /// No recording answers.
    case miss(MissReport)
}

/// A cassette being played: the index, and which recordings have been used.
///
/// A value; a session keeps one behind a lock and calls it from many connections.
public struct Playback: Sendable {
    /// The exchanges, in recorded order; positions in the results are positions in here.
    public var exchanges: [Exchange] { self.index.exchanges }
    /// How often each exchange was played to its end since the last rewind.
    public var playCounts: [Int] { self.index.recordings.map { Int($0.use.played) } }

    private(set) var index: PlaybackIndex
    let redactor: Redactor
    let context: MissContext
    private let repeats: Repeats
    /// Per group the place before which every exchange was taken more than `levels` times.
    private var cursors: [Int32]
    private var levels: [Int32]
    private var requestCount: Int32 = 0
    private var notPlayed: Int
    /// What was played before the last rewind; empty without one.
    private var earlierCounts: [Int] = []
    private var nearest: NearestIndex?

    /// Creates a playback at its beginning.
    ///
    /// - Parameter context: what a miss report says about the session.
    public init(
        exchanges: [Exchange], rules: MatchRules, repeats: Repeats = .none, redactor: Redactor = .standard,
        context: MissContext = MissContext()
    ) {
        self.index = PlaybackIndex(exchanges: exchanges, rules: rules)
        self.redactor = redactor
        self.context = context
        self.repeats = repeats
        self.cursors = Array(repeating: 0, count: self.index.groups.count)
        self.levels = Array(repeating: 0, count: self.index.groups.count)
        self.notPlayed = exchanges.count
    }

    /// Whether some recording might answer, as far as method, URL and headers say; played or not.
    public func hasCandidates(_ head: IncomingRequest) -> Bool {
        for bucket in self.index.buckets(for: head) {
            let group = self.index.groups[self.index.buckets[bucket].all]
            if group.contains(where: { self.index.isHeadMatch(head, Int($0)) }) { return true }
        }
        return false
    }

    /// Whether the answer depends on the body, so that it has to be read before `take`.
    ///
    /// True when a body matcher is required, or when recordings of one key differ in their bodies.
    public func needsBody(_ head: IncomingRequest) -> Bool {
        var found = 0
        for bucket in self.index.buckets(for: head) {
            if self.index.comparison.parts.needBody || self.index.comparison.parts.contains(.custom) { return true }
            if self.index.buckets[bucket].bodiesDiffer { return true }
            found += 1
        }
        return found > 1
    }

    /// Whether a recording answers a call whose request is still under way.
    public enum CallInProgress: Sendable, Equatable {
        /// The recordings answered nothing before the request's end, so it has to be awaited.
        case waits
        /// The recording whose request had this body begins to answer now.
        case answers(RecordedBody)
        /// None that is left has begun as this one has.
        case differs
    }

    /// Looks at a call of gRPC in the middle of its request.
    ///
    /// - Parameters:
    ///   - begun: the octets of the body so far: whole messages.
    ///   - messages: how many these are.
    public func callInProgress(_ head: IncomingRequest, begun: ByteBuffer, messages: Int) -> CallInProgress {
        var fits = false
        var differs = false
        for bucket in self.index.buckets(for: head) {
            for member in self.index.groups[self.index.buckets[bucket].all] {
                let position = Int(member)
                guard case .response(let response) = self.exchanges[position].outcome, response.isInterleaved,
                    self.index.isHeadMatch(head, position)
                else { continue }
                let body = self.exchanges[position].request.body
                guard self.index.recordings[position].use.taken == 0 || self.repeats != .none,
                    case .octets(let octets) = body.content,
                    octets.readableBytesView.starts(with: begun.readableBytesView)
                else {
                    differs = true
                    continue
                }
                // It fits; it may have said nothing yet.
                guard let needed = PlaybackMoments(self.exchanges[position]).messages.first.flatMap({ $0 }),
                    needed <= messages
                else {
                    fits = true
                    continue
                }
                return .answers(body)
            }
        }
        return differs && !fits ? .differs : .waits
    }

    /// Chooses the recording that answers and marks it as taken.
    ///
    /// The caller says later how it ended: ``completed(index:)`` or ``giveBack(index:)``.
    public mutating func take(_ request: IncomingRequest) -> PlaybackResult {
        self.requestCount &+= 1
        let buckets = self.index.buckets(for: request)
        if let position = self.choose(request, buckets) {
            if self.index.recordings[position].use.taken < .max { self.index.recordings[position].use.taken += 1 }
            self.index.recordings[position].use.takenBy = self.requestCount
            return .play(index: position, play: Int(self.index.recordings[position].use.taken))
        }
        return .miss(self.report(request))
    }

    /// Notes that the response was handed over completely.
    public mutating func completed(index: Int) {
        guard self.index.recordings.indices.contains(index) else { return }
        if self.index.recordings[index].use.played == 0 { self.notPlayed -= 1 }
        if self.index.recordings[index].use.played < .max { self.index.recordings[index].use.played += 1 }
    }

    /// Notes that the client went away before it had the response: the exchange can be played again.
    public mutating func giveBack(index: Int) {
        guard self.index.recordings.indices.contains(index), self.index.recordings[index].use.taken > 0 else { return }
        self.index.recordings[index].use.taken -= 1
        let memberships = self.index.memberships[index]
        for slot in 0..<4 where memberships[slot] >= 0 {
            let group = Int(memberships[slot])
            let place = Int32(Playback.place(of: Int32(index), in: self.index.groups[group]))
            if self.index.recordings[index].use.taken < self.levels[group] {
                self.levels[group] = self.index.recordings[index].use.taken
                self.cursors[group] = 0
            } else if self.index.recordings[index].use.taken == self.levels[group] {
                self.cursors[group] = min(self.cursors[group], place)
            }
        }
    }

    /// Begins anew: every exchange can be played as if none had been.
    ///
    /// What was played stays known for the end of the session, which must not take it for unused.
    public mutating func rewind() {
        self.earlierCounts = self.sessionPlayCounts
        for index in self.index.recordings.indices { self.index.recordings[index].use = PlaybackIndex.Use() }
        for group in self.cursors.indices {
            self.cursors[group] = 0
            self.levels[group] = 0
        }
        self.requestCount = 0
        self.notPlayed = self.index.recordings.count
    }

    /// How often each exchange was played in all, rewinds aside.
    public var sessionPlayCounts: [Int] {
        guard !self.earlierCounts.isEmpty else { return self.playCounts }
        return zip(self.playCounts, self.earlierCounts).map { $0 &+ $1 }
    }

    /// The positions of the exchanges that were never played to their end, rewinds aside.
    public var unused: [Int] {
        let counts = self.sessionPlayCounts
        return counts.indices.filter { counts[$0] == 0 }
    }

    /// Whether every exchange was played to its end at least once since the last rewind.
    public var allPlayed: Bool { self.notPlayed == 0 }

    private mutating func choose(_ request: IncomingRequest, _ buckets: BucketPair) -> Int? {
        if let bucket = buckets.first, buckets.second == nil, !self.index.comparison.parts.needBody {
            // The hot path: one recording, nothing to prefer.
            let position = self.index.single(bucket)
            if position >= 0 {
                guard self.index.recordings[position].use.taken == 0 || self.repeats != .none else { return nil }
                return self.index.isHeadMatch(request, position) ? position : nil
            }
        }
        let needed = buckets.contains {
            self.index.comparison.parts.needBody || self.index.buckets[$0].bodiesDiffer
        }
        let body = needed ? ComparableBody(request) : .none
        for bucket in buckets {
            let preference = self.index.preference(self.index.buckets[bucket], request, body)
            for choice in preference {
                if let found = self.firstOpen(choice.group, choice.equalBody, request, body) { return found }
            }
        }
        guard self.repeats != .none else { return nil }
        for bucket in buckets {
            for choice in self.index.preference(self.index.buckets[bucket], request, body) {
                if let found = self.repeated(choice.group, choice.equalBody, request, body) { return found }
            }
        }
        return nil
    }

    private func answers(_ request: IncomingRequest, _ body: ComparableBody, _ position: Int, _ equalBody: Bool) -> Bool
    {
        self.index.isMatch(request, body, position) && (!equalBody || self.index.isBodyEqual(body, position))
    }

    /// The first exchange of a group that was not taken.
    private mutating func firstOpen(
        _ group: Int, _ equalBody: Bool, _ request: IncomingRequest, _ body: ComparableBody
    ) -> Int? {
        guard self.levels[group] == 0 else { return nil }
        let members = self.index.groups[group]
        var place = Int(self.cursors[group])
        while place < members.count, self.index.recordings[Int(members[place])].use.taken > 0 { place += 1 }
        self.cursors[group] = Int32(place)
        while place < members.count {
            let position = Int(members[place])
            if self.index.recordings[position].use.taken == 0, self.answers(request, body, position, equalBody) {
                return position
            }
            place += 1
        }
        return nil
    }

    /// The exchange of a group that answers again, when all that match were taken.
    private mutating func repeated(
        _ group: Int, _ equalBody: Bool, _ request: IncomingRequest, _ body: ComparableBody
    ) -> Int? {
        let members = self.index.groups[group]
        guard self.repeats == .cycle else {
            return members.last { self.answers(request, body, Int($0), equalBody) }.map { Int($0) }
        }
        while Int(self.cursors[group]) < members.count,
            self.index.recordings[Int(members[Int(self.cursors[group])])].use.taken > self.levels[group]
        {
            self.cursors[group] += 1
        }
        var place = Int(self.cursors[group])
        var fewest: (position: Int, count: Int32)?
        for _ in 0..<2 {
            while place < members.count {
                let position = Int(members[place])
                let count = self.index.recordings[position].use.taken
                if count <= self.levels[group], self.answers(request, body, position, equalBody) { return position }
                if fewest.map({ count < $0.count }) ?? true, self.answers(request, body, position, equalBody) {
                    fewest = (position, count)
                }
                place += 1
            }
            place = 0
            self.cursors[group] = 0
            self.levels[group] = members.reduce(Int32.max) { min($0, self.index.recordings[Int($1)].use.taken) }
        }
        return fewest?.position
    }

    private static func place(of position: Int32, in members: [Int32]) -> Int {
        var low = 0
        var high = members.count
        while low < high {
            let middle = (low + high) / 2
            if members[middle] < position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func report(_ request: IncomingRequest) -> MissReport {
        let nearest = self.nearest ?? NearestIndex(self.index)
        self.nearest = nearest
        return nearest.report(
            request, index: self.index, redactor: self.redactor, context: self.context,
            takenBy: { self.index.recordings[$0].use.takenBy > 0 ? Int(self.index.recordings[$0].use.takenBy) : nil },
            repeats: self.repeats)
    }
}
