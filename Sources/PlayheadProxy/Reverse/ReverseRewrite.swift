import PlayheadHTTP

/// Puts the addresses in one exchange across: the client knows the server as a port of ours.
///
/// Only fields are changed, never bodies, and only on the client's side of the recording: the cassette holds what the
/// server said, as if a forward proxy had recorded it.
struct ReverseRewrite: Sendable {
    private let origin: ReverseOrigin
    private let all: [ReversePort]
    private let isSecure: Bool
    /// What the client wrote into `Host`.
    private let authority: String
    /// The same without the port.
    private let host: Substring

    init(door: ReverseDoor, authority: String) {
        self.origin = door.origin
        self.all = door.all
        self.isSecure = door.isSecure
        self.authority = authority
        let name = authority.utf8.last == UInt8(ascii: "]") ? authority.endIndex : authority.lastIndex(of: ":")
        self.host = authority[..<(name ?? authority.endIndex)]
    }

    // MARK: to the server

    /// Makes a request one to the server: `Host`, and what names us in `Origin` and `Referer`.
    func request(_ head: inout RequestHead) {
        head.headers.set("Host", self.origin.authority)
        for field in ["origin", "referer"] {
            guard let index = head.headers.firstIndex(of: field),
                let url = self.serversURL(head.headers.value(at: index), isOrigin: field == "origin")
            else { continue }
            head.headers.setValue(at: index, url)
        }
    }

    private func serversURL(_ text: String, isOrigin: Bool) -> String? {
        guard let url = AbsoluteURL(text), url.scheme == (self.isSecure ? "https" : "http") else { return nil }
        let origin =
            url.authority.lowercased() == self.authority.lowercased()
            ? self.origin
            : self.all.first { "\(self.host):\($0.port)".lowercased() == url.authority.lowercased() }?.origin
        guard let origin else { return nil }
        return isOrigin ? origin.root : origin.root + origin.target(for: url.rest.isEmpty ? "/" : String(url.rest))
    }

    // MARK: to the client

    /// Makes a response one of this port: where it leads to, and its cookies.
    func response(_ headers: inout HeaderList) {
        for index in headers.indices {
            let value = headers.value(at: index)
            let changed: String?
            switch headers.name(at: index).lowercased() {
            case "location", "content-location": changed = self.localURL(value[...])
            case "refresh": changed = self.refresh(value)
            case "link": changed = self.links(value)
            case "set-cookie": changed = self.cookie(value)
            default: continue
            }
            if let changed, changed != value { headers.setValue(at: index, changed) }
        }
    }

    /// The URL under which the client finds a page of the server; nil when the URL stays as it is.
    func localURL(_ text: Substring) -> String? {
        if text.hasPrefix("/"), !text.hasPrefix("//") {
            guard let path = self.origin.localPath(for: text) else { return self.origin.root + text }
            return String(path)
        }
        let whole = text.hasPrefix("//") ? self.origin.scheme + ":" + text : String(text)
        guard let url = AbsoluteURL(whole), let (host, port) = try? RequestTarget.parseAuthority(url.authority) else {
            return nil
        }
        let own = ReversePort(port: 0, origin: self.origin)
        for place in [own] + self.all
        where place.origin.scheme == url.scheme && place.origin.host == host
            && place.origin.port == port ?? RequestIntent.defaultPort(url.scheme)
        {
            guard let path = place.origin.localPath(for: url.rest) else { continue }
            let authority = place.port == 0 ? self.authority : "\(self.host):\(place.port)"
            return (self.isSecure ? "https://" : "http://") + authority + path
        }
        return nil
    }

    /// `5; url=https://…`, which is no standard but old custom.
    private func refresh(_ value: String) -> String? {
        let lower = value.lowercased()
        guard let mark = lower.firstRange(of: "url="), lower.utf8.count == value.utf8.count else { return nil }
        let offset = lower.utf8.distance(from: lower.startIndex, to: mark.upperBound)
        let start = value.utf8.index(value.startIndex, offsetBy: offset)
        return self.localURL(value[start...]).map { value[..<start] + $0 }
    }

    /// The targets of `Link` stand between `<` and `>` (RFC 8288 section 3).
    private func links(_ value: String) -> String {
        value.split(separator: "<", omittingEmptySubsequences: false).enumerated().map { index, part in
            guard index > 0, let end = part.firstIndex(of: ">"), let url = self.localURL(part[..<end]) else {
                return String(part)
            }
            return url + part[end...]
        }.joined(separator: "<")
    }

    /// A cookie that a client keeps for this port: without the server's domain, and without `Secure` where it has no TLS.
    private func cookie(_ value: String) -> String {
        let parts = value.split(separator: ";", omittingEmptySubsequences: false)
        guard let pair = parts.first else { return value }
        // Browsers take these names with `Secure` alone, and on localhost without TLS too.
        let needsSecure = ["__secure-", "__host-"].contains { pair.trimmed.lowercased().hasPrefix($0) }
        let losesSecure = !self.isSecure && !needsSecure
        var kept = [String(pair)]
        for part in parts.dropFirst() {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(\.trimmed)
            let argument = sides.count > 1 ? sides[1] : ""
            switch sides.first?.lowercased() {
            case "domain" where self.covers(argument): continue
            case "secure" where losesSecure, "partitioned" where losesSecure: continue
            case "samesite" where losesSecure && argument.lowercased() == "none": continue
            case "path" where !self.origin.basePath.isEmpty:
                let isAbove = (self.origin.basePath + "/").hasPrefix(
                    argument.hasSuffix("/") ? argument : argument + "/")
                let path = isAbove ? "/" : self.origin.localPath(for: argument) ?? argument
                kept.append(" Path=\(path)")
            default: kept.append(String(part))
            }
        }
        return kept.joined(separator: ";")
    }

    /// Whether a cookie's domain is the server's name or one above it (RFC 6265 section 5.1.3).
    private func covers(_ domain: Substring) -> Bool {
        let name = (domain.hasPrefix(".") ? domain.dropFirst() : domain).lowercased()
        return self.origin.host == name || self.origin.host.hasSuffix("." + name)
    }
}

/// A URL with a scheme and a host, cut into its parts.
private struct AbsoluteURL {
    let scheme: String
    let authority: String
    /// Path, query and fragment.
    let rest: Substring

    init?(_ text: String) {
        guard let mark = text.firstRange(of: "://") else { return nil }
        self.scheme = text[..<mark.lowerBound].lowercased()
        let after = text[mark.upperBound...]
        let end = after.firstIndex { "/?#".contains($0) } ?? after.endIndex
        guard self.scheme == "http" || self.scheme == "https", end > after.startIndex else { return nil }
        self.authority = String(after[..<end])
        self.rest = after[end...]
    }
}

extension Substring {
    /// Without spaces at either end.
    fileprivate var trimmed: Substring {
        var rest = self
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return rest
    }
}
