/// A host as a rule names it: `api.example.com`, `*.example.com`, either with an optional `:port`.
///
/// `*` alone means every host; `*.example.com` means the hosts below, not `example.com` itself.
public struct HostPattern: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: Sendable, Hashable {
        case any
        case exact(String)
        case below(String)
    }

    private let kind: Kind
    private let port: Int?

    /// Reads a pattern.
    ///
    /// - Throws: ``EngineError`` when the text is no host, names no port after the colon, or has a star elsewhere.
    public init(_ text: String) throws {
        var host = Substring(text)
        var port: Int?
        if host.first == "[" {
            guard let end = host.firstIndex(of: "]") else { throw HostPattern.refused(text) }
            let rest = host[host.index(after: end)...]
            host = host[host.index(after: host.startIndex)..<end]
            if !rest.isEmpty {
                guard rest.first == ":", let number = HostPattern.port(rest.dropFirst()) else {
                    throw HostPattern.refused(text)
                }
                port = number
            }
        } else if let colon = host.lastIndex(of: ":"), host.firstIndex(of: ":") == colon {
            guard let number = HostPattern.port(host[host.index(after: colon)...]) else {
                throw HostPattern.refused(text)
            }
            port = number
            host = host[..<colon]
        }
        guard host != "*." else { throw HostPattern.refused(text) }
        let name = Origin.normalizedHost(String(host))
        self.port = port
        if name == "*" {
            self.kind = .any
        } else if name.hasPrefix("*.") {
            let suffix = String(name.dropFirst(1))
            guard suffix.utf8.count > 1, HostPattern.isName(suffix.dropFirst()) else { throw HostPattern.refused(text) }
            self.kind = .below(suffix)
        } else {
            guard HostPattern.isName(Substring(name)) else { throw HostPattern.refused(text) }
            self.kind = .exact(name)
        }
    }

    /// Whether a host and port are meant; the host in any letter case, with or without a trailing dot.
    public func matches(host: String, port: Int) -> Bool {
        if let own = self.port, own != port { return false }
        switch self.kind {
        case .any: return true
        case .exact(let name): return Origin.normalizedHost(host) == name
        case .below(let suffix):
            let name = Origin.normalizedHost(host)
            return name.utf8.count > suffix.utf8.count && name.hasSuffix(suffix)
        }
    }

    /// The pattern as text.
    public var description: String {
        let name =
            switch self.kind {
            case .any: "*"
            case .exact(let name): name.contains(":") ? "[\(name)]" : name
            case .below(let suffix): "*\(suffix)"
            }
        return self.port.map { "\(name):\($0)" } ?? name
    }

    private static func port(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Int(text),
            number > 0, number < 65536
        else { return nil }
        return number
    }

    private static func isName(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { octet in
                octet > 0x20 && octet != 0x7F && octet != UInt8(ascii: "*") && octet != UInt8(ascii: "/")
                    && octet != UInt8(ascii: "@") && octet != UInt8(ascii: "?") && octet != UInt8(ascii: "#")
            }
    }

    private static func refused(_ text: String) -> EngineError {
        EngineError(
            .badHostPattern,
            "\"\(text)\" is no host pattern; write api.example.com, *.example.com or either with :port")
    }
}
