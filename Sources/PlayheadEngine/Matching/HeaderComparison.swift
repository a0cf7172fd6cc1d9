import PlayheadHTTP

/// Compares the fields of two messages: names without case, values octet for octet, repeats in order.
struct HeaderComparison: Sendable {
    /// The names to look at, in lower case; nil means all but the volatile and the ignored ones.
    let names: [String]?
    let ignored: Set<String>

    init(names: [String]?, ignored: Set<String>) {
        self.names = names?.map { asciiLowercased($0) }.filter { !ignored.contains($0) }
        self.ignored = ignored
    }

    /// Which fields differ.
    func differences(
        recorded: HeaderList, requested: HeaderList
    ) -> [(name: String, recorded: [Octets]?, requested: [Octets]?)] {
        let left = self.grouped(recorded)
        let right = self.grouped(requested)
        let names = self.names ?? Set(left.keys).union(right.keys).sorted()
        var result: [(name: String, recorded: [Octets]?, requested: [Octets]?)] = []
        for name in names {
            let a = left[name]
            let b = right[name]
            if let a, let b, a.count == b.count, zip(a, b).allSatisfy({ Placeholder.matches($0, $1) }) { continue }
            if a == nil, b == nil { continue }
            result.append((name, a, b))
        }
        return result
    }

    /// A hash of the named fields; equal fields have equal hashes, and a placeholder hashes like any value.
    func fingerprint(_ headers: HeaderList, wild: Set<UInt64>) -> UInt64 {
        var hash = KeyHash()
        for name in self.names ?? [] {
            hash.add(name)
            let isWild = wild.contains(KeyHash.of(name.utf8))
            for index in headers.indices where headers.isName(at: index, name) {
                hash.add(0xFE)
                guard !isWild else { continue }
                headers.withValue(at: index) { value in
                    if let neutral = Self.withoutBoundary(name, value) { hash.add(neutral) } else { hash.add(value) }
                }
            }
        }
        return hash.value
    }

    /// The hashes of the named fields whose values hold a placeholder.
    func wildNames(in headers: HeaderList) -> Set<UInt64> {
        var found: Set<UInt64> = []
        for name in self.names ?? [] {
            for index in headers.indices where headers.isName(at: index, name) {
                if headers.withValue(at: index, { Placeholder.occurs(in: $0) }) { found.insert(KeyHash.of(name.utf8)) }
            }
        }
        return found
    }

    /// The type of a multipart body without its boundary, which is another one each time; nil for all other values.
    private static func withoutBoundary(_ name: String, _ value: some Collection<UInt8>) -> Octets? {
        guard name == "content-type", let first = value.first, lowercased(first) == UInt8(ascii: "m"),
            value.prefix(10).map({ lowercased($0) }).elementsEqual("multipart/".utf8)
        else { return nil }
        // No boundary has a semicolon (RFC 2046 section 5.1.1).
        return Octets(
            value.split(separator: UInt8(ascii: ";")).filter { part in
                !part.drop { $0 == 0x20 || $0 == 0x09 }.prefix(9).map { lowercased($0) }.elementsEqual("boundary=".utf8)
            }.joined(separator: [UInt8(ascii: ";")]))
    }

    private func grouped(_ headers: HeaderList) -> [String: [Octets]] {
        var result: [String: [Octets]] = [:]
        var nominated: Set<String> = []
        if self.names == nil { nominated = Set(headers.members(of: "connection").map { asciiLowercased($0) }) }
        for index in headers.indices {
            let name = asciiLowercased(headers.name(at: index))
            if let names = self.names {
                guard names.contains(name) else { continue }
            } else {
                guard !MatchRules.volatileHeaders.contains(name), !self.ignored.contains(name),
                    !nominated.contains(name)
                else { continue }
            }
            result[name, default: []].append(
                headers.withValue(at: index) { Self.withoutBoundary(name, $0) ?? Octets($0) })
        }
        return result
    }
}
