import PlayheadHTTP

/// Takes secrets out of header fields.
struct HeaderRedaction: Sendable {
    let names: SecretNames
    let text: TextRedaction

    /// The list without secrets; the same list if it holds none.
    func redacted(_ headers: HeaderList, _ substitution: inout SecretSubstitution) -> HeaderList {
        headers.replacingValues { self.redacted(name: $0, $1, &substitution) }
    }

    /// One value without secrets; nil if it holds none.
    func redacted(name: String, _ value: Octets, _ substitution: inout SecretSubstitution) -> Octets? {
        guard !value.isEmpty else { return nil }
        guard let finding = self.names.header(name), value.count >= finding.minimumLength else {
            return self.text.redacted(value, .parameters, &substitution)
        }
        switch asciiLowercased(name) {
        case "set-cookie", "set-cookie2": return self.setCookie(value, finding.rule, &substitution)
        case "cookie", "cookie2": return self.cookies(value, finding.rule, &substitution)
        case "authorization", "proxy-authorization": return self.credentials(value, finding.rule, &substitution)
        default: return self.whole(value, 0..<value.count, finding.rule, &substitution)
        }
    }

    /// `Bearer x`: the scheme stays, so that a reader sees what was sent (RFC 9110 section 11.4).
    private func credentials(_ value: Octets, _ rule: String, _ substitution: inout SecretSubstitution) -> Octets? {
        guard let space = value.firstIndex(of: 0x20),
            value[..<space].allSatisfy({ TokenShape.isWord($0) || $0 == UInt8(ascii: "-") })
        else { return self.whole(value, 0..<value.count, rule, &substitution) }
        var start = space
        while start < value.count, value[start] == 0x20 { start += 1 }
        return self.whole(value, start..<value.count, rule, &substitution)
    }

    /// `a=1; b=2`: the names stay (RFC 6265 section 4.2).
    private func cookies(_ value: Octets, _ rule: String, _ substitution: inout SecretSubstitution) -> Octets? {
        var edits: [TextEdit] = []
        var start = 0
        while start < value.count {
            let end = value[start...].firstIndex(of: UInt8(ascii: ";")) ?? value.count
            let equals = value[start..<end].firstIndex(of: UInt8(ascii: "="))
            let range = HeaderRedaction.trimmed(value, (equals.map { $0 + 1 } ?? start)..<end)
            if let edit = self.edit(value, range, rule, &substitution) { edits.append(edit) }
            start = end + 1
        }
        return edits.isEmpty ? nil : TextEdit.apply(edits, to: value)
    }

    /// `name=value; attributes`: only the value goes (RFC 6265 section 4.1).
    private func setCookie(_ value: Octets, _ rule: String, _ substitution: inout SecretSubstitution) -> Octets? {
        let end = value.firstIndex(of: UInt8(ascii: ";")) ?? value.count
        let equals = value[..<end].firstIndex(of: UInt8(ascii: "="))
        let range = HeaderRedaction.trimmed(value, (equals.map { $0 + 1 } ?? 0)..<end)
        return self.edit(value, range, rule, &substitution).map { TextEdit.apply([$0], to: value) }
    }

    private func whole(
        _ value: Octets, _ range: Range<Int>, _ rule: String, _ substitution: inout SecretSubstitution
    ) -> Octets? {
        self.edit(value, range, rule, &substitution).map { TextEdit.apply([$0], to: value) }
    }

    private func edit(
        _ value: Octets, _ range: Range<Int>, _ rule: String, _ substitution: inout SecretSubstitution
    ) -> TextEdit? {
        guard !range.isEmpty else { return nil }
        let secret = value[range]
        if Placeholder.isWhole(Octets(secret)) { return nil }
        return TextEdit(range: range, replacement: substitution.text(for: secret, rule: rule))
    }

    /// The range without spaces and one pair of quotes at its ends.
    private static func trimmed(_ value: Octets, _ range: Range<Int>) -> Range<Int> {
        var low = range.lowerBound
        var high = range.upperBound
        while low < high, value[low] == 0x20 || value[low] == 0x09 { low += 1 }
        while high > low, value[high - 1] == 0x20 || value[high - 1] == 0x09 { high -= 1 }
        if high - low >= 2, value[low] == UInt8(ascii: "\""), value[high - 1] == UInt8(ascii: "\"") {
            low += 1
            high -= 1
        }
        return low..<high
    }
}
