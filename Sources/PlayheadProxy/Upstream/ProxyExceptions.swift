/// The origins that `NO_PROXY` keeps away from a proxy.
///
/// There is no standard; what every common client understands is understood here: a name covers its subdomains, with
/// or without `.` or `*.` in front, each with an optional port; addresses, CIDR ranges, and `*` for everything.
public struct ProxyExceptions: Sendable, Equatable {
    private enum Rule: Sendable, Equatable {
        case everything
        case name(String, port: Int?)
        case range(AddressRange, port: Int?)
    }

    private let rules: [Rule]

    /// Reads a list, split at commas and white space; what cannot be an exception is left out.
    public init(_ text: String) {
        self.rules = text.split { $0 == "," || $0.isWhitespace }.compactMap { Self.rule($0) }
    }

    /// Whether an origin is reached directly.
    func match(host: String, port: Int) -> Bool {
        guard !self.rules.isEmpty else { return false }
        let name = Self.name(host[...])
        return self.rules.contains { rule in
            switch rule {
            case .everything: true
            case .name(let own, let ownPort):
                (ownPort ?? port) == port && (name == own || name.hasSuffix("." + own))
            case .range(let range, let ownPort): (ownPort ?? port) == port && range.contains(host)
            }
        }
    }

    private static func rule(_ text: Substring) -> Rule? {
        if text == "*" { return .everything }
        if text.contains("/") { return AddressRange(String(text)).map { .range($0, port: nil) } }
        let (host, port) = Self.split(text)
        if let range = AddressRange(String(host)) { return .range(range, port: port) }
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
}
