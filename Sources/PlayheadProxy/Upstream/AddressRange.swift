import PlayheadTLS

/// A network in CIDR form, or one address.
public struct AddressRange: Sendable, Equatable {
    private let base: [UInt8]
    private let bits: Int

    /// Reads `10.0.0.0/8`, `fd00::/8`, or an address; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let octets = TLSHost.octets(of: String(first)) else { return nil }
        guard parts.count > 1 else {
            self.base = Self.unmapped(octets)
            self.bits = self.base.count * 8
            return
        }
        guard parts[1].utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let bits = Int(parts[1]), bits <= octets.count * 8
        else { return nil }
        self.base = octets
        self.bits = bits
    }

    /// Whether an address in text form is inside; an IPv4-mapped IPv6 address counts as the IPv4 one.
    func contains(_ address: String) -> Bool {
        guard let octets = TLSHost.octets(of: address).map(Self.unmapped), octets.count == self.base.count else {
            return false
        }
        let whole = self.bits / 8
        guard self.base[..<whole].elementsEqual(octets[..<whole]) else { return false }
        guard self.bits % 8 > 0 else { return true }
        return (self.base[whole] ^ octets[whole]) >> UInt8(8 - self.bits % 8) == 0
    }

    private static func unmapped(_ octets: [UInt8]) -> [UInt8] {
        let isMapped =
            octets.count == 16 && octets[..<10].allSatisfy { $0 == 0 } && octets[10] == 255 && octets[11] == 255
        return isMapped ? Array(octets[12...]) : octets
    }
}
