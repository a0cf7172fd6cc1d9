/// The names and values of a query or a form, in order, decoded.
struct FieldPairs: Sendable, Equatable {
    /// One name with one value; `a` and `a=` are the same blank value.
    struct Pair: Sendable, Equatable {
        var name: Octets
        var value: Octets
    }

    var pairs: [Pair] = []

    /// Reads `a=1&b=2`; empty pieces are left out.
    init(_ octets: some RandomAccessCollection<UInt8>) {
        FieldPairs.forEachRaw(octets) { name, value in
            self.pairs.append(Pair(name: PercentText.decoded(name), value: PercentText.decoded(value)))
        }
    }

    init(pairs: [Pair]) { self.pairs = pairs }

    /// The values of each name, in order; names in order of their first occurrence.
    var grouped: [(name: Octets, values: [Octets])] {
        var places: [Octets: Int] = [:]
        var groups: [(name: Octets, values: [Octets])] = []
        for pair in self.pairs {
            if let place = places[pair.name] {
                groups[place].values.append(pair.value)
            } else {
                places[pair.name] = groups.count
                groups.append((pair.name, [pair.value]))
            }
        }
        return groups
    }

    /// Calls `body` with the raw name and value of each piece.
    @inline(__always)
    static func forEachRaw<Text: RandomAccessCollection<UInt8>>(
        _ octets: Text, _ body: (Text.SubSequence, Text.SubSequence) -> Void
    ) {
        var start = octets.startIndex
        while start < octets.endIndex {
            var end = start
            var equals: Text.Index?
            while end < octets.endIndex, octets[end] != UInt8(ascii: "&") {
                if equals == nil, octets[end] == UInt8(ascii: "=") { equals = end }
                end = octets.index(after: end)
            }
            if end > start {
                let nameEnd = equals ?? end
                let valueStart = equals.map { octets.index(after: $0) } ?? end
                body(octets[start..<nameEnd], octets[valueStart..<end])
            }
            start = end < octets.endIndex ? octets.index(after: end) : end
        }
    }

    /// Which names differ between a recording and a request, leaving out ignored ones.
    static func differences(
        recorded: FieldPairs, requested: FieldPairs, isIgnored: (Octets) -> Bool
    ) -> [(name: Octets, recorded: [Octets]?, requested: [Octets]?)] {
        var result: [(name: Octets, recorded: [Octets]?, requested: [Octets]?)] = []
        var open: [Octets: [Octets]] = [:]
        let requestedGroups = requested.grouped
        for group in requestedGroups { open[group.name] = group.values }
        for group in recorded.grouped where !isIgnored(group.name) {
            let other = open.removeValue(forKey: group.name)
            if let other, other.count == group.values.count,
                zip(group.values, other).allSatisfy({ Placeholder.matches($0, $1) })
            {
                continue
            }
            result.append((group.name, group.values, other))
        }
        for group in requestedGroups where open[group.name] != nil && !isIgnored(group.name) {
            result.append((group.name, nil, group.values))
        }
        return result
    }
}
