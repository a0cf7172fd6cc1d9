/// The lines of a big body in which something was found, without keeping what or how much.
struct FoundPlaces {
    /// A line, and the rule that found something in it.
    struct Place: Hashable {
        /// Counted from 1.
        var line: Int
        /// The rule, or the variable; nil where the change does not say.
        var rule: String?
    }

    /// At most so many are kept: a log may have a token in each of its lines.
    static let limit = 1000

    /// The places, in order.
    private(set) var found: [Place] = []
    private var line = 1

    /// Counts the lines of what a stage is done with, and keeps where its changes are.
    mutating func note(_ settled: Settled, of text: Octets) {
        var index = 0
        for edit in settled.edits where edit.range.lowerBound >= index {
            self.count(text[index..<edit.range.lowerBound])
            index = edit.range.lowerBound
            let place = Place(line: self.line, rule: Self.rule(in: edit.replacement))
            if self.found.count < Self.limit, self.found.last != place { self.found.append(place) }
        }
        self.count(text[index..<settled.count])
    }

    private mutating func count(_ text: ArraySlice<UInt8>) {
        self.line += text.withUnsafeBufferPointer { buffer in
            buffer.reduce(into: 0) { if $1 == 0x0A { $0 &+= 1 } }
        }
    }

    /// The rule of a placeholder, or the variable of a mark such as `{{API_KEY:base64}}`.
    private static func rule(in replacement: Octets) -> String? {
        if let rule = Placeholder.rule(in: replacement) { return rule }
        guard replacement.starts(with: Octets("{{".utf8)) else { return nil }
        return displayText(Octets(replacement.dropFirst(2).prefix { TokenShape.isWord($0) }))
    }
}
