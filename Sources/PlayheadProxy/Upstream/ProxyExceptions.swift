import PlayheadTLS

/// The origins that `NO_PROXY` keeps away from a proxy.
///
/// There is no standard; what every common client understands is understood here: a name covers its subdomains, with
/// or without `.` or `*.` in front, each with an optional port; addresses, CIDR ranges, and `*` for everything.
public struct ProxyExceptions: Sendable, Equatable {
    private enum Rule: Sendable, Equatable {
        case everything
        case name(String, port: Int?)
        case range([UInt8], bits: Int, port: Int?)
    }

    private let rules: [Rule]

    /// Reads a list, split at commas and white space; what cannot be an exception is left out.
    public init(_ text: String) {
        self.rules = text.split { $0 == "," || $0.isWhitespace }.compactMap { Self.rule($0) }
    }

    /// Whether an origin is reached directly.
    func match(host: String, port: Int) -> Bool {
        guard !self.rules.isEmpty else { return false }
        let address = TLSHost.octets(of: host).map(Self.unmapped)
        let name = Self.name(host[...])
        return self.rules.contains { rule in
            switch rule {
            case .everything: true
            case .name(let own, let ownPort):
                (ownPort ?? port) == port && (name == own || name.hasSuffix("." + own))
            case .range(let base, let bits, let ownPort):
                (ownPort ?? port) == port && address.map { Self.isPrefix(base, bits, of: $0) } == true
            }
        }
    }

    private static func rule(_ text: Substring) -> Rule? {
        if text == "*" { return .everything }
        if let slash = text.lastIndex(of: "/") {
            guard let base = TLSHost.octets(of: String(text[..<slash])),
                let bits = Int(text[text.index(after: slash)...]),
                (0...(base.count * 8)).contains(bits)
            else { return nil }
            return .range(base, bits: bits, port: nil)
        }
        let (host, port) = Self.split(text)
        if let octets = TLSHost.octets(of: String(host)).map(Self.unmapped) {
            return .range(octets, bits: octets.count * 8, port: port)
        }
        var name = host
        if name.hasPrefix("*.") { name = name.dropFirst(2) } else if name.hasPrefix(".") { name = name.dropFirst() }
        return name.isEmpty ? nil : .name(Self.name(name), port: port)
    }

    /// Takes `:port` and the brackets of IPv6 off.
    private static func split(_ text: Substring) -> (Substring, Int?) {
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            let after = text[text.index(after: end)...]
            let host = text[text.index(after: text.startIndex)..<end]
            return (host, after.hasPrefix(":") ? Int(after.dropFirst()) : nil)
        }
        guard let colon = text.lastIndex(of: ":"), text.firstIndex(of: ":") == colon,
            let port = Int(text[text.index(after: colon)...])
        else { return (text, nil) }
        return (text[..<colon], port)
    }

    private static func name(_ text: Substring) -> String {
        (text.hasSuffix(".") ? text.dropLast() : text).lowercased()
    }

    private static func isPrefix(_ base: [UInt8], _ bits: Int, of address: [UInt8]) -> Bool {
        guard base.count == address.count else { return false }
        let whole = bits / 8
        guard base[..<whole].elementsEqual(address[..<whole]) else { return false }
        guard bits % 8 > 0 else { return true }
        return (base[whole] ^ address[whole]) >> UInt8(8 - bits % 8) == 0
    }

    /// An IPv4-mapped IPv6 address as the IPv4 address that it is.
    private static func unmapped(_ octets: [UInt8]) -> [UInt8] {
        let isMapped =
            octets.count == 16 && octets[..<10].allSatisfy { $0 == 0 } && octets[10] == 255 && octets[11] == 255
        return isMapped ? Array(octets[12...]) : octets
    }
}
