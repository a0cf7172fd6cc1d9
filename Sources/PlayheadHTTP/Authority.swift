/// A host with an optional port, as it stands in `Host`, in a CONNECT target and in absolute targets.
///
/// Only what a name server or an address parser can use passes: letters, digits, `-`, `.`, `_`, `~`, and IPv6
/// literals without a zone. Percent-encoding, sub-delimiters, wildcards and raw Unicode do not.
struct Authority: Equatable {
    /// Lower case; an IPv6 literal is without its brackets.
    var host: String
    var port: Int?
    var isIPv6Literal: Bool

    /// Where the parts of a well-formed authority lie in its octets.
    private struct Layout {
        var host: Range<Int>
        var port: Int?
        var isIPv6Literal: Bool
    }

    private enum Scan {
        case layout(Layout)
        case fault(HTTP1Error.Code)
    }

    static func parse(_ octets: UnsafeRawBufferPointer) throws(HTTP1Error) -> Authority {
        switch Self.scan(octets) {
        case .fault(let code):
            throw HTTP1Error(code)
        case .layout(let layout):
            let host = UnsafeRawBufferPointer(rebasing: octets[layout.host])
            let text = String(unsafeUninitializedCapacity: host.count) { target in
                for index in 0..<host.count { target[index] = lowercased(host[index]) }
                return host.count
            }
            return Authority(host: text, port: layout.port, isIPv6Literal: layout.isIPv6Literal)
        }
    }

    /// Whether octets are a host with an optional port; makes no text.
    static func isValid(_ octets: UnsafeRawBufferPointer) -> Bool {
        switch Self.scan(octets) {
        case .layout: true
        case .fault: false
        }
    }

    private static func scan(_ octets: UnsafeRawBufferPointer) -> Scan {
        guard let first = octets.first else { return .fault(.badAuthority) }
        var end = 0
        var host: Range<Int>
        let isLiteral = first == UInt8(ascii: "[")
        if isLiteral {
            guard let close = octets.firstIndex(of: UInt8(ascii: "]")) else { return .fault(.badAuthority) }
            host = 1..<close
            guard IPv6Text.isValid(UnsafeRawBufferPointer(rebasing: octets[host])) else {
                return .fault(.badAuthority)
            }
            end = close + 1
        } else {
            guard let nameEnd = Self.endOfName(octets) else { return .fault(.badAuthority) }
            host = 0..<nameEnd
            end = nameEnd
        }
        if end == octets.count { return .layout(Layout(host: host, port: nil, isIPv6Literal: isLiteral)) }
        guard octets[end] == Octets.colon else { return .fault(.badAuthority) }
        end += 1
        // An empty port is legal and means the default (RFC 3986 section 3.2.3).
        if end == octets.count { return .layout(Layout(host: host, port: nil, isIPv6Literal: isLiteral)) }
        guard let port = Self.port(UnsafeRawBufferPointer(rebasing: octets[end...])) else { return .fault(.badPort) }
        return .layout(Layout(host: host, port: port, isIPv6Literal: isLiteral))
    }

    /// The end of a name of labels (1 to 63 octets, 253 in all, one trailing dot allowed); nil when it is none.
    private static func endOfName(_ octets: UnsafeRawBufferPointer) -> Int? {
        var index = 0
        var label = 0
        while index < octets.count, Octets.isHostName(octets[index]) {
            if octets[index] == UInt8(ascii: ".") {
                guard label > 0 else { return nil }
                label = 0
            } else {
                label += 1
                guard label <= 63 else { return nil }
            }
            index += 1
        }
        guard index > 0, index - (label == 0 ? 1 : 0) <= 253 else { return nil }
        return index
    }

    private static func port(_ digits: UnsafeRawBufferPointer) -> Int? {
        guard digits.count <= 5 else { return nil }
        var value = 0
        for digit in digits {
            guard Octets.isDigit(digit) else { return nil }
            value = value * 10 + Int(digit & 0x0F)
        }
        return (1...65535).contains(value) ? value : nil
    }
}
