/// The names by which rules know secrets, in tables that are asked for every field.
struct SecretNames: Sendable {
    /// A rule as far as a finding needs it.
    struct Finding: Sendable, Hashable {
        var rule: String
        var minimumLength: Int
    }

    private var headers: [String: Finding] = [:]
    private var headerWords: [(word: Octets, finding: Finding)] = []
    private var queryNames: [Octets: Finding] = [:]
    private var bodyKeys: [Octets: Finding] = [:]
    private var bodyKeyEndings: [(ending: Octets, finding: Finding)] = []
    private var longestKey = 0

    /// Response fields that hold a word of a secret but are a challenge, a policy or a count.
    private static let harmlessHeaders: Set<String> = [
        "www-authenticate", "proxy-authenticate", "authority", "x-author", "author", "session-ticket-hint",
        "x-auth-type", "x-auth-request-redirect",
    ]

    init(_ rules: [RedactionRule]) {
        for rule in rules {
            let finding = Finding(rule: rule.name, minimumLength: max(1, rule.minimumLength))
            for name in rule.headers { self.headers[asciiLowercased(name)] = finding }
            for word in rule.headerWords { self.headerWords.append((Octets(asciiLowercased(word).utf8), finding)) }
            for name in rule.queryNames { self.queryNames[SecretNames.folded(Octets(name.utf8))] = finding }
            for key in rule.bodyKeys { self.bodyKeys[SecretNames.folded(Octets(key.utf8))] = finding }
            for ending in rule.bodyKeyEndings {
                self.bodyKeyEndings.append((SecretNames.folded(Octets(ending.utf8)), finding))
            }
        }
        self.longestKey = 128
    }

    /// The rule for a header name, in any letter case.
    func header(_ name: String) -> Finding? {
        let name = asciiLowercased(name)
        if let finding = self.headers[name] { return finding }
        if SecretNames.harmlessHeaders.contains(name) || name.hasPrefix("access-control-") { return nil }
        let octets = Octets(name.utf8)
        if contains(name, "ratelimit") || contains(name, "rate-limit") { return nil }
        return self.headerWords.first { firstIndex(of: $0.word, in: octets) != nil }?.finding
    }

    /// The rule for a decoded query name.
    func query(_ name: Octets) -> Finding? {
        guard name.count <= self.longestKey else { return nil }
        return self.queryNames[SecretNames.folded(name)]
            ?? SecretNames.innermost(name).flatMap { self.queryNames[SecretNames.folded($0)] }
    }

    /// The rule for a key of a body.
    func bodyKey(_ key: Octets) -> Finding? {
        guard key.count <= self.longestKey, !key.isEmpty else { return nil }
        let folded = SecretNames.folded(key)
        if let finding = self.bodyKeys[folded] { return finding }
        return self.bodyKeyEndings.first {
            folded.count > $0.ending.count && folded.suffix($0.ending.count) == $0.ending[...]
        }?
        .finding
    }

    /// The rule for a field of a form: what is secret in a query or under a key.
    func formField(_ name: Octets) -> Finding? {
        self.query(name) ?? self.bodyKey(name) ?? SecretNames.innermost(name).flatMap { self.bodyKey($0) }
    }

    /// `password` of `user[password]` or `user[password][]`, as Rails, PHP and Node write what is nested.
    private static func innermost(_ name: Octets) -> Octets? {
        var rest = name[...]
        while rest.last == UInt8(ascii: "]"), let open = rest.lastIndex(of: UInt8(ascii: "[")) {
            let key = rest[(open + 1)..<(rest.endIndex - 1)]
            if !key.isEmpty { return Octets(key) }
            rest = rest[..<open]
        }
        return rest.count < name.count ? Octets(rest) : nil
    }

    /// A name without `-`, `_` and letter case.
    private static func folded(_ name: Octets) -> Octets {
        var result = Octets()
        result.reserveCapacity(name.count)
        for octet in name where octet != UInt8(ascii: "-") && octet != UInt8(ascii: "_") {
            result.append(lowercased(octet))
        }
        return result
    }
}
