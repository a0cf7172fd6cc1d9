@_spi(_Unicode) import Swift

/// The encodings of a cassette file: one model, three encoders.
public enum CassetteFormat: String, Sendable, CaseIterable {
    /// YAML, the default.
    case yaml
    /// JSON.
    case json
    /// An XML property list.
    case plist
}

/// The name of a cassette: text of a user, a client or a test, checked before it becomes a path.
///
/// Letters, digits, `-`, `_`, `.`, space, and `/` between parts; no part is empty, starts with a dot, ends in a dot or a
/// space, or is a device name of Windows.
public struct CassetteName: Sendable, Hashable, CustomStringConvertible {
    /// How long a name may be, in UTF-8 octets.
    public static let limit = 200

    /// The name without its extension.
    public let base: String
    /// The extension of the file: `yaml`, `yml`, `json` or `plist`, or `cassette` for a folder.
    public let fileExtension: String

    /// The encoding that the extension asks for.
    ///
    /// The files of a cassette that is a folder are YAML.
    public var format: CassetteFormat { CassetteFormat(rawValue: self.fileExtension) ?? .yaml }

    /// The extension of a cassette that is a folder with one file per exchange.
    public static let folderExtension = "cassette"

    /// Whether the cassette is a folder with one file per exchange.
    public var isFolder: Bool { self.fileExtension == Self.folderExtension }

    /// The name as a user writes it: without the default extension.
    public var description: String { self.stem }

    /// What the journal, the lock and the body folder are named after.
    ///
    /// Cassettes that differ only in their extension do not share them.
    var stem: String { self.fileExtension == "yaml" ? self.base : "\(self.base).\(self.fileExtension)" }

    /// Checks a name, with or without an extension, and brings it into NFC.
    public static func validated(_ text: String) throws(CassetteError) -> CassetteName {
        guard text.utf8.count <= 4 * self.limit else { throw self.refusal("(too long)", "is too long") }
        var name = text._nfc.reduce(into: "") { $0.unicodeScalars.append($1) }
        guard name.utf8.count <= self.limit else {
            throw self.refusal(name, "has more than \(self.limit) octets")
        }
        guard !name.isEmpty else { throw self.refusal(name, "is empty") }
        for part in name.split(separator: "/", omittingEmptySubsequences: false) {
            if let reason = self.objection(to: part) { throw self.refusal(name, reason) }
        }
        for part in name.split(separator: "/").dropLast() where part.lowercased().hasSuffix(".\(Self.folderExtension)")
        {
            throw self.refusal(name, "has a folder that is a cassette itself")
        }
        for fileExtension in ["yaml", "yml", "json", "plist", Self.folderExtension]
        where name.lowercased().hasSuffix(".\(fileExtension)") {
            name.removeLast(fileExtension.utf8.count + 1)
            if let part = name.split(separator: "/", omittingEmptySubsequences: false).last,
                let reason = self.objection(to: part)
            {
                throw self.refusal(text, reason)
            }
            return CassetteName(base: name, fileExtension: fileExtension)
        }
        return CassetteName(base: name, fileExtension: "yaml")
    }

    private static func objection(to part: Substring) -> String? {
        if part.isEmpty { return "has an empty part" }
        if part.hasPrefix(".") { return "has a part that starts with a dot" }
        if part.hasSuffix(".") || part.hasSuffix(" ") || part.hasPrefix(" ") {
            return "has a part that ends in a dot or a space"
        }
        for scalar in part.unicodeScalars where !self.isAllowed(scalar) {
            return "has \(self.described(scalar)); letters, digits, '-', '_', '.', space and '/' are allowed"
        }
        let lower = part.lowercased()
        if lower.hasSuffix(".bodies") || lower.hasSuffix(".journal") {
            return "has a part that is named like the journal or the body folder of another cassette"
        }
        if self.devices.contains(String(lower.prefix { $0 != "." })) { return "is a device name on Windows" }
        return nil
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            let value = scalar.value
            return (value | 0x20) &- 0x61 < 26 || value &- 0x30 < 10 || "-_. ".unicodeScalars.contains(scalar)
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .decimalNumber:
            return true
        default: return false
        }
    }

    private static func described(_ scalar: Unicode.Scalar) -> String {
        let isVisible = scalar.value > 0x20 && scalar.value < 0x7f
        return isVisible ? "'\(scalar)'" : "the character U+\(String(scalar.value, radix: 16, uppercase: true))"
    }

    private static func refusal(_ name: String, _ reason: String) -> CassetteError {
        let shown = String(String.UnicodeScalarView(name.unicodeScalars.prefix(60).map { $0.value < 0x20 ? "?" : $0 }))
        return CassetteError(.illegalName, "the cassette name '\(shown)' \(reason)")
    }

    private static let devices: Set<String> = {
        var names: Set<String> = ["con", "prn", "aux", "nul", "conin$", "conout$"]
        for digit in 0...9 { names.formUnion(["com\(digit)", "lpt\(digit)"]) }
        return names
    }()
}
