import NIOCore
import PlayheadContent

/// Replaces and removes values of a JSON text; all other octets stay.
struct JSONEdit {
    private let json: JSONSpans
    private let text: Octets
    /// The path of each value.
    let paths: [[JSONStep]]
    private var replacements: [Int: String] = [:]
    private var removed: Set<Int> = []

    init(json: JSONSpans, text: Octets) {
        self.json = json
        self.text = text
        var paths: [[JSONStep]] = []
        paths.reserveCapacity(json.spans.count)
        for span in json.spans {
            var path = span.parent.map { paths[$0] } ?? []
            if let key = span.key {
                path.append(.key(key))
            } else if let position = span.position {
                path.append(.position(position))
            }
            paths.append(path)
        }
        self.paths = paths
    }

    /// Puts a text in place of a value: a string stays a string, another value takes JSON if it is some.
    mutating func replace(_ index: Int, with value: String) {
        let isString = self.json.spans[index].kind == .string
        self.replacements[index] = isString ? JSONText.quoted(value) : JSONEdit.literal(value)
    }

    /// Puts JSON text in place of a value.
    mutating func replace(_ index: Int, withJSON json: String) { self.replacements[index] = json }

    /// Takes a member or an item away; the root cannot go.
    mutating func remove(_ index: Int) {
        if self.json.spans[index].parent != nil { self.removed.insert(index) }
    }

    /// The edits in the order of the text; what lies in something that goes away or is replaced goes with it.
    func edits() -> [TextEdit] {
        guard !self.replacements.isEmpty || !self.removed.isEmpty else { return [] }
        var edits = self.replacements.filter { !self.removed.contains($0.key) }.map {
            TextEdit(range: self.json.spans[$0.key].range, replacement: Octets($0.value.utf8))
        }
        var children: [Int: [Int]] = [:]
        for (index, span) in self.json.spans.enumerated() {
            if let parent = span.parent { children[parent, default: []].append(index) }
        }
        for parent in Set(self.removed.compactMap { self.json.spans[$0].parent }) {
            edits += self.cuts(parent, children[parent] ?? [])
        }
        var result: [TextEdit] = []
        for edit in edits.sorted(by: {
            ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound)
        }) where edit.range.lowerBound >= result.last?.range.upperBound ?? 0 {
            result.append(edit)
        }
        return result
    }

    /// The ranges that go with the removed children of a container, commas and keys included.
    private func cuts(_ parent: Int, _ children: [Int]) -> [TextEdit] {
        var cuts: [TextEdit] = []
        var hasKept = false
        var end = self.json.spans[parent].range.lowerBound + 1
        for (place, child) in children.enumerated() {
            let range = self.json.spans[child].range
            guard self.removed.contains(child) else {
                hasKept = true
                end = range.upperBound
                continue
            }
            // Behind a value that stays the comma before goes too, in front of one the comma behind.
            let upper = !hasKept && place + 1 < children.count ? self.afterComma(range.upperBound) : range.upperBound
            cuts.append(TextEdit(range: end..<upper, replacement: []))
            end = upper
        }
        return cuts
    }

    private func afterComma(_ start: Int) -> Int {
        var index = start
        while index < self.text.count, self.text[index] != UInt8(ascii: ",") { index += 1 }
        index += 1
        while index < self.text.count, self.text[index] <= 0x20 { index += 1 }
        return min(index, self.text.count)
    }

    /// A text as JSON if it is JSON, else as a string.
    static func literal(_ text: String) -> String { JSONEdit.isJSON(text) ? text : JSONText.quoted(text) }

    private static func isJSON(_ text: String) -> Bool {
        (try? JSONSpans(ByteBuffer(string: text))) != nil
    }
}
