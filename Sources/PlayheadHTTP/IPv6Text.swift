/// The text form of IPv6 addresses (RFC 4291 section 2.2), without zone.
enum IPv6Text {
    /// Whether octets are an IPv6 address: eight groups, or fewer around one `::`, an IPv4 tail allowed.
    static func isValid(_ text: UnsafeRawBufferPointer) -> Bool {
        guard (2...45).contains(text.count) else { return false }
        var groups = 0
        var hasGap = false
        var index = 0
        if text[0] == Octets.colon {
            guard text[1] == Octets.colon else { return false }
            hasGap = true
            index = 2
        }
        while index < text.count {
            let start = index
            while index < text.count, index - start < 5, Octets.hexValue(text[index]) != nil { index += 1 }
            if index < text.count, text[index] == UInt8(ascii: ".") {
                guard Self.isIPv4(UnsafeRawBufferPointer(rebasing: text[start...])) else { return false }
                groups += 2
                return hasGap ? groups < 8 : groups == 8
            }
            guard (1...4).contains(index - start) else { return false }
            groups += 1
            if index == text.count { break }
            guard text[index] == Octets.colon else { return false }
            index += 1
            guard index < text.count else { return false }
            if text[index] == Octets.colon {
                guard !hasGap else { return false }
                hasGap = true
                index += 1
            }
        }
        return hasGap ? groups < 8 : groups == 8
    }

    private static func isIPv4(_ text: UnsafeRawBufferPointer) -> Bool {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                (1...3).contains(part.count) && part.allSatisfy { Octets.isDigit($0) }
                    && (part.count == 1 || part.first != 0x30)
                    && part.reduce(0) { $0 * 10 + Int($1 & 0x0F) } <= 255
            }
    }
}
