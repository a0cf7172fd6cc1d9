public import PlayheadCassette

/// The buckets of one request.
struct BucketPair: Sequence, IteratorProtocol {
    var first: Int32?
    var second: Int32?

    mutating func next() -> Int? {
        if let first = self.first {
            self.first = nil
            return Int(first)
        }
        if let second = self.second {
            self.second = nil
            return Int(second)
        }
        return nil
    }
}

/// Finds the recordings that may answer a request, by hash and never by a scan.
///
/// Built once from a cassette; ``Playback`` notes beside each recording what was played.
public struct PlaybackIndex: Sendable {
    /// What nearly every play of a recording needs, side by side.
    ///
    /// In a big cassette each step to other memory costs more than what is computed there.
    struct Recording: Sendable {
        let target: RecordedTarget
        var use = Use()
    }

    /// What became of a recording.
    struct Use: Sendable {
        /// How often it was taken and not given back.
        var taken: Int32 = 0
        /// Which request of this session took it last, counted from 1; 0 for none.
        var takenBy: Int32 = 0
        /// How often it was played to its end since the last rewind.
        var played: Int32 = 0
    }

    /// Recordings with one key, in recorded order.
    struct Bucket: Sendable {
        /// The group that holds all of them.
        var all: Int
        /// Groups by what they have in common besides the key; empty for a single recording.
        var groups: [UInt64: Int] = [:]
        /// Whether their bodies differ, so that the body chooses among them.
        var bodiesDiffer = false
        /// Whether their preferred headers differ.
        var headersDiffer = false
        /// Where their bodies hold placeholders.
        var wildBody = WildPlaces()
        /// Hashes of the header names whose values hold placeholders.
        var wildHeaders: Set<UInt64> = []
    }

    /// Marks what a group has in common, so that a body hash never meets a header hash.
    private enum GroupKind: UInt64 {
        case body = 1
        case headers = 2
        case both = 3
    }

    let exchanges: [Exchange]
    var recordings: [Recording]
    let comparison: RequestComparison
    let key: RequestKey
    /// The positions of each group, in recorded order.
    private(set) var groups: [[Int32]] = []
    /// The groups each recording is in; -1 where there is none.
    private(set) var memberships: [SIMD4<Int32>]
    private(set) var buckets: [Bucket] = []
    /// Per bucket its one recording, -1 where there are several; empty when each recording has a bucket of its own,
    /// which then has the recording's number.
    private var singles: [Int32] = []
    private var table: HashSlots
    /// Recordings with a placeholder in the path, by the key without path and query.
    private var wildTable: [UInt64: Int32] = [:]
    private let preferred: HeaderComparison

    /// Builds an index.
    public init(exchanges: [Exchange], rules: MatchRules) {
        self.exchanges = exchanges
        self.comparison = RequestComparison(rules: rules)
        var origins: [Origin: RecordedTarget.SharedOrigin] = [:]
        let targets = exchanges.map { RecordedTarget($0.request, sharing: &origins) }
        self.recordings = targets.map { Recording(target: $0) }
        self.preferred = HeaderComparison(names: rules.preferredHeaders, ignored: rules.ignoredHeaders)
        self.memberships = Array(repeating: SIMD4(repeating: -1), count: exchanges.count)
        self.key = RequestKey(rules: rules, wildQuery: PlaybackIndex.wildQueryNames(targets))
        var members: [[Int32]] = []
        self.table = HashSlots(capacity: exchanges.count)
        for (position, target) in targets.enumerated() {
            let isWild = target.hasPlaceholder && self.isWild(target)
            let hash =
                isWild
                ? self.key.coarse(method: target.method, origin: target.origin)
                : self.key.full(method: target.method, origin: target.origin, target: target.pathAndQuery)
            let known = isWild ? self.wildTable[hash] : self.table[hash]
            let bucket = known ?? Int32(members.count)
            if known == nil {
                members.append([])
                if isWild { self.wildTable[hash] = bucket } else { self.table.set(hash, to: bucket) }
            }
            members[Int(bucket)].append(Int32(position))
        }
        self.buckets.reserveCapacity(members.count)
        // Buckets are numbered in the order of their first recordings.
        if members.count < exchanges.count { self.singles = members.map { $0.count == 1 ? $0[0] : -1 } }
        for positions in members { self.addBucket(positions) }
    }

    /// The positions of all recordings that match a request by the required matchers, in recorded order.
    public func matches(of request: IncomingRequest) -> [Int] {
        let body = self.comparison.parts.needBody ? ComparableBody(request) : .none
        var found: [Int] = []
        for bucket in self.buckets(for: request) {
            for position in self.groups[self.buckets[bucket].all] where self.isMatch(request, body, Int(position)) {
                found.append(Int(position))
            }
        }
        return found.sorted()
    }

    /// The buckets a request may find its answer in: none, one, or two when some recordings hide a path.
    @inline(__always)
    func buckets(for request: IncomingRequest) -> BucketPair {
        let hash = self.key.full(method: request.method, origin: request.origin, target: request.pathAndQuery)
        var pair = BucketPair(first: self.table[hash], second: nil)
        if !self.wildTable.isEmpty {
            pair.second = self.wildTable[self.key.coarse(method: request.method, origin: request.origin)]
        }
        return pair
    }

    /// The one recording of a bucket; -1 where there are several.
    @inline(__always)
    func single(_ bucket: Int32) -> Int { self.singles.isEmpty ? Int(bucket) : Int(self.singles[Int(bucket)]) }

    /// Whether everything required but the body holds.
    @inline(__always)
    func isHeadMatch(_ request: IncomingRequest, _ position: Int) -> Bool {
        self.comparison.headMatches(
            request, target: self.recordings[position].target, recorded: self.exchanges[position].request)
    }

    /// Whether everything required holds, the body included if a matcher asks for it.
    func isMatch(_ request: IncomingRequest, _ body: ComparableBody, _ position: Int) -> Bool {
        guard self.isHeadMatch(request, position) else { return false }
        if self.comparison.parts.contains(.body), !self.isBodyEqual(body, position) { return false }
        return !self.comparison.parts.contains(.rawBody)
            || ComparableBody.rawMatches(request, self.exchanges[position].request)
    }

    /// Whether a request's body equals a recorded one.
    func isBodyEqual(_ body: ComparableBody, _ position: Int) -> Bool {
        body.differences(
            from: ComparableBody(recorded: self.exchanges[position].request),
            ignoring: self.comparison.ignoredPlaces
        ).isEmpty
    }

    /// The groups of a bucket to look through, best first, each with whether its bodies have to be equal.
    func preference(
        _ bucket: Bucket, _ request: IncomingRequest, _ body: ComparableBody
    ) -> [(group: Int, equalBody: Bool)] {
        var result: [(group: Int, equalBody: Bool)] = []
        let bodyHash = bucket.bodiesDiffer ? self.bodyHash(body, bucket) : 0
        let headerHash =
            bucket.headersDiffer ? self.preferred.fingerprint(request.headers, wild: bucket.wildHeaders) : 0
        func add(_ kind: GroupKind, _ hash: UInt64, equalBody: Bool) {
            if let group = bucket.groups[PlaybackIndex.tag(kind, hash)] { result.append((group, equalBody)) }
        }
        if bucket.bodiesDiffer, bucket.headersDiffer {
            add(.both, bodyHash ^ KeyHash.spread(headerHash), equalBody: true)
        }
        if bucket.bodiesDiffer { add(.body, bodyHash, equalBody: true) }
        if bucket.headersDiffer { add(.headers, headerHash, equalBody: false) }
        if !(bucket.bodiesDiffer && self.comparison.parts.contains(.body)) { result.append((bucket.all, false)) }
        return result
    }

    private func bodyHash(_ body: ComparableBody, _ bucket: Bucket) -> UInt64 {
        body.fingerprint(ignoring: self.comparison.ignoredPlaces, wild: bucket.wildBody)
    }

    /// Whether the key cannot be made from the text because a placeholder lies where any text may stand.
    private func isWild(_ target: RecordedTarget) -> Bool {
        if self.key.parts.contains(.uri) { return true }
        guard self.key.parts.contains(.path) else { return false }
        return Placeholder.occurs(in: RecordedTarget.split(target.pathAndQuery).path)
    }

    /// The hashes of the query names whose recorded values hold a placeholder.
    private static func wildQueryNames(_ targets: [RecordedTarget]) -> Set<UInt64> {
        var names: Set<UInt64> = []
        for target in targets where target.hasPlaceholder {
            for pair in FieldPairs(RecordedTarget.split(target.pathAndQuery).query).pairs
            where Placeholder.occurs(in: pair.value) {
                names.insert(KeyHash.of(pair.name))
            }
        }
        return names
    }

    private static func tag(_ kind: GroupKind, _ hash: UInt64) -> UInt64 { KeyHash.spread(hash &+ kind.rawValue) }

    private mutating func addGroup(_ positions: [Int32], slot: Int) -> Int {
        for position in positions { self.memberships[Int(position)][slot] = Int32(self.groups.count) }
        self.groups.append(positions)
        return self.groups.count - 1
    }

    private mutating func addBucket(_ positions: [Int32]) {
        var bucket = Bucket(all: self.addGroup(positions, slot: 0))
        defer { self.buckets.append(bucket) }
        guard positions.count > 1 else { return }
        let requests = positions.map { self.exchanges[Int($0)].request }
        for request in requests { bucket.wildHeaders.formUnion(self.preferred.wildNames(in: request.headers)) }
        let headerHashes = requests.map { self.preferred.fingerprint($0.headers, wild: bucket.wildHeaders) }
        bucket.headersDiffer = Set(headerHashes).count > 1
        var bodyHashes: [UInt64] = []
        if requests.contains(where: { $0.body.count > 0 }) {
            let bodies = requests.map { ComparableBody(recorded: $0) }
            for body in bodies { bucket.wildBody.note(body.value) }
            bodyHashes = bodies.map { self.bodyHash($0, bucket) }
            // Bodies that share a hash for want of a better one are told apart when a request is here.
            bucket.bodiesDiffer =
                Set(bodyHashes).count > 1 || bucket.wildBody.hasDigests || bucket.wildBody.isText
        }
        if bucket.bodiesDiffer { self.addGroups(.body, positions, bodyHashes, slot: 1, to: &bucket) }
        if bucket.headersDiffer { self.addGroups(.headers, positions, headerHashes, slot: 2, to: &bucket) }
        if bucket.bodiesDiffer, bucket.headersDiffer {
            let both = zip(bodyHashes, headerHashes).map { $0 ^ KeyHash.spread($1) }
            self.addGroups(.both, positions, both, slot: 3, to: &bucket)
        }
    }

    private mutating func addGroups(
        _ kind: GroupKind, _ positions: [Int32], _ hashes: [UInt64], slot: Int, to bucket: inout Bucket
    ) {
        var order: [UInt64] = []
        var members: [UInt64: [Int32]] = [:]
        for (position, hash) in zip(positions, hashes) {
            if members[hash] == nil { order.append(hash) }
            members[hash, default: []].append(position)
        }
        for hash in order {
            bucket.groups[PlaybackIndex.tag(kind, hash)] = self.addGroup(members[hash] ?? [], slot: slot)
        }
    }
}
