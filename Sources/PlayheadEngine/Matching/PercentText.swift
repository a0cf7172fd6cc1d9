/// Percent-encoding as far as comparing needs it (RFC 3986 section 2.1).
enum PercentText {
    /// Decodes a query or form name or value: `%41` and `+` (a space); a broken escape stays as it is.
    static func decoded(_ octets: some RandomAccessCollection<UInt8>) -> Octets {
        var result = Octets()
        result.reserveCapacity(octets.count)
        forEachDecoded(octets) { result.append($0) }
        return result
    }

    /// Calls `body` with each octet of a decoded name or value.
    @inline(__always)
    static func forEachDecoded(_ octets: some RandomAccessCollection<UInt8>, _ body: (UInt8) -> Void) {
        var index = octets.startIndex
        let end = octets.endIndex
        while index < end {
            let octet = octets[index]
            let next = octets.index(after: index)
            if octet == UInt8(ascii: "%"), let (value, after) = escape(octets, next) {
                body(value)
                index = after
                continue
            }
            body(octet == UInt8(ascii: "+") ? UInt8(ascii: " ") : octet)
            index = next
        }
    }

    /// Decodes one segment of a path; `+` stays a plus.
    static func decodedSegment(_ octets: some RandomAccessCollection<UInt8>) -> Octets {
        guard octets.contains(UInt8(ascii: "%")) else { return Octets(octets) }
        var result = Octets()
        var index = octets.startIndex
        while index < octets.endIndex {
            if octets[index] == UInt8(ascii: "%"), let (value, after) = escape(octets, octets.index(after: index)) {
                result.append(value)
                index = after
            } else {
                result.append(octets[index])
                index = octets.index(after: index)
            }
        }
        return result
    }

    /// A path in its normal form: every escape decoded but those of `/` and `%`, which keep their meaning.
    static func normalizedPath(_ octets: some RandomAccessCollection<UInt8>) -> Octets {
        var result = Octets()
        result.reserveCapacity(octets.count)
        forEachNormalized(octets) { result.append($0) }
        return result
    }

    /// Calls `body` with each octet of a path's normal form.
    @inline(__always)
    static func forEachNormalized(_ octets: some RandomAccessCollection<UInt8>, _ body: (UInt8) -> Void) {
        var index = octets.startIndex
        let end = octets.endIndex
        while index < end {
            let octet = octets[index]
            let next = octets.index(after: index)
            if octet == UInt8(ascii: "%"), let (value, after) = escape(octets, next) {
                if value == UInt8(ascii: "/") || value == UInt8(ascii: "%") {
                    body(UInt8(ascii: "%"))
                    body(UInt8(ascii: "2"))
                    body(value == UInt8(ascii: "/") ? UInt8(ascii: "F") : UInt8(ascii: "5"))
                } else {
                    body(value)
                }
                index = after
                continue
            }
            body(octet)
            index = next
        }
    }

    @inline(__always)
    private static func escape<Text: RandomAccessCollection<UInt8>>(
        _ octets: Text, _ start: Text.Index
    ) -> (UInt8, Text.Index)? {
        guard start < octets.endIndex, let high = hexValue(octets[start]) else { return nil }
        let second = octets.index(after: start)
        guard second < octets.endIndex, let low = hexValue(octets[second]) else { return nil }
        return (high << 4 | low, octets.index(after: second))
    }
}
