import Synchronization

/// A regular expression and what takes the place of each match: `$1` to `$9` are its groups, `$0` all of it.
///
/// Works on text; a body that is not UTF-8 is left alone.
public final class TextPattern: Sendable {
    /// The expression as written.
    public let pattern: String
    private let replacement: String
    /// A compiled expression is not Sendable, so one thread at a time has it.
    private let regex: Mutex<Regex<AnyRegexOutput>>

    /// Compiles an expression; an empty replacement removes what matches.
    ///
    /// - Throws: ``EngineError`` that says what is wrong with it.
    public init(_ pattern: String, replacement: String) throws {
        do {
            self.regex = Mutex(try Regex(pattern).matchingSemantics(.unicodeScalar))
        } catch {
            throw EngineError(.badFilter, "\"\(pattern)\" is no regular expression: \(error)")
        }
        self.pattern = pattern
        self.replacement = replacement
    }

    /// Where it matches, in octets, and what goes there; empty matches are none.
    func hits(in octets: [UInt8]) -> [(range: Range<Int>, replacement: String)] {
        guard let text = String(validating: octets, as: UTF8.self) else { return [] }
        return self.regex.withLock { regex in
            text.matches(of: regex).compactMap { match in
                guard !match.range.isEmpty else { return nil }
                let start = text.utf8.distance(from: text.startIndex, to: match.range.lowerBound)
                let length = text.utf8.distance(from: match.range.lowerBound, to: match.range.upperBound)
                return (start..<start + length, self.expanded(match.output))
            }
        }
    }

    private func expanded(_ output: AnyRegexOutput) -> String {
        var result = ""
        var rest = self.replacement[...]
        while let first = rest.popFirst() {
            guard first == "$", let next = rest.first else {
                result.append(first)
                continue
            }
            if next == "$" {
                rest.removeFirst()
                result.append("$")
            } else if let digit = next.wholeNumberValue, next.isASCII {
                rest.removeFirst()
                if digit < output.count { result += output[digit].substring ?? "" }
            } else {
                result.append(first)
            }
        }
        return result
    }
}
