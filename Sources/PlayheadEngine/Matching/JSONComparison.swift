import PlayheadContent

/// Compares two JSON values and names the places that differ by their JSONPaths (RFC 9535).
struct JSONComparison {
    /// How many places are named; one is enough to know that values differ.
    static let limit = 20

    let ignored: IgnoredPlaces
    private(set) var differences: [Difference] = []
    private var path: [JSONStep] = []

    init(ignored: IgnoredPlaces) { self.ignored = ignored }

    /// Compares a recorded value with a requested one.
    mutating func compare(_ recorded: JSONValue?, _ requested: JSONValue?) {
        guard self.differences.count < JSONComparison.limit else { return }
        if !self.ignored.jsonPaths.isEmpty, self.ignored.jsonPaths.contains(where: { $0.matches(self.path) }) { return }
        switch (recorded, requested) {
        case (.object(let a)?, .object(let b)?): self.compareObjects(a, b)
        case (.array(let a)?, .array(let b)?):
            for place in 0..<max(a.count, b.count) {
                self.path.append(.position(place))
                self.compare(place < a.count ? a[place] : nil, place < b.count ? b[place] : nil)
                self.path.removeLast()
            }
        case (let a?, let b?):
            if a == b || JSONComparison.placeholderMatches(a, b) || JSONComparison.placeholderMatches(b, a) { return }
            self.note(a, b)
        case (nil, nil): break
        case (let a, let b): self.note(a, b)
        }
    }

    /// Whether a string with a placeholder stands for the other value.
    private static func placeholderMatches(_ pattern: JSONValue, _ value: JSONValue) -> Bool {
        guard case .string(let text) = pattern else { return false }
        let octets = Octets(text.utf8)
        guard Placeholder.occurs(in: octets) else { return false }
        switch value {
        case .string(let other): return Placeholder.matches(octets, Octets(other.utf8))
        // A number was a secret too; what stands for a whole value stands for any.
        case .number(let other): return Placeholder.matches(octets, Octets(other.utf8))
        case .null, .bool, .array, .object: return false
        }
    }

    private mutating func compareObjects(_ recorded: [JSONValue.Member], _ requested: [JSONValue.Member]) {
        var open: [String: [JSONValue]] = [:]
        for member in requested.reversed() { open[member.key, default: []].append(member.value) }
        for member in recorded {
            self.path.append(.key(member.key))
            self.compare(member.value, open[member.key]?.popLast())
            self.path.removeLast()
        }
        for member in requested {
            guard let value = open[member.key]?.popLast() else { continue }
            self.path.append(.key(member.key))
            self.compare(nil, value)
            self.path.removeLast()
        }
    }

    private mutating func note(_ recorded: JSONValue?, _ requested: JSONValue?) {
        self.differences.append(
            Difference(
                .json(JSONStep.text(self.path)), recorded: recorded.map { JSONComparison.shown($0) },
                requested: requested.map { JSONComparison.shown($0) }))
    }

    /// The value as text; whole, since masking has to see all of it, or only its kind when it is big.
    private static func shown(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): text.utf8.count <= 65536 ? text : "a string of \(text.utf8.count) octets"
        case .array(let items): items.count <= 100 ? value.text : "an array of \(items.count) items"
        case .object(let members): members.count <= 100 ? value.text : "an object of \(members.count) members"
        case .null, .bool, .number: value.text
        }
    }
}
