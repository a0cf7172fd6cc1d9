import PlayheadContent

/// Searches a JSON text value by value, with the names of the objects around it in mind.
///
/// What turns out not to be JSON is searched as text from there on.
struct JSONStage: StreamStage {
    private struct Level {
        var isObject: Bool
        /// The rule for all that it holds.
        var finding: SecretNames.Finding?
    }

    private enum Expects { case value, firstValue, key, firstKey, colon, comma }

    private enum Phase {
        case tokens
        case long(EscapedValue)
        case text(TextStage)
    }

    /// The end of what a walk over tokens could read.
    private enum Stop: Error { case waits, malformed, long }

    private static let depthLimit = 1000
    /// How much must be known around a value that may be the secret beside an identifier.
    private static let neighbourhood = TextRedaction.awsNeighbourhood + 64

    private let json: JSONRedaction
    private let depth: Int
    private let bounds: StreamBounds
    private var phase = Phase.tokens
    private var levels: [Level] = []
    private var expects = Expects.value
    /// The rule for the value that follows its key.
    private var own: SecretNames.Finding?
    private var behind = Octets()

    init(_ json: JSONRedaction, bounds: StreamBounds, depth: Int = JSONRedaction.depth) {
        self.json = json
        self.bounds = bounds
        self.depth = depth
    }

    mutating func settle(_ pending: Octets, isLast: Bool, _ substitution: inout SecretSubstitution) -> Settled {
        let settled: Settled
        switch self.phase {
        case .tokens: settled = self.tokens(pending, isLast, &substitution)
        case .long(var value):
            settled = value.settle(pending, isLast: isLast, &substitution)
            self.phase = value.isOver ? .tokens : .long(value)
            if value.isOver, settled.count < pending.count {
                // The closing quote.
                self.keep(pending[..<(settled.count + 1)])
                return Settled(count: settled.count + 1, edits: settled.edits)
            }
        case .text(var stage):
            settled = stage.settle(pending, isLast: isLast, &substitution)
            self.phase = .text(stage)
        }
        self.keep(pending[..<settled.count])
        return settled
    }

    private mutating func keep(_ octets: ArraySlice<UInt8>) {
        self.behind += octets.suffix(self.bounds.behind)
        self.behind.removeFirst(max(0, self.behind.count - self.bounds.behind))
    }

    private mutating func tokens(
        _ pending: Octets, _ isLast: Bool, _ substitution: inout SecretSubstitution
    ) -> Settled {
        var settled = Settled.nothing
        do throws(Stop) {
            while settled.count < pending.count {
                settled.count = try self.token(pending, settled.count, isLast, &settled.edits, &substitution)
            }
        } catch {
            switch error {
            case .waits: break
            case .malformed:
                let before = (self.behind + pending[..<settled.count]).suffix(self.bounds.behind)
                self.phase = .text(TextStage(self.json.text, bounds: self.bounds, behind: Octets(before)))
                if settled.count == 0 { return self.settle(pending, isLast: isLast, &substitution) }
            case .long: self.beginLong(pending, &settled, &substitution)
            }
        }
        return settled
    }

    /// Reads one token, or one octet of white space.
    ///
    /// - Returns: the place after it.
    private mutating func token(
        _ text: Octets, _ start: Int, _ isLast: Bool, _ edits: inout [TextEdit],
        _ substitution: inout SecretSubstitution
    ) throws(Stop) -> Int {
        switch text[start] {
        case 0x20, 0x09, 0x0A, 0x0D: return start + 1
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard self.expects == .value || self.expects == .firstValue, self.levels.count < Self.depthLimit else {
                throw .malformed
            }
            let isObject = text[start] == UInt8(ascii: "{")
            self.levels.append(Level(isObject: isObject, finding: self.own ?? self.levels.last?.finding))
            self.own = nil
            self.expects = isObject ? .firstKey : .firstValue
            return start + 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            let isObject = text[start] == UInt8(ascii: "}")
            guard let level = self.levels.popLast(), level.isObject == isObject,
                self.expects == .comma || self.expects == (isObject ? .firstKey : .firstValue)
            else { throw .malformed }
            self.expects = .comma
            return start + 1
        case UInt8(ascii: ","):
            guard self.expects == .comma, let level = self.levels.last else { throw .malformed }
            self.expects = level.isObject ? .key : .value
            return start + 1
        case UInt8(ascii: ":"):
            guard self.expects == .colon else { throw .malformed }
            self.expects = .value
            return start + 1
        case UInt8(ascii: "\""): return try self.string(text, start, isLast, &edits, &substitution)
        default: return try self.literal(text, start, isLast, &edits, &substitution)
        }
    }

    private mutating func string(
        _ text: Octets, _ start: Int, _ isLast: Bool, _ edits: inout [TextEdit],
        _ substitution: inout SecretSubstitution
    ) throws(Stop) -> Int {
        let isKey = self.expects == .key || self.expects == .firstKey
        guard isKey || self.expects == .value || self.expects == .firstValue else { throw .malformed }
        guard let end = try Self.stringEnd(text, start) else {
            if isLast { throw .malformed }
            if text.count - start < self.bounds.window { throw .waits }
            throw isKey ? .malformed : .long
        }
        let range = start..<end
        let value = Octets(text.withUnsafeBytes { JSONText.unquoted(UnsafeRawBufferPointer(rebasing: $0[range])) }.utf8)
        if isKey {
            self.own = self.json.names.bodyKey(value)
            self.expects = .colon
            text.withUnsafeBufferPointer { self.json.text.tokens(in: $0, range) }.forEach {
                edits.append(
                    TextEdit(range: $0.range, replacement: substitution.text(for: text[$0.range], rule: $0.rule)))
            }
            return end
        }
        let mayBeAWS = TextRedaction.isAWSSecret(value)
        if mayBeAWS, !isLast, text.count - end < Self.neighbourhood { throw .waits }
        let finding = self.own ?? self.levels.last?.finding
        if let edit = self.json.edit(string: value, range, finding, &substitution, self.depth) {
            edits.append(edit)
        } else if mayBeAWS, let rule = self.json.text.awsRule, self.isBesideIdentifier(text, range) {
            edits.append(self.json.edit(range, value, rule, &substitution))
        }
        self.valueEnded()
        return end
    }

    private mutating func literal(
        _ text: Octets, _ start: Int, _ isLast: Bool, _ edits: inout [TextEdit],
        _ substitution: inout SecretSubstitution
    ) throws(Stop) -> Int {
        guard self.expects == .value || self.expects == .firstValue else { throw .malformed }
        var end = start
        while end < text.count, TokenShape.isWord(text[end]) || "+-.".utf8.contains(text[end]) { end += 1 }
        if end == text.count, !isLast, end - start < self.bounds.window { throw .waits }
        let word = Octets(text[start..<end])
        if word == Octets("true".utf8) || word == Octets("false".utf8) || word == Octets("null".utf8) {
            self.valueEnded()
            return end
        }
        guard let first = word.first, first == UInt8(ascii: "-") || first &- 0x30 < 10 else { throw .malformed }
        if let own = self.own { edits.append(self.json.edit(start..<end, word, own.rule, &substitution)) }
        self.valueEnded()
        return end
    }

    private mutating func valueEnded() {
        self.own = nil
        self.expects = .comma
    }

    /// A string that does not fit into the window begins at the end of what is settled.
    private mutating func beginLong(
        _ pending: Octets, _ settled: inout Settled, _ substitution: inout SecretSubstitution
    ) {
        let quote = settled.count
        settled.count += 1
        if let finding = self.own ?? self.levels.last?.finding {
            // Its number is that of its beginning: the rest is not kept anywhere.
            let mark = substitution.text(for: pending[settled.count...].prefix(self.bounds.window), rule: finding.rule)
            settled.edits.append(
                TextEdit(range: quote..<settled.count, replacement: [UInt8(ascii: "\"")] + mark))
            self.phase = .long(EscapedValue(.json, nil))
        } else {
            let first = pending[settled.count...].first { $0 > 0x20 }
            let isJSON = self.depth > 0 && (first == UInt8(ascii: "{") || first == UInt8(ascii: "["))
            self.phase = .long(
                EscapedValue(
                    .json,
                    isJSON
                        ? JSONStage(self.json, bounds: self.bounds, depth: self.depth - 1)
                        : TextStage(self.json.text, bounds: self.bounds)))
        }
        self.valueEnded()
    }

    private func isBesideIdentifier(_ text: Octets, _ range: Range<Int>) -> Bool {
        let near = (text.startIndex..<text.endIndex).clamped(
            to: range.lowerBound - Self.neighbourhood..<range.upperBound + Self.neighbourhood)
        let before = near.lowerBound == 0 ? self.behind : []
        let around = before + text[near]
        let shift = before.count - near.lowerBound
        let known = around.withUnsafeBufferPointer { self.json.text.awsIdentifiers(in: $0) }
        return TextRedaction.isBeside(range.lowerBound + shift..<range.upperBound + shift, known)
    }

    /// The place after a string; nil if its end has not come.
    private static func stringEnd(_ text: Octets, _ start: Int) throws(Stop) -> Int? {
        var index = start + 1
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\\"):
                if index + 1 < text.count, !"\"\\/bfnrtu".utf8.contains(text[index + 1]) { throw .malformed }
                index += 2
            case UInt8(ascii: "\""): return index + 1
            case 0..<0x20: throw .malformed
            default: index += 1
            }
        }
        return nil
    }
}
