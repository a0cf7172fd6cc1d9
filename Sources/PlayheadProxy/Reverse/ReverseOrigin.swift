import PlayheadHTTP

/// The server that a reverse port stands for.
public struct ReverseOrigin: Sendable, Equatable, CustomStringConvertible {
    /// `http` or `https`.
    public let scheme: String
    /// Lower case, without brackets.
    public let host: String
    /// The port that is connected to.
    public let port: Int
    /// What stands in front of the path of every request; empty, or `/…` without a slash at its end.
    let basePath: String

    /// Reads `http://HOST[:PORT][/PATH]` or `https://…`; nil for anything else.
    public init?(_ url: String) {
        guard let target = try? RequestTarget.parse(url, method: "GET"), target.form == .absolute,
            !target.namesWebSocket,
            let scheme = target.scheme, let port = target.effectivePort, target.userinfo == nil,
            !target.pathAndQuery.contains("?")
        else { return nil }
        self.scheme = scheme
        self.host = target.host
        self.port = port
        var path = target.pathAndQuery[...]
        while path.hasSuffix("/") { path.removeLast() }
        self.basePath = String(path)
    }

    /// The URL without a slash at its end.
    public var description: String { "\(self.root)\(self.basePath)" }

    /// The text for `Host`: the port is left out where it is the scheme's own.
    var authority: String {
        let text = Authority(host: self.host, port: self.port).description
        let isDefault = self.port == RequestIntent.defaultPort(self.scheme)
        return isDefault ? String(text.dropLast(":\(self.port)".utf8.count)) : text
    }

    /// Scheme and authority, as `Origin` has them (RFC 6454 section 6.2).
    var root: String { "\(self.scheme)://\(self.authority)" }

    /// The target that the server gets for one that a client sent us.
    func target(for path: String) -> String {
        guard path == "*" else { return self.basePath + path }
        return self.basePath.isEmpty ? "*" : self.basePath
    }

    /// The path that leads a client to a path of the server; nil when none does.
    func localPath(for path: Substring) -> Substring? {
        guard path.hasPrefix(self.basePath) else { return nil }
        let rest = path.dropFirst(self.basePath.count)
        guard let next = rest.first else { return self.basePath.isEmpty ? rest : "/" }
        if next == "/" { return rest }
        guard next == "?" || next == "#" else { return self.basePath.isEmpty ? rest : nil }
        return "/" + rest
    }
}

/// Where to listen for requests to one server.
public struct ReverseListener: Sendable, Equatable {
    /// Where clients come to.
    public var address: ListenAddress
    /// The server that they mean.
    public var origin: ReverseOrigin

    /// Creates a listener.
    public init(address: ListenAddress, origin: ReverseOrigin) {
        self.address = address
        self.origin = origin
    }
}
