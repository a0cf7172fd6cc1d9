import PlayheadContent

/// Small JSON output without Foundation.
enum JSONText {
    static func string(_ text: String) -> String { PlayheadContent.JSONText.quoted(text) }

    static func array(_ items: [String]) -> String { "[" + items.joined(separator: ",") + "]" }

    /// An object; the values are JSON text already.
    static func object(_ fields: [(String, String)]) -> String {
        "{" + fields.map { "\(Self.string($0.0)):\($0.1)" }.joined(separator: ",") + "}"
    }
}
