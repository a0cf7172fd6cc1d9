/// A content coding that can be taken off and put on again (RFC 9110 section 8.4.1).
public enum ContentCoding: String, CaseIterable, Sendable {
    /// The gzip format (RFC 1952).
    case gzip
    /// The zlib format (RFC 1950); raw deflate data is accepted when decoding, as many servers send it.
    case deflate
    /// Brotli (RFC 7932).
    case br
    /// Zstandard (RFC 8878).
    case zstd

    /// The codings that a `Content-Encoding` value names, in the order they were applied.
    ///
    /// `identity` is left out, `x-gzip` is gzip. The result is nil if one of them is unknown.
    public static func list(fromHeader value: String) -> [ContentCoding]? {
        var codings: [ContentCoding] = []
        for member in value.split(separator: ",") {
            let name = trimmedToken(member)
            switch name {
            case "", "identity": continue
            case "x-gzip": codings.append(.gzip)
            default:
                guard let coding = ContentCoding(rawValue: name) else { return nil }
                codings.append(coding)
            }
        }
        return codings
    }
}

/// A token without white space around it, in lower case.
func trimmedToken(_ text: Substring) -> String {
    var rest = text.utf8[...]
    while let first = rest.first, first == 0x20 || first == 0x09 { rest.removeFirst() }
    while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
    return String(Substring(rest)).lowercased()
}
