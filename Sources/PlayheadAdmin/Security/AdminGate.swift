import PlayheadHTTP

/// Decides from a request's head alone whether the admin API listens to it at all.
///
/// A web page that is open in the user's browser can send requests here; it must neither read nor change anything:
///
/// - `Host` must be a name that we answer to, so that a name under the page's control that resolves to this machine
///   (DNS rebinding) is refused.
/// - `Origin` and `Sec-Fetch-Site` must not tell of another site.
/// - The token must be there. A page does not know it, and a browser does not send it by itself.
struct AdminGate: Sendable {
    /// Why a request is not listened to.
    struct Refusal: Equatable {
        var status: Int
        var reason: String
    }

    /// The names that we answer to, beside loopback ones and the literal addresses; lower case.
    let hosts: Set<String>
    let token: AdminToken
    /// The paths that need no token: they tell nothing that the proxy's clients do not know.
    let open: Set<String>

    init(token: AdminToken, hosts: [String] = [], opensMetrics: Bool = false) {
        self.token = token
        self.hosts = Set(hosts.map { $0.lowercased() })
        self.open = Set(["/healthz", "/readyz", "/ca.pem"]).union(opensMetrics ? ["/metrics"] : [])
    }

    /// Nil when the request may go on.
    func refusal(of head: RequestHead) -> Refusal? {
        if let refusal = self.wrongHost(head) { return refusal }
        if let refusal = self.foreign(head) { return refusal }
        let path = head.target.prefix { $0 != "?" }
        if self.open.contains(String(path)), head.method == "GET" || head.method == "HEAD" { return nil }
        let given = head.headers.values("authorization")
        guard given.count == 1, let value = given.first, value.lowercased().hasPrefix("bearer "),
            self.token.equals(String(value.dropFirst(7)))
        else {
            return Refusal(
                status: 401,
                reason:
                    "The admin API needs the token: send `Authorization: Bearer TOKEN`, with the text of the file that "
                    + "`serve` names as admin_token_file.")
        }
        return nil
    }

    private func wrongHost(_ head: RequestHead) -> Refusal? {
        guard head.target.hasPrefix("/") else {
            return Refusal(status: 400, reason: "This is playhead's admin API, which is no proxy.")
        }
        let hosts = head.headers.values("host")
        guard hosts.count == 1, let text = hosts.first, let (host, _) = try? RequestTarget.parseAuthority(text) else {
            return Refusal(status: 400, reason: "The admin API needs one Host field with a valid name.")
        }
        guard self.answers(to: host) else {
            return Refusal(
                status: 421,
                reason: "The admin API does not answer to the name \(host). Use its address, or start `serve` with "
                    + "--admin-host \(host).")
        }
        return nil
    }

    /// A literal address cannot be rebound, so any is good: the request did arrive here.
    private func answers(to host: String) -> Bool {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        return name == "localhost" || Self.isLiteral(name) || self.hosts.contains(name)
    }

    static func isLiteral(_ host: String) -> Bool {
        if host.utf8.contains(0x3A) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil && !$0.hasPrefix("+") }
    }

    private func foreign(_ head: RequestHead) -> Refusal? {
        let site = head.headers.values("sec-fetch-site").map { $0.lowercased() }
        if site.contains(where: { $0 != "same-origin" && $0 != "none" }) {
            return Refusal(status: 403, reason: "The admin API does not answer requests of other sites.")
        }
        let origins = head.headers.values("origin")
        guard !origins.isEmpty else { return nil }
        guard origins.count == 1, let host = head.headers.first("host"),
            origins[0].lowercased() == "http://\(host.lowercased())"
        else { return Refusal(status: 403, reason: "The admin API does not answer requests of other origins.") }
        return nil
    }
}
