/// One step from a JSON value to a value in it.
enum JSONStep: Sendable, Hashable {
    /// The member with a key.
    case key(String)
    /// The item at a position, counted from 0.
    case position(Int)

    /// A path in its short normal form: `$.items[0].name`.
    static func text(_ path: [JSONStep]) -> String {
        var text = "$"
        for step in path {
            switch step {
            case .position(let place): text += "[\(place)]"
            case .key(let key):
                let isPlain = !key.isEmpty && key.utf8.allSatisfy { TokenShape.isWord($0) }
                text += isPlain ? ".\(key)" : "['\(key.replacing("'", with: "\\'"))']"
            }
        }
        return text
    }
}

/// A JSONPath as ignore rules use it: `$.a.b[0]`, `$.items[*].id`, `$..timestamp`, or a bare key for `$..key`.
///
/// Filters and slices of RFC 9535 are refused, not ignored.
public struct JSONPathPattern: Sendable, Hashable, CustomStringConvertible {
    private enum Step: Sendable, Hashable {
        case key(String)
        case position(Int)
        case any
        /// What follows may lie at any depth.
        case below
    }

    /// The path as written.
    public let description: String
    private let steps: [Step]

    /// Reads a path.
    ///
    /// - Throws: ``EngineError`` that says what cannot be read.
    public init(_ text: String) throws {
        self.description = text
        var rest = text[...]
        if rest.first != "$" {
            guard !rest.isEmpty, rest.utf8.allSatisfy({ TokenShape.isWord($0) || $0 == UInt8(ascii: "-") }) else {
                throw JSONPathPattern.refused(text)
            }
            self.steps = [.below, .key(text)]
            return
        }
        rest = rest.dropFirst()
        var steps: [Step] = []
        while let first = rest.first {
            rest = rest.dropFirst()
            if first == "." {
                if rest.first == "." {
                    rest = rest.dropFirst()
                    steps.append(.below)
                    if rest.first == "[" { continue }
                }
                let name = rest.prefix { $0 != "." && $0 != "[" }
                guard !name.isEmpty else { throw JSONPathPattern.refused(text) }
                rest = rest.dropFirst(name.count)
                steps.append(name == "*" ? .any : .key(String(name)))
            } else if first == "[" {
                steps.append(try JSONPathPattern.bracket(&rest, text))
            } else {
                throw JSONPathPattern.refused(text)
            }
        }
        self.steps = steps
    }

    /// Whether a value at this path is meant.
    func matches(_ path: [JSONStep]) -> Bool { JSONPathPattern.matches(self.steps[...], path[...]) }

    private static func matches(_ steps: ArraySlice<Step>, _ path: ArraySlice<JSONStep>) -> Bool {
        guard let step = steps.first else { return path.isEmpty }
        let rest = steps.dropFirst()
        if step == .below {
            return path.indices.contains { matches(rest, path[$0...]) }
        }
        guard let own = path.first else { return false }
        switch (step, own) {
        case (.any, _): break
        case (.key(let a), .key(let b)) where a == b: break
        case (.position(let a), .position(let b)) where a == b: break
        default: return false
        }
        return matches(rest, path.dropFirst())
    }

    private static func bracket(_ rest: inout Substring, _ text: String) throws -> Step {
        guard let first = rest.first else { throw refused(text) }
        if first == "'" || first == "\"" {
            var key = ""
            rest = rest.dropFirst()
            while let next = rest.first, next != first {
                rest = rest.dropFirst()
                guard next == "\\" else {
                    key.append(next)
                    continue
                }
                guard let escaped = rest.popFirst() else { throw refused(text) }
                key.append(escaped)
            }
            guard rest.popFirst() == first, rest.popFirst() == "]" else { throw refused(text) }
            return .key(key)
        }
        let inner = rest.prefix { $0 != "]" }
        rest = rest.dropFirst(inner.count)
        guard rest.popFirst() == "]" else { throw refused(text) }
        if inner == "*" { return .any }
        guard let place = Int(inner), place >= 0, inner.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else {
            throw refused(text)
        }
        return .position(place)
    }

    private static func refused(_ text: String) -> EngineError {
        EngineError(
            .badJSONPath,
            "\"\(text)\" is no JSONPath that can be ignored; write $.a.b, $.items[*].id, $..name or a bare key")
    }
}
