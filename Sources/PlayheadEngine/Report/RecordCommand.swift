/// The command that records something, ready to be pasted into a shell.
package enum RecordCommand {
    static func text(cassette: String, mode: RecordMode) -> String {
        "playhead run --cassette \(self.argument(cassette)) --mode \(mode.rawValue) -- COMMAND"
    }

    /// A cassette's name or path as one word of a shell.
    package static func argument(_ cassette: String) -> String {
        let isPlain = cassette.utf8.allSatisfy {
            lowercased($0) &- 0x61 < 26 || $0 &- 0x30 < 10 || "-_./".utf8.contains($0)
        }
        if isPlain, !cassette.isEmpty { return cassette }
        return "'" + cassette.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
