import PlayheadContent

/// A string of JSON or a value of a form that is too long to be read at once: a stage searches what it says.
struct EscapedValue {
    /// How the value is written.
    enum Dialect { case json, form }

    /// Whether the value has ended; the octet that ends it is not part of it.
    private(set) var isOver = false
    private let dialect: Dialect
    /// What searches it; nil if all of it is secret.
    private var stage: (any StreamStage)?

    init(_ dialect: Dialect, _ stage: (any StreamStage)?) {
        self.dialect = dialect
        self.stage = stage
    }

    mutating func settle(_ pending: Octets, isLast: Bool, _ substitution: inout SecretSubstitution) -> Settled {
        let plain = Plain(pending, self.dialect, isLast: isLast)
        let end = plain.places[plain.text.count]
        guard var stage = self.stage, !plain.text.isEmpty else {
            self.isOver = plain.isComplete || isLast
            return self.stage == nil ? .dropped(end) : Settled(count: end)
        }
        let settled = stage.settle(plain.text, isLast: plain.isComplete || isLast, &substitution)
        self.stage = stage
        let isDone = settled.count >= plain.text.count
        self.isOver = isDone && (plain.isComplete || isLast)
        return Settled(
            count: plain.places[min(settled.count, plain.text.count)],
            edits: settled.edits.map {
                TextEdit(
                    range: plain.places[$0.range.lowerBound]..<plain.places[$0.range.upperBound],
                    replacement: self.written($0.replacement))
            })
    }

    private func written(_ text: Octets) -> Octets {
        switch self.dialect {
        case .json:
            Octets(JSONText.quoted(String(decoding: text, as: UTF8.self)).utf8.dropFirst().dropLast())
        case .form: PairRedaction.encoded(text, isForm: true)
        }
    }

    /// What a value says, and where each octet of that stands as written.
    private struct Plain {
        var text = Octets()
        /// One place for each octet of the text, and the end.
        var places: [Int] = []
        /// Whether the end of the value was found.
        var isComplete = false

        init(_ octets: Octets, _ dialect: Dialect, isLast: Bool) {
            self.text.reserveCapacity(octets.count)
            self.places.reserveCapacity(octets.count + 1)
            var index = 0
            while index < octets.count {
                let octet = octets[index]
                if octet == (dialect == .json ? UInt8(ascii: "\"") : UInt8(ascii: "&")) {
                    self.isComplete = true
                    break
                }
                let length = Self.length(of: octets, at: index, dialect)
                if index + length > octets.count {
                    // Half an escape waits for the rest; at the end there is none.
                    if !isLast { break }
                    self.add(Octets(octets[index...]), at: index)
                    index = octets.count
                    break
                }
                self.add(Self.meaning(of: Octets(octets[index..<index + length]), dialect), at: index)
                index += length
            }
            self.places.append(index)
        }

        private mutating func add(_ octets: Octets, at place: Int) {
            for octet in octets {
                self.text.append(octet)
                self.places.append(place)
            }
        }

        /// How many octets an escape takes; one if it is none.
        private static func length(of octets: Octets, at index: Int, _ dialect: Dialect) -> Int {
            switch (dialect, octets[index]) {
            case (.form, UInt8(ascii: "%")): return 3
            case (.json, UInt8(ascii: "\\")):
                guard index + 1 < octets.count, octets[index + 1] == UInt8(ascii: "u") else { return 2 }
                guard index + 4 <= octets.count, octets[index + 2] | 0x20 == UInt8(ascii: "d"),
                    "89abAB".utf8.contains(octets[index + 3])
                else { return 6 }
                // A high surrogate, with the low one if there is one.
                let next = index + 6
                if next + 1 < octets.count, octets[next] != UInt8(ascii: "\\") || octets[next + 1] != UInt8(ascii: "u")
                {
                    return 6
                }
                return 12
            default: return 1
            }
        }

        private static func meaning(of octets: Octets, _ dialect: Dialect) -> Octets {
            switch dialect {
            case .form: return PercentText.decoded(octets)
            case .json:
                if octets.count == 1 { return octets }
                let quoted = [UInt8(ascii: "\"")] + octets + [UInt8(ascii: "\"")]
                return quoted.withUnsafeBytes { Octets(JSONText.unquoted($0).utf8) }
            }
        }
    }
}
