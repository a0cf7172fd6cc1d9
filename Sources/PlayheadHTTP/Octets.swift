/// The octet classes of the HTTP/1 grammar, as bit maps so that a look-up touches no memory.
enum Octets {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let colon: UInt8 = 0x3A

    /// tchar (RFC 9110 section 5.6.2).
    @inline(__always)
    static func isToken(_ octet: UInt8) -> Bool {
        // Low half: ! # $ % & ' * + - . 0-9; high half: A-Z ^ _ ` a-z | ~
        Self.isMember(octet, 0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE)
    }

    /// The octets of a registered name that we let pass: unreserved of RFC 3986 section 2.3.
    @inline(__always)
    static func isHostName(_ octet: UInt8) -> Bool {
        Self.isMember(octet, 0x03FF_6000_0000_0000, 0x47FF_FFFE_87FF_FFFE)
    }

    @inline(__always)
    static func isDigit(_ octet: UInt8) -> Bool { octet &- 0x30 < 10 }

    @inline(__always)
    private static func isMember(_ octet: UInt8, _ low: UInt64, _ high: UInt64) -> Bool {
        let half = octet < 64 ? low : high
        return octet < 128 && (half >> UInt64(octet & 63)) & 1 == 1
    }

    /// The value of a hexadecimal digit.
    @inline(__always)
    static func hexValue(_ octet: UInt8) -> Int? {
        if octet &- 0x30 < 10 { return Int(octet &- 0x30) }
        let letter = (octet | 0x20) &- 0x61
        return letter < 6 ? Int(letter) + 10 : nil
    }

    /// Whether every octet may stand in a field value: tab, space, visible ASCII and 0x80 to 0xFF
    /// (RFC 9110 section 5.5).
    @inline(__always)
    static func areFieldValue(_ octets: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index + 8 <= octets.count {
            let word = octets.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if Self.mayHoldControl(word, below: 0x2020_2020_2020_2020) {
                for inner in index..<index + 8 where Self.isForbiddenInValue(octets[inner]) { return false }
            }
            index += 8
        }
        while index < octets.count {
            if Self.isForbiddenInValue(octets[index]) { return false }
            index += 1
        }
        return true
    }

    /// Whether no octet is a control, a space or DEL; octets above 0x7F pass and are reported.
    @inline(__always)
    static func areTarget(_ octets: UnsafeRawBufferPointer, hasHighOctets: inout Bool) -> Bool {
        var index = 0
        var all: UInt64 = 0
        while index + 8 <= octets.count {
            let word = octets.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            all |= word
            if Self.mayHoldControl(word, below: 0x2121_2121_2121_2121) {
                for inner in index..<index + 8 where octets[inner] < 0x21 || octets[inner] == 0x7F { return false }
            }
            index += 8
        }
        while index < octets.count {
            let octet = octets[index]
            all |= UInt64(octet)
            if octet < 0x21 || octet == 0x7F { return false }
            index += 1
        }
        hasHighOctets = all & 0x8080_8080_8080_8080 != 0
        return true
    }

    @inline(__always)
    static func isForbiddenInValue(_ octet: UInt8) -> Bool {
        (octet < 0x20 && octet != Self.tab) || octet == 0x7F
    }

    /// Whether a word may hold an octet below the limit or a DEL.
    ///
    /// It never misses one; borrow between octets can raise a false alarm, which the caller's octet loop settles.
    @inline(__always)
    private static func mayHoldControl(_ word: UInt64, below limit: UInt64) -> Bool {
        let low = (word &- limit) & ~word
        let delete = word ^ 0x7F7F_7F7F_7F7F_7F7F
        let deletes = (delete &- 0x0101_0101_0101_0101) & ~delete
        return (low | deletes) & 0x8080_8080_8080_8080 != 0
    }
}
