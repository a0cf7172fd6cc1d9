/// Finds secrets in text: tokens by their look, URL parameters, `"key": "value"` pairs and XML elements by name.
///
/// Works on octets, so a text in any encoding that contains ASCII can be searched.
struct TextRedaction: Sendable {
    let names: SecretNames
    /// The shapes that are on, with their rules, by the octet they begin with.
    private let shapes: [[(shape: TokenShape, rule: String)]]
    /// The rule that knows AWS access keys, if it is on.
    let awsRule: String?
    /// How many more layers of base64 are taken off.
    private var layers = 3

    /// The secrets that the user named.
    let known: KnownSecrets

    init(names: SecretNames, rules: [RedactionRule], known: KnownSecrets) {
        self.names = names
        self.known = known
        self.awsRule = rules.first { $0.shapes.contains(.awsAccessKey) }?.name
        var table: [[(shape: TokenShape, rule: String)]] = Array(repeating: [], count: 256)
        for rule in rules {
            for shape in rule.shapes {
                for octet in shape.firstOctets { table[Int(octet)].append((shape, rule.name)) }
            }
        }
        self.shapes = table
    }

    /// The same search, one layer of base64 further down.
    var deeper: TextRedaction {
        var deeper = self
        deeper.layers -= 1
        return deeper
    }

    /// The same search without looking into base64.
    var plain: TextRedaction {
        var plain = self
        plain.layers = 0
        return plain
    }

    /// What the scanner looks for besides the tokens.
    struct Options: OptionSet {
        let rawValue: Int
        /// `?name=value` and `&name=value`.
        static let parameters = Options(rawValue: 1)
        /// `"key": "value"` and `<key>value</key>`.
        static let keys = Options(rawValue: 2)
        static let all: Options = [.parameters, .keys]
    }

    /// The edits that take every secret out of a text.
    func edits(in text: Octets, _ options: Options, _ substitution: inout SecretSubstitution) -> [TextEdit] {
        var found: [(range: Range<Int>, rule: String)] = []
        text.withUnsafeBufferPointer { buffer in self.scan(buffer, options) { found.append(($0, $1)) } }
        return found.map {
            TextEdit(range: $0.range, replacement: substitution.text(for: text[$0.range], rule: $0.rule))
        }
    }

    /// The text without its secrets; nil if there is none.
    func redacted(_ text: Octets, _ options: Options, _ substitution: inout SecretSubstitution) -> Octets? {
        let edits = self.edits(in: text, options, &substitution)
        return edits.isEmpty ? nil : TextEdit.apply(edits, to: text)
    }

    /// Reports every secret of a text, in order.
    func scan(
        _ text: UnsafeBufferPointer<UInt8>, _ options: Options, _ found: (Range<Int>, String) -> Void
    ) {
        // Looked for only when something could be the secret beside one.
        var identifiers: [Range<Int>]?
        // Up to where a run of base64 was looked at.
        var runEnd = 0
        var index = 0
        while index < text.count {
            let octet = text[index]
            var hit: (range: Range<Int>, rule: String)?
            let candidates = self.shapes[Int(octet)]
            if !candidates.isEmpty { hit = self.token(text, index, candidates) }
            if hit == nil {
                switch octet {
                case UInt8(ascii: "?"), UInt8(ascii: "&"):
                    if options.contains(.parameters) { hit = self.parameter(text, index) }
                case UInt8(ascii: "\""), UInt8(ascii: "'"):
                    if options.contains(.keys) { hit = self.quotedKey(text, index) }
                case UInt8(ascii: "<"):
                    if options.contains(.keys) { hit = self.element(text, index) }
                case UInt8(ascii: "["):
                    if TokenShape.has("[REDACTED:", text, index) {
                        index += 10
                        continue
                    }
                default: break
                }
            }
            if hit == nil, self.layers > 0, index >= runEnd, EncodedRun.isPart(octet) {
                if let run = EncodedRun(in: text, at: index, end: &runEnd) {
                    hit = self.encoded(text, run) ?? self.awsSecret(text, run.range, &identifiers)
                }
            }
            if let hit {
                found(hit.range, hit.rule)
                index = hit.range.upperBound
            } else {
                index += 1
            }
        }
    }

    /// The token that a text begins with, whatever may stand before it.
    func token(atStartOf text: UnsafeBufferPointer<UInt8>) -> (range: Range<Int>, rule: String)? {
        guard let first = text.first else { return nil }
        return self.token(text, 0, self.shapes[Int(first)])
    }

    private func token(
        _ text: UnsafeBufferPointer<UInt8>, _ index: Int, _ candidates: [(shape: TokenShape, rule: String)]
    ) -> (range: Range<Int>, rule: String)? {
        for (shape, rule) in candidates {
            // In the middle of a word it is not the beginning of a token.
            if index > 0, shape != .userinfo, shape != .privateKey, TokenShape.isWord(text[index - 1]),
                !self.follows(escape: text, index)
            {
                continue
            }
            guard let end = shape.end(in: text, at: index) else { continue }
            let start = index + shape.prefixLength(in: text, at: index)
            if start < end, !self.isPlaceholder(text, start) { return (start..<end, rule) }
        }
        return nil
    }

    /// Whether the letter before `index` belongs to an escape such as `\n`, so that a token may begin here.
    private func follows(escape text: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
        index > 1 && text[index - 2] == UInt8(ascii: "\\")
            || index > 2 && text[index - 3] == UInt8(ascii: "%")
    }

    private func parameter(_ text: UnsafeBufferPointer<UInt8>, _ mark: Int) -> (range: Range<Int>, rule: String)? {
        var start = mark + 1
        if TokenShape.has("amp;", text, start) { start += 4 }
        var index = start
        while index < text.count, index - start < 64,
            TokenShape.isWord(text[index]) || text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: ".")
        {
            index += 1
        }
        guard index > start, index < text.count, text[index] == UInt8(ascii: "=") else { return nil }
        guard let finding = self.names.query(Octets(text[start..<index])) else { return nil }
        let valueStart = index + 1
        var end = valueStart
        while end < text.count, !TextRedaction.endsParameter(text[end]) { end += 1 }
        return self.finding(finding, text, valueStart..<end)
    }

    private static func endsParameter(_ octet: UInt8) -> Bool {
        switch octet {
        case 0...0x20, 0x7F, UInt8(ascii: "&"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"),
            UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: ")"),
            UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "`"), UInt8(ascii: "#"):
            true
        default: false
        }
    }

    /// `"key": "value"`, also with the quotes escaped, as in JSON inside a string.
    private func quotedKey(_ text: UnsafeBufferPointer<UInt8>, _ quote: Int) -> (range: Range<Int>, rule: String)? {
        let mark = text[quote]
        let isEscaped = quote > 0 && text[quote - 1] == UInt8(ascii: "\\")
        var index = quote + 1
        while index < text.count, index - quote <= 64,
            TokenShape.isWord(text[index]) || text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: ".")
        {
            index += 1
        }
        let key = Octets(text[(quote + 1)..<index])
        guard !key.isEmpty else { return nil }
        guard self.skip(quote: mark, isEscaped, text, &index) else { return nil }
        self.skipSpace(text, &index)
        guard index < text.count, text[index] == UInt8(ascii: ":") || text[index] == UInt8(ascii: "=") else {
            return nil
        }
        index += 1
        self.skipSpace(text, &index)
        guard let finding = self.names.bodyKey(key) else { return nil }
        guard self.skip(quote: mark, isEscaped, text, &index) else { return nil }
        var end = index
        while end < text.count {
            if isEscaped {
                // `\\\"` is a quote inside the inner string, `\"` its end.
                if text[end] == UInt8(ascii: "\\"), end + 1 < text.count {
                    if text[end + 1] == mark { break }
                    end += 2
                    if text[end - 1] == UInt8(ascii: "\\"), end + 1 < text.count, text[end] == UInt8(ascii: "\\") {
                        end += 2
                    }
                    continue
                }
                if text[end] == mark { break }
            } else if text[end] == UInt8(ascii: "\\") {
                end += 2
                continue
            } else if text[end] == mark {
                break
            }
            end += 1
        }
        return self.finding(finding, text, index..<min(end, text.count))
    }

    private func skip(
        quote: UInt8, _ isEscaped: Bool, _ text: UnsafeBufferPointer<UInt8>, _ index: inout Int
    ) -> Bool {
        if isEscaped {
            guard index < text.count, text[index] == UInt8(ascii: "\\") else { return false }
            index += 1
        }
        guard index < text.count, text[index] == quote else { return false }
        index += 1
        return true
    }

    private func skipSpace(_ text: UnsafeBufferPointer<UInt8>, _ index: inout Int) {
        while index < text.count,
            text[index] == 0x20 || text[index] == 0x09 || text[index] == 0x0A || text[index] == 0x0D
        {
            index += 1
        }
    }

    /// `<key>value</key>`, with a namespace prefix and attributes.
    private func element(_ text: UnsafeBufferPointer<UInt8>, _ open: Int) -> (range: Range<Int>, rule: String)? {
        var index = open + 1
        var nameStart = index
        while index < text.count, index - open <= 96 {
            if text[index] == UInt8(ascii: ":") {
                nameStart = index + 1
            } else if !TokenShape.isWord(text[index]), text[index] != UInt8(ascii: "-") {
                break
            }
            index += 1
        }
        guard index > nameStart, index < text.count else { return nil }
        let name = Octets(text[nameStart..<index])
        guard text[index] == UInt8(ascii: ">") || text[index] == 0x20, let finding = self.names.bodyKey(name) else {
            return nil
        }
        while index < text.count, index - open < 1024, text[index] != UInt8(ascii: ">") { index += 1 }
        guard index < text.count, text[index] == UInt8(ascii: ">"), text[index - 1] != UInt8(ascii: "/") else {
            return nil
        }
        var end = index + 1
        while end < text.count, text[end] != UInt8(ascii: "<") { end += 1 }
        return self.finding(finding, text, (index + 1)..<end)
    }

    private func finding(
        _ finding: SecretNames.Finding, _ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) -> (range: Range<Int>, rule: String)? {
        guard range.count >= finding.minimumLength, !self.isPlaceholder(text, range.lowerBound),
            text[range].contains(where: { $0 > 0x20 })
        else { return nil }
        return (range, finding.rule)
    }

    private func isPlaceholder(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Bool {
        TokenShape.has("[REDACTED:", text, start) || TokenShape.has("%5BREDACTED:", text, start)
            || TokenShape.has("{{", text, start)
                && Placeholder.protected(in: text[start..<min(text.count, start + 200)]).first?.lowerBound == 0
    }
}
