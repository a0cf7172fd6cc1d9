/// Takes a dictionary apart: each key must be known, and each value of the right kind.
struct MappingReader {
    let node: YAMLNode
    let what: String
    let fileName: String
    private let entries: [YAMLNode.Entry]

    /// `what` names the dictionary in messages, such as "a request".
    init(_ node: YAMLNode, _ what: String, keys: [String], fileName: String) throws(CassetteError) {
        self.node = node
        self.what = what
        self.fileName = fileName
        guard let entries = node.mapping else {
            throw CassetteError(
                .malformed, "\(what) must be a dictionary and is \(node.kind)", file: fileName, line: node.line)
        }
        self.entries = entries
        for entry in entries where !keys.contains(entry.key) {
            throw CassetteError(
                .malformed, "\(what) has the unknown key '\(entry.key)'; \(Self.advice(entry.key, keys))",
                file: fileName, line: entry.line)
        }
    }

    /// The value of a key, unless it is absent or null.
    subscript(key: String) -> YAMLNode? {
        for entry in self.entries where entry.key == key { return entry.value.isNull ? nil : entry.value }
        return nil
    }

    /// The value of a key, null or not.
    func raw(_ key: String) -> YAMLNode? {
        for entry in self.entries where entry.key == key { return entry.value }
        return nil
    }

    func required(_ key: String) throws(CassetteError) -> YAMLNode {
        guard let node = self[key] else {
            throw CassetteError(
                .malformed, "\(self.what) has no '\(key)'", file: self.fileName, line: self.node.line)
        }
        return node
    }

    func text(_ key: String) throws(CassetteError) -> String? {
        guard let node = self[key] else { return nil }
        return try self.text(node, key)
    }

    func requiredText(_ key: String) throws(CassetteError) -> String { try self.text(self.required(key), key) }

    func integer(_ key: String, in range: ClosedRange<Int>) throws(CassetteError) -> Int? {
        guard let node = self[key] else { return nil }
        guard let value = node.integer, range.contains(value) else {
            let bound =
                range.upperBound == .max
                ? "of \(range.lowerBound) or more" : "from \(range.lowerBound) to \(range.upperBound)"
            throw self.error("'\(key)' must be a whole number \(bound)", node)
        }
        return value
    }

    func bool(_ key: String) throws(CassetteError) -> Bool? {
        guard let node = self[key] else { return nil }
        guard let value = node.bool else { throw self.error("'\(key)' must be true or false", node) }
        return value
    }

    func sequence(_ key: String) throws(CassetteError) -> [YAMLNode]? {
        guard let node = self[key] else { return nil }
        guard let items = node.sequence else { throw self.error("'\(key)' must be a list and is \(node.kind)", node) }
        return items
    }

    func error(_ message: String, _ node: YAMLNode) -> CassetteError {
        CassetteError(.malformed, message, file: self.fileName, line: node.line)
    }

    private func text(_ node: YAMLNode, _ key: String) throws(CassetteError) -> String {
        guard let text = node.text else { throw self.error("'\(key)' must be text and is \(node.kind)", node) }
        return text
    }

    private static func advice(_ key: String, _ keys: [String]) -> String {
        guard let near = Spelling.nearest(to: key, in: keys) else {
            return "known are \(keys.joined(separator: ", "))"
        }
        return "did you mean '\(near)'?"
    }
}

/// Finds the word that somebody meant.
public enum Spelling {
    /// The nearest of `words` if it is near enough to be meant: at most a third of its letters differ.
    public static func nearest(to word: String, in words: [String]) -> String? {
        let normal = Array(word.lowercased().utf8.prefix(64).map { $0 == 0x2d ? 0x5f : $0 })
        var best: (word: String, distance: Int)?
        for candidate in words {
            let distance = self.distance(normal, Array(candidate.lowercased().utf8.map { $0 == 0x2d ? 0x5f : $0 }))
            if distance <= max(1, candidate.utf8.count / 3), distance < best?.distance ?? .max {
                best = (candidate, distance)
            }
        }
        return best?.word
    }

    /// How many letters must be put in, left out, changed or swapped with their neighbour.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
                row.append(cost)
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}
