import PlayheadHTTP

/// Compares the names inside a tunnel with the one that it was asked for by.
enum TunnelNames {
    /// What to tell people when a request inside a tunnel names another host; nil when it does not.
    static func warning(_ door: Door, _ head: RequestHead) -> String? {
        guard case .tunnel(let authority, _) = door, let index = head.headers.firstIndex(of: "host") else { return nil }
        let isSame = head.headers.withValue(at: index) { $0.elementsEqual(authority.host.utf8) }
        guard !isSame, let named = try? RequestTarget.parseAuthority(head.headers.value(at: index)).host,
            named != authority.host
        else { return nil }
        let isAddress = authority.host.utf8.allSatisfy { (0x30...0x3A).contains($0) || $0 == 0x2E }
        let advice = isAddress ? " Let the proxy resolve names, as socks5h:// does." : ""
        return "a request in the tunnel to \(authority.description) names the host \(named): it went to "
            + "\(authority.host), and stands under that name in the cassette.\(advice)"
    }
}
