#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A host as TLS sees it: a DNS name, which goes into SNI, or an address, which never does (RFC 6066 section 3).
package enum TLSHost: Hashable, Sendable {
    /// A name without its final dot.
    case name(String)
    /// The 4 or 16 octets of an address.
    case address([UInt8])

    /// Reads a name or an address literal; IPv6 with or without brackets, a zone is dropped.
    package init(_ text: String) {
        var literal = Substring(text)
        if literal.first == "[", literal.last == "]" { literal = literal.dropFirst().dropLast() }
        if literal.contains(":"), let zone = literal.firstIndex(of: "%") { literal = literal[..<zone] }
        if let octets = TLSHost.octets(of: String(literal)) {
            self = .address(octets)
        } else {
            self = .name(text.last == "." ? String(text.dropLast()) : text)
        }
    }

    /// The octets of an address literal in its strict form, nil for anything else.
    package static func octets(of literal: String) -> [UInt8]? {
        var four = in_addr()
        if inet_pton(AF_INET, literal, &four) == 1 { return withUnsafeBytes(of: &four) { Array($0) } }
        var sixteen = in6_addr()
        if inet_pton(AF_INET6, literal, &sixteen) == 1 { return withUnsafeBytes(of: &sixteen) { Array($0) } }
        return nil
    }
}
