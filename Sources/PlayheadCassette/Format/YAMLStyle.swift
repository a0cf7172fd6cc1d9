/// How a text is written in YAML.
enum YAMLStyle: Equatable {
    /// Without quotes.
    case plain
    /// In single quotes, without any escape.
    case single
    /// In double quotes with escapes.
    case double
    /// As a literal block; the payload is its header, such as `|-`.
    case literal(String)

    /// The form that reads best among those that keep every octet.
    static func best(for text: String, isInline: Bool) -> YAMLStyle {
        let facts = Facts(text)
        if facts.isPlain, isInline ? !facts.hasFlowMark : true, !self.isResolved(text) { return .plain }
        guard facts.isPrintable else { return .double }
        if facts.hasLineEnd { return isInline ? .double : self.block(text) }
        let isSentence = facts.hasDoubleQuoteOrBackslash || text.utf8.contains(0x20)
        if !isInline, isSentence, text.utf8.count > 60, !facts.hasEdgeSpace { return .literal("|-") }
        if !facts.hasSingleQuote, !text.isEmpty, facts.hasDoubleQuoteOrBackslash, !facts.hasTab { return .single }
        return .double
    }

    /// Whether libyaml and the YAML 1.2 rules take the character as it is.
    ///
    /// NEL, LS and PS are line ends to YAML 1.1, and a BOM may vanish: these are always escaped.
    static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20...0x7e, 0xa0...0x2027, 0x202a...0xd7ff, 0xe000...0xfefe, 0xff00...0xfffd: true
        case 0x10000...0x10ffff: scalar.value & 0xfffe != 0xfffe
        default: false
        }
    }

    /// The literal form with the right header, or double quotes where a literal would not be exact.
    private static func block(_ text: String) -> YAMLStyle {
        let bytes = text.utf8
        guard let last = bytes.last(where: { $0 != 0x0a }), let first = bytes.first else { return .double }
        // A last line of only white space would depend on details of the reader.
        let lastLine = bytes.suffix(
            from: bytes.dropLast().lastIndex(of: 0x0a).map { bytes.index(after: $0) } ?? bytes.startIndex)
        if last == 0x20 || last == 0x09, lastLine.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0a }) {
            return .double
        }
        let indicator = first == 0x20 || first == 0x09 || first == 0x0a ? "2" : ""
        if bytes.last != 0x0a { return .literal("|\(indicator)-") }
        return .literal(bytes.dropLast().last == 0x0a ? "|\(indicator)+" : "|\(indicator)")
    }

    /// Whether some reader takes the text for something other than text, such as `yes`, `null` or `1e3`.
    private static func isResolved(_ text: String) -> Bool {
        guard text.utf8.count <= 5 else { return false }
        return ["yes", "no", "on", "off", "true", "false", "null", "y", "n"].contains(text.lowercased())
    }

    /// What matters about a text, found in one pass.
    private struct Facts {
        var isPlain: Bool
        var isPrintable = true
        var hasFlowMark = false
        var hasLineEnd = false
        var hasTab = false
        var hasSingleQuote = false
        var hasDoubleQuoteOrBackslash = false
        var hasEdgeSpace: Bool

        init(_ text: String) {
            var text = text
            var hasOther = false
            self = text.withUTF8 { Self($0, &hasOther) }
            if hasOther, self.isPrintable {
                self.isPrintable = text.unicodeScalars.allSatisfy {
                    YAMLStyle.isPrintable($0) || $0 == "\n" || $0 == "\t"
                }
            }
        }

        /// The facts but for characters beyond ASCII, of which it only says that there are some.
        private init(_ text: UnsafeBufferPointer<UInt8>, _ hasOther: inout Bool) {
            let first = text.first ?? 0
            let last = text.last ?? 0
            // A letter or '/' first: nothing that begins so is a number, a time or an indicator.
            self.isPlain = (first | 0x20) &- 0x61 < 26 && first < 0x80 || first == UInt8(ascii: "/")
            if last == UInt8(ascii: ":") || last == 0x20 { self.isPlain = false }
            self.hasEdgeSpace = first == 0x20 || last == 0x20 || first == 0x09 || last == 0x09
            var previous: UInt8 = 0
            for octet in text {
                switch octet {
                case 0x0a:
                    self.hasLineEnd = true
                    self.isPlain = false
                case 0x09:
                    self.hasTab = true
                    self.isPlain = false
                case 0x20 where previous == UInt8(ascii: ":"): self.isPlain = false
                case UInt8(ascii: "#") where previous == 0x20: self.isPlain = false
                case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"):
                    self.hasFlowMark = true
                // To libyaml a key may begin there inside a list or dictionary on one line.
                case UInt8(ascii: "?") where previous == UInt8(ascii: ":"): self.hasFlowMark = true
                case UInt8(ascii: "'"):
                    self.hasSingleQuote = true
                    self.isPlain = false
                case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                    self.hasDoubleQuoteOrBackslash = true
                    self.isPlain = false
                case 0..<0x20, 0x7f: (self.isPrintable, self.isPlain) = (false, false)
                case 0x80...: (hasOther, self.isPlain) = (true, false)
                default: break
                }
                previous = octet
            }
        }
    }
}
