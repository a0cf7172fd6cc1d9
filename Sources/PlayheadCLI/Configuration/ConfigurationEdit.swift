import NIOCore
import PlayheadCassette

/// Adds values to the lists of a `playhead.yaml` and leaves everything else as it stands, comments too.
struct ConfigurationEdit {
    /// The file, for messages.
    let path: String

    /// The text with the values added; those that are there already are not added again.
    ///
    /// - Throws: `CommandFailure` when the text is no configuration.
    func adding(_ settings: [(key: SettingKey, values: [String])], to text: String) throws -> String {
        var text = text
        for (key, values) in settings { text = try self.adding(values, to: key, in: text) }
        _ = try ConfigurationFile.parse(Array(text.utf8), path: self.path)
        return text
    }

    /// The lines of one list.
    static func block(_ key: SettingKey, _ values: [String]) -> String {
        "\(key.rawValue):\n" + values.map { "- \(JSONText.string($0))\n" }.joined()
    }

    private func adding(_ values: [String], to key: SettingKey, in text: String) throws -> String {
        let old = try ConfigurationFile.parse(Array(text.utf8), path: self.path).0[key]?.values ?? []
        let block = Self.block(key, old + values.filter { !old.contains($0) })
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        guard let range = try self.lines(of: key, in: text, count: lines.count) else {
            return lines.map { $0 + "\n" }.joined() + block
        }
        var end = range.upperBound
        // Comments and empty lines at the end belong to what follows.
        while end > range.lowerBound + 1, lines[end - 1].isEmpty || lines[end - 1].hasPrefix("#") { end -= 1 }
        return lines[..<range.lowerBound].map { $0 + "\n" }.joined() + block
            + lines[end...].map { $0 + "\n" }.joined()
    }

    /// The lines of a key, counted from 0, up to the next key.
    private func lines(of key: SettingKey, in text: String, count: Int) throws -> Range<Int>? {
        let root = try YAMLDocument.parse(ByteBuffer(string: text), fileName: self.path)
        let entries = root?.mapping ?? []
        guard let index = entries.firstIndex(where: { $0.key.replacing("-", with: "_") == key.rawValue }) else {
            return nil
        }
        let start = min(count, max(0, entries[index].line - 1))
        let end = index + 1 < entries.count ? entries[index + 1].line - 1 : count
        return start..<max(start, min(count, end))
    }
}
