import PlayheadContent

/// Where recorded bodies hold placeholders: the values there are left out of a hash, since anything may stand there.
struct WildPlaces: Sendable {
    /// Whether a text without structure holds one.
    private(set) var isText = false
    /// Whether only a digest is known of some body.
    private(set) var hasDigests = false
    /// Hashes of the JSON places, with array positions left out, and of the names of form fields.
    private(set) var places: Set<UInt64> = []

    /// Notes the placeholders of a recorded body.
    mutating func note(_ body: BodyValue) {
        switch body {
        case .none: break
        case .hashed: self.hasDigests = true
        case .octets(let octets): if Placeholder.occurs(in: octets) { self.isText = true }
        case .json(let value): self.note(value, at: KeyHash())
        case .form(let pairs):
            for pair in pairs.pairs where Placeholder.occurs(in: pair.value) {
                self.places.insert(KeyHash.of(pair.name))
            }
        case .multipart(let parts): for part in parts { self.note(part.body) }
        }
    }

    private mutating func note(_ value: JSONValue, at place: KeyHash) {
        switch value {
        case .null, .bool, .number: break
        case .string(let text): if Placeholder.occurs(in: text) { self.places.insert(place.value) }
        case .array(let items): for item in items { self.note(item, at: place) }
        case .object(let members):
            for member in members { self.note(member.value, at: WildPlaces.place(member.key, in: place)) }
        }
    }

    /// The place of a member, one step deeper.
    static func place(_ key: String, in place: KeyHash) -> KeyHash {
        var deeper = place
        deeper.add(key)
        return deeper
    }
}

/// What a session leaves out when bodies are compared.
struct IgnoredPlaces: Sendable {
    /// Names of form fields and multipart parts.
    let formKeys: Set<Octets>
    /// Places in JSON.
    let jsonPaths: [JSONPathPattern]

    init(_ rules: MatchRules) {
        self.formKeys = Set(rules.ignoredFormKeys.map { Octets($0.utf8) })
        self.jsonPaths = rules.ignoredJSONPaths.compactMap { try? JSONPathPattern($0) }
    }
}
