/// The rules that values have on the wire; a cassette is held to them when it is read.
enum WireValue {
    /// Whether it is a token (RFC 9110 section 5.6.2): methods, field names, codings.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { self.tokens[Int($0)] }
    }

    /// Whether it has no octet that could end the field (RFC 9110 section 5.5).
    static func isFieldValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 != 0x0a && $0 != 0x0d && $0 != 0 }
    }

    /// Whether it is an absolute http or https URL that can stand on a request line.
    static func isURL(_ text: String) -> Bool {
        let rest: Substring.UTF8View
        if text.utf8.starts(with: "https://".utf8) {
            rest = text.utf8.dropFirst(8)
        } else if text.utf8.starts(with: "http://".utf8) {
            rest = text.utf8.dropFirst(7)
        } else {
            return false
        }
        guard let first = rest.first, first != UInt8(ascii: "/"), first != UInt8(ascii: "?") else { return false }
        return rest.allSatisfy { $0 > 0x20 && $0 != 0x7f }
    }

    private static let tokens: [Bool] = (0..<256).map { octet in
        let octet = UInt8(octet)
        if (octet | 0x20) &- 0x61 < 26 || octet &- 0x30 < 10 { return octet < 0x80 }
        return Array("!#$%&'*+-.^_`|~".utf8).contains(octet)
    }
}

extension SideFileReference {
    /// Whether the name is a content address that fits the hash, and nothing that could lead elsewhere.
    var isWellFormed: Bool {
        let name = Array(self.name.utf8)
        guard name.count >= 66, name.count <= 64 + 1 + 8, name[64] == UInt8(ascii: "."), self.length >= 0 else {
            return false
        }
        return name[..<64].allSatisfy { $0 &- 0x30 < 10 || $0 &- 0x61 < 6 }
            && name[65...].allSatisfy { $0 &- 0x30 < 10 || $0 &- 0x61 < 26 }
            && self.sha256.utf8.elementsEqual(name[..<64])
    }
}
