public import PlayheadCassette
import PlayheadContent

/// Secrets that the user names by environment variable: stored as `{{NAME}}`, live again at replay.
///
/// A value is also found percent-encoded, escaped as JSON, or in base64; then the mark says so, as `{{NAME:base64}}`,
/// so that replay puts it back in the same dress.
public struct KnownSecrets: Sendable {
    /// A value shorter than this is found by chance, in octets.
    public static let minimumLength = 4

    /// How a value is written in some place.
    private enum Dress: String, Sendable, CaseIterable { case plain = "", percent, form, json, base64, base64url }

    private struct Form: Sendable {
        var name: String
        var dress: Dress
        var octets: Octets
        var mark: Octets
    }

    /// The variables that are looked for, whether they are set or not.
    public let names: [String]
    /// The variables that are not set: what they hid stays hidden, and any value matches.
    public let unset: [String]
    /// The variables whose values are too short to be looked for.
    public let tooShort: [String]
    /// Longer forms first: one may hold another.
    private let forms: [Form]

    /// No secret.
    public static let none = KnownSecrets()

    private init() {
        self.names = []
        self.unset = []
        self.tooShort = []
        self.forms = []
    }

    /// Takes the values of variables.
    ///
    /// - Throws: ``EngineError`` when a name is no name of a variable.
    public init(names: [String], environment: [String: String]) throws {
        var forms: [Form] = []
        for name in names {
            guard Placeholder.isVariableName(name.utf8) else {
                throw EngineError(
                    .badSecretName,
                    "\"\(name)\" is no name of an environment variable; write letters, digits and _, as in API_KEY")
            }
            guard let value = environment[name], value.utf8.count >= KnownSecrets.minimumLength else { continue }
            var seen: Set<Octets> = []
            for (dress, octets) in KnownSecrets.dresses(of: Octets(value.utf8)) where seen.insert(octets).inserted {
                forms.append(Form(name: name, dress: dress, octets: octets, mark: KnownSecrets.mark(name, dress)))
            }
        }
        self.names = names
        self.unset = names.filter { (environment[$0] ?? "").isEmpty }
        self.tooShort = names.filter { 1..<KnownSecrets.minimumLength ~= (environment[$0] ?? "").utf8.count }
        self.forms = forms.enumerated().sorted {
            ($1.element.octets.count, $0.offset) < ($0.element.octets.count, $1.offset)
        }.map(\.element)
    }

    /// Whether no variable is named.
    public var isEmpty: Bool { self.names.isEmpty }

    /// The exchange with the values in place of their marks; a cassette is played like this.
    ///
    /// In a request the mark of a variable that is not set becomes a placeholder that matches any value; in a response it
    /// stays.
    public func restored(_ exchange: Exchange) -> Exchange {
        guard !self.isEmpty else { return exchange }
        return ExchangeRewrite(
            request: { text, _ in self.marks(in: text, forRequest: true) },
            response: { text, _ in self.marks(in: text, forRequest: false) }
        ).apply(to: exchange)
    }

    /// Whether octets hold a mark that replay puts a value in place of.
    public func occurs(in octets: some Sequence<UInt8>) -> Bool {
        !self.isEmpty && !self.marks(in: Octets(octets), forRequest: false).isEmpty
    }

    /// The exchange with marks in place of the values.
    func hidden(_ exchange: Exchange) -> Exchange {
        guard !self.forms.isEmpty else { return exchange }
        return ExchangeRewrite(
            request: { text, _ in self.edits(in: text) }, response: { text, _ in self.edits(in: text) }
        )
        .apply(to: exchange)
    }

    /// A text with marks in place of the values.
    func hidden(_ text: String) -> String {
        guard !self.forms.isEmpty else { return text }
        let octets = Octets(text.utf8)
        let edits = self.edits(in: octets)
        return edits.isEmpty ? text : displayText(TextEdit.apply(edits, to: octets))
    }

    /// The edits that take the values out of a text.
    func edits(in text: Octets) -> [TextEdit] {
        var found: [TextEdit] = []
        for form in self.forms {
            var start = 0
            while let position = firstIndex(of: form.octets, in: text, from: start) {
                let range = position..<position + form.octets.count
                start = range.upperBound
                if !found.contains(where: { $0.range.overlaps(range) }) {
                    found.append(TextEdit(range: range, replacement: form.mark))
                }
            }
        }
        for (form, range, dress) in self.spelled(in: text) where !found.contains(where: { $0.range.overlaps(range) }) {
            found.append(TextEdit(range: range, replacement: KnownSecrets.mark(form.name, dress)))
        }
        return found.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// Where values stand whose escapes are others than those of ``Dress``.
    private func spelled(in text: Octets) -> [(form: Form, range: Range<Int>, dress: Dress)] {
        guard !self.forms.isEmpty, SpelledSecret.mayOccur(in: text) else { return [] }
        return self.forms.filter { $0.dress == .plain }.flatMap { form in
            text.withUnsafeBufferPointer { SpelledSecret(value: form.octets).places(in: $0) }.map { range, spelling in
                let dress: Dress =
                    switch spelling {
                    case .percent: .percent
                    case .form: .form
                    case .json: .json
                    }
                return (form, range, dress)
            }
        }
    }

    /// The name of the first variable whose value is in a text.
    func name(in text: Octets) -> String? {
        self.forms.first { firstIndex(of: $0.octets, in: text) != nil }?.name ?? self.spelled(in: text).first?.form.name
    }

    private func marks(in text: Octets, forRequest isRequest: Bool) -> [TextEdit] {
        guard firstIndex(of: Octets("{{".utf8), in: text) != nil else { return [] }
        var found: [TextEdit] = []
        for name in self.names {
            for dress in Dress.allCases {
                let mark = KnownSecrets.mark(name, dress)
                var replacement = self.forms.first { $0.name == name && $0.dress == dress }?.octets
                // The dress may look like the plain value today, and be left out of the forms for that.
                if replacement == nil, let plain = self.forms.first(where: { $0.name == name && $0.dress == .plain }) {
                    replacement = KnownSecrets.dresses(of: plain.octets).first { $0.dress == dress }?.octets
                }
                if replacement == nil, isRequest { replacement = Octets(Placeholder.mask(rule: name).utf8) }
                guard let replacement else { continue }
                var start = 0
                while let position = firstIndex(of: mark, in: text, from: start) {
                    start = position + mark.count
                    found.append(TextEdit(range: position..<start, replacement: replacement))
                }
            }
        }
        return found.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    private static func mark(_ name: String, _ dress: Dress) -> Octets {
        Octets("{{\(name)\(dress == .plain ? "" : ":\(dress.rawValue)")}}".utf8)
    }

    private static func dresses(of value: Octets) -> [(dress: Dress, octets: Octets)] {
        let base64 = value.withUnsafeBytes { Octets(Base64.encode($0).utf8) }
        let url: Octets = base64.filter { $0 != UInt8(ascii: "=") }.map {
            $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
        }
        let percent = KnownSecrets.percentEncoded(value)
        let json = JSONText.quoted(String(decoding: value, as: UTF8.self)).utf8.dropFirst().dropLast()
        return [
            (.plain, value), (.percent, percent),
            (
                .form,
                percent.split(separator: Octets("%20".utf8), omittingEmptySubsequences: false).joined(separator: [
                    UInt8(ascii: "+")
                ]).map { $0 }
            ),
            (.json, Octets(json)), (.base64, base64), (.base64url, url),
        ]
    }

    private static func percentEncoded(_ value: Octets) -> Octets {
        let digits = Octets("0123456789ABCDEF".utf8)
        return value.flatMap { octet -> Octets in
            if TokenShape.isWord(octet) || "-.~".utf8.contains(octet) { return [octet] }
            return [UInt8(ascii: "%"), digits[Int(octet >> 4)], digits[Int(octet & 15)]]
        }
    }
}
