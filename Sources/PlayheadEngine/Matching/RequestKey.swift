/// Makes the hash under which a request is looked up.
///
/// Ignored query names are left out; of names that hold a placeholder in some recording only the name counts, so a
/// request that still carries the secret finds the recording that does not.
struct RequestKey: Sendable {
    let parts: RequiredParts
    let ignoredQuery: [UInt64]
    let wildQuery: [UInt64]

    init(rules: MatchRules, wildQuery: Set<UInt64> = []) {
        self.parts = RequiredParts(rules.required)
        self.ignoredQuery = rules.ignoredQuery.sorted().map { KeyHash.of($0.utf8) }
        self.wildQuery = wildQuery.sorted()
    }

    /// The key over all cheap required parts.
    func full(method: String, origin: Origin, target: String) -> UInt64 {
        var hash = self.coarseHash(method: method, origin: origin)
        guard !self.parts.isDisjoint(with: [.uri, .path, .query]) else { return hash.value }
        let done: Void? = target.utf8.withContiguousStorageIfAvailable { self.add($0, to: &hash) }
        if done == nil { Octets(target.utf8).withUnsafeBufferPointer { self.add($0, to: &hash) } }
        return hash.value
    }

    /// The key without path and query, for recordings whose path holds a placeholder.
    func coarse(method: String, origin: Origin) -> UInt64 {
        self.coarseHash(method: method, origin: origin).value
    }

    private func coarseHash(method: String, origin: Origin) -> KeyHash {
        var hash = KeyHash()
        if self.parts.contains(.method) { hash.add(method) }
        if !self.parts.isDisjoint(with: [.scheme, .uri]) { hash.add(origin.scheme) }
        if !self.parts.isDisjoint(with: [.host, .uri]) { hash.add(origin.host) }
        if !self.parts.isDisjoint(with: [.port, .uri]) { hash.add(origin.port) }
        return hash
    }

    private func add(_ target: UnsafeBufferPointer<UInt8>, to hash: inout KeyHash) {
        let mark = target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
        let path = target[..<mark]
        let query = mark < target.count ? target[(mark + 1)...] : target[mark...]
        if self.parts.contains(.uri) {
            hash.add(path)
            self.addOrdered(query, to: &hash)
        }
        if self.parts.contains(.path) {
            if path.contains(UInt8(ascii: "%")) {
                PercentText.forEachNormalized(path) { hash.add($0) }
            } else {
                hash.add(path)
            }
        }
        guard self.parts.contains(.query), !query.isEmpty else { return }
        let pairs = self.unordered(query)
        // A query of ignored names alone is none.
        if pairs != 0 { hash.mix(pairs) }
    }

    /// The `uri` matcher: pieces in order, as text.
    private func addOrdered(_ query: Slice<UnsafeBufferPointer<UInt8>>, to hash: inout KeyHash) {
        FieldPairs.forEachRaw(query) { name, value in
            guard self.ignoredQuery.isEmpty || !self.ignoredQuery.contains(KeyHash.of(PercentText.decoded(name)))
            else { return }
            hash.add(UInt8(ascii: "&"))
            hash.add(name)
            hash.add(UInt8(ascii: "="))
            hash.add(value)
        }
    }

    /// The `query` matcher: a sum over the pairs, which does not depend on their order.
    private func unordered(_ query: Slice<UnsafeBufferPointer<UInt8>>) -> UInt64 {
        var sum: UInt64 = 0
        FieldPairs.forEachRaw(query) { name, value in
            var nameHash = KeyHash()
            PercentText.forEachDecoded(name) { nameHash.add($0) }
            let nameValue = nameHash.value
            if !self.ignoredQuery.isEmpty, self.ignoredQuery.contains(nameValue) { return }
            if !self.wildQuery.isEmpty, self.wildQuery.contains(nameValue) {
                sum &+= KeyHash.spread(nameValue)
                return
            }
            nameHash.add(UInt8(ascii: "="))
            PercentText.forEachDecoded(value) { nameHash.add($0) }
            sum &+= nameHash.value
        }
        return sum
    }
}
