/// Percent-encoding of URL parts (RFC 3986 section 2.1).
package enum PercentCoding {
    /// The text with its escapes resolved; nil when one is malformed or the octets are no UTF-8.
    ///
    /// - Parameter plusIsSpace: as in the query of a form (`application/x-www-form-urlencoded`).
    package static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
        var octets: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let first = rest.popFirst() {
            if first == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(Self.digit), let low = rest.popFirst().flatMap(Self.digit)
                else { return nil }
                octets.append(high << 4 | low)
            } else {
                octets.append(plusIsSpace && first == UInt8(ascii: "+") ? UInt8(ascii: " ") : first)
            }
        }
        return String(validating: octets, as: UTF8.self)
    }

    /// The text with everything escaped but letters, digits and `-._~`.
    package static func encode(_ text: String) -> String {
        var result = ""
        for octet in text.utf8 {
            let letter = octet | 0x20
            if letter &- 0x61 < 26 || octet &- 0x30 < 10 || "-._~".utf8.contains(octet) {
                result.unicodeScalars.append(Unicode.Scalar(octet))
            } else {
                let digits = String(octet, radix: 16, uppercase: true)
                result += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return result
    }

    private static func digit(_ octet: UInt8) -> UInt8? {
        switch octet {
        case 0x30...0x39: octet - 0x30
        case 0x41...0x46: octet - 0x41 + 10
        case 0x61...0x66: octet - 0x61 + 10
        default: nil
        }
    }
}
