/// A hash over the cheap required parts of a request, made without allocating.
///
/// Equal requests have equal hashes; a hit is always compared in full, so a collision costs time and never truth.
struct KeyHash {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Adds one octet (FNV-1a).
    @inline(__always)
    mutating func add(_ octet: UInt8) { self.state = (self.state ^ UInt64(octet)) &* 0x0000_0100_0000_01B3 }

    /// Adds octets.
    @inline(__always)
    mutating func add(_ octets: some Sequence<UInt8>) {
        for octet in octets { self.add(octet) }
    }

    /// Adds a text and an end mark, which occurs in no UTF-8 text.
    mutating func add(_ text: String) {
        let done: Void? = text.utf8.withContiguousStorageIfAvailable { for octet in $0 { self.add(octet) } }
        if done == nil { for octet in text.utf8 { self.add(octet) } }
        self.add(0xFF)
    }

    /// Adds a number.
    mutating func add(_ number: Int) { self.mix(UInt64(truncatingIfNeeded: number)) }

    /// Adds another hash.
    @inline(__always)
    mutating func mix(_ other: UInt64) { self.state = KeyHash.spread(self.state ^ KeyHash.spread(other)) }

    /// The hash.
    var value: UInt64 { KeyHash.spread(self.state) }

    /// The hash of a text alone.
    static func of(_ text: some Sequence<UInt8>) -> UInt64 {
        var hash = KeyHash()
        hash.add(text)
        return hash.value
    }

    /// Spreads bits over the whole word (the finalizer of SplitMix64).
    @inline(__always)
    static func spread(_ value: UInt64) -> UInt64 {
        var z = value &+ 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
