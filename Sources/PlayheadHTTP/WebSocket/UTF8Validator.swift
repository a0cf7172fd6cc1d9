/// Checks UTF-8 that comes in pieces (RFC 3629 section 4), as text messages do.
struct UTF8Validator: Sendable {
    /// How many octets of the current character are still to come.
    private var needed = 0
    /// What the next octet of it may be: the second one rules out overlong forms and surrogates.
    private var low: UInt8 = 0x80
    private var high: UInt8 = 0xBF

    /// Whether the text ends with a whole character.
    var isComplete: Bool { self.needed == 0 }

    /// Takes more octets; false if they cannot be UTF-8.
    mutating func accept(_ octets: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < octets.count {
            // Most text is ASCII: eight octets at a time.
            if self.needed == 0, index + 8 <= octets.count,
                octets.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
            {
                index += 8
                continue
            }
            guard self.accept(octets[index]) else { return false }
            index += 1
        }
        return true
    }

    private mutating func accept(_ octet: UInt8) -> Bool {
        guard self.needed == 0 else {
            guard (self.low...self.high).contains(octet) else { return false }
            self.needed -= 1
            self.low = 0x80
            self.high = 0xBF
            return true
        }
        switch octet {
        case 0..<0x80: return true
        case 0xC2...0xDF: self.needed = 1
        case 0xE0...0xEF:
            self.needed = 2
            if octet == 0xE0 { self.low = 0xA0 }
            if octet == 0xED { self.high = 0x9F }
        case 0xF0...0xF4:
            self.needed = 3
            if octet == 0xF0 { self.low = 0x90 }
            if octet == 0xF4 { self.high = 0x8F }
        default: return false
        }
        return true
    }
}
