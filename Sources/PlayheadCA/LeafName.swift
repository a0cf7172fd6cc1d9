internal import PlayheadTLS

/// A name for which a leaf certificate may be made: the door through which every name of a client comes.
///
/// Either a DNS name as ASCII A-labels in lower case without final dot, or an address. Wildcards, controls, white
/// space, separators, empty or long labels, zones and number forms such as `127.1` are refused.
public struct LeafName: Hashable, Sendable, CustomStringConvertible {
    /// What kind of name it is.
    public enum Kind: Hashable, Sendable {
        /// A DNS name.
        case dns
        /// An IPv4 or IPv6 address as its 4 or 16 octets.
        case address([UInt8])
    }

    /// The kind of the name.
    public let kind: Kind

    /// The name in its one spelling: lower case, without final dot, without brackets.
    public let text: String

    /// The name in its one spelling.
    public var description: String { text }

    /// The most octets of a DNS name in text form (RFC 1035 section 2.3.4).
    static let longestName = 253
    /// The most octets of a label.
    static let longestLabel = 63

    /// Checks a host as a client gave it in CONNECT or SNI.
    public static func validated(_ host: String) throws -> LeafName {
        if let address = try address(host) { return address }
        var octets = Array(host.utf8)
        if octets.count > 1, octets.last == UInt8(ascii: ".") { octets.removeLast() }
        guard !octets.isEmpty else { throw refused(host, "it is empty") }
        guard octets.count <= longestName else { throw refused(host, "it is longer than \(longestName) octets") }
        var labelLength = 0
        for index in octets.indices {
            let octet = octets[index]
            switch octet {
            case UInt8(ascii: "."):
                guard labelLength > 0 else { throw refused(host, "it has an empty label") }
                labelLength = 0
                continue
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): octets[index] = octet | 0x20
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                break
            case 0x80...0xFF: throw refused(host, "it is not ASCII: give international names as A-labels (xn--…)")
            case UInt8(ascii: "*"): throw refused(host, "it is a wildcard")
            default: throw refused(host, "it has a character that no host name has")
            }
            labelLength += 1
            guard labelLength <= longestLabel else {
                throw refused(host, "it has a label of more than \(longestLabel) octets")
            }
        }
        guard labelLength > 0 else { throw refused(host, "it has an empty label") }
        guard !isNumeric(octets.split(separator: UInt8(ascii: ".")).last ?? []) else {
            throw refused(host, "its last label is a number, and it is no address in the usual form")
        }
        return LeafName(kind: .dns, text: String(decoding: octets, as: UTF8.self))
    }

    private static func address(_ host: String) throws -> LeafName? {
        var literal = Substring(host)
        let bracketed = literal.first == "["
        if bracketed {
            guard literal.last == "]" else { throw refused(host, "its bracket is not closed") }
            literal = literal.dropFirst().dropLast()
        }
        guard !literal.utf8.contains(UInt8(ascii: "%")) else { throw refused(host, "it has a zone or an escape") }
        // A NUL would end the text for the C function that reads it.
        if !literal.utf8.contains(0), let octets = TLSHost.octets(of: String(literal)) {
            guard !bracketed || octets.count == 16 else { throw refused(host, "only IPv6 stands in brackets") }
            return LeafName(kind: .address(octets), text: literal.lowercased())
        }
        guard !bracketed, !literal.utf8.contains(UInt8(ascii: ":")) else {
            throw refused(host, "it is no IPv6 address")
        }
        return nil
    }

    /// Whether URL parsers would take a name with this last label for an IPv4 address (WHATWG URL, "ends in a number").
    private static func isNumeric(_ label: ArraySlice<UInt8>) -> Bool {
        if label.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) { return true }
        guard label.starts(with: [UInt8(ascii: "0"), UInt8(ascii: "x")]) else { return false }
        return label.dropFirst(2).allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
    }

    /// The error, with the name in a form that is safe to print.
    private static func refused(_ host: String, _ why: String) -> CAError {
        let shown = host.unicodeScalars.prefix(80)
            .map { (0x20...0x7E).contains($0.value) ? String($0) : "\\u{\(String($0.value, radix: 16))}" }.joined()
        return CAError(code: .illegalName, message: "no certificate is made for “\(shown)”: \(why)")
    }
}
