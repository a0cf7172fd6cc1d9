/// Where recorded bodies hold placeholders: the values there are left out of a hash, since anything may stand there.
struct WildPlaces: Sendable {
    /// Whether a text without structure holds one.
    private(set) var isText = false

    /// Notes the placeholders of a recorded body.
    mutating func note(_ body: ComparableBody) {
        switch body {
        case .none, .hashed: break
        case .octets(let octets): if Placeholder.occurs(in: octets) { self.isText = true }
        }
    }
}

/// What a session leaves out when bodies are compared.
struct IgnoredPlaces: Sendable {
    /// Names of form fields and multipart parts.
    let formKeys: Set<Octets>

    init(_ rules: MatchRules) {
        self.formKeys = Set(rules.ignoredFormKeys.map { Octets($0.utf8) })
    }
}
