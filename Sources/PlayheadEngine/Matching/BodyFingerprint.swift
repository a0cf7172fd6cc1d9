import PlayheadContent

extension ComparableBody {
    /// A hash that is equal for equal bodies; ignored places and those of placeholders are left out.
    func fingerprint(ignoring ignored: IgnoredPlaces, wild: WildPlaces) -> UInt64 {
        if case .none = self.value { return 0 }
        // A digest may stand for the same octets as a value, so beside one all bodies share a hash.
        return wild.hasDigests ? 1 : self.value.fingerprint(ignoring: ignored, wild: wild)
    }
}

extension BodyValue {
    /// A hash that is equal for equal bodies; ignored places and those of placeholders are left out.
    func fingerprint(ignoring ignored: IgnoredPlaces, wild: WildPlaces) -> UInt64 {
        var hash = KeyHash()
        switch self {
        case .none: return 0
        case .octets(let octets):
            if wild.isText { return 1 }
            hash.add(octets)
        case .hashed: return 1
        case .json(let value):
            var path: [JSONStep] = []
            hash.mix(BodyValue.hash(value, KeyHash(), &path, ignored, wild))
        case .form(let pairs):
            var sum: UInt64 = 0
            for pair in pairs.pairs where !ignored.formKeys.contains(pair.name) {
                let name = KeyHash.of(pair.name)
                sum &+= KeyHash.spread(name ^ (wild.places.contains(name) ? 0 : KeyHash.of(pair.value) | 1))
            }
            hash.mix(sum)
        case .multipart(let parts):
            var sum: UInt64 = 0
            for part in parts where !ignored.formKeys.contains(Octets(part.name.utf8)) {
                let name = KeyHash.of(part.name.utf8)
                sum &+= KeyHash.spread(name ^ KeyHash.spread(part.body.fingerprint(ignoring: ignored, wild: wild)))
            }
            hash.mix(sum)
        }
        return hash.value | 2
    }

    private static func hash(
        _ value: JSONValue, _ place: KeyHash, _ path: inout [JSONStep], _ ignored: IgnoredPlaces, _ wild: WildPlaces
    ) -> UInt64 {
        if !ignored.jsonPaths.isEmpty, ignored.jsonPaths.contains(where: { $0.matches(path) }) { return 0 }
        if !wild.places.isEmpty, wild.places.contains(place.value) { return 0 }
        switch value {
        case .null: return 3
        case .bool(let value): return value ? 4 : 5
        case .number(let text): return KeyHash.of(text.utf8) | 1
        case .string(let text): return KeyHash.of(text.utf8) &* 2 | 1
        case .array(let items):
            var hash = KeyHash()
            for (number, item) in items.enumerated() {
                path.append(.position(number))
                hash.mix(BodyValue.hash(item, place, &path, ignored, wild))
                path.removeLast()
            }
            return hash.value | 1
        case .object(let members):
            var sum: UInt64 = 7
            for member in members {
                path.append(.key(member.key))
                let inner = BodyValue.hash(
                    member.value, WildPlaces.place(member.key, in: place), &path, ignored, wild)
                path.removeLast()
                // An ignored member may be missing on one side; it must not count at all.
                if inner != 0 { sum &+= KeyHash.spread(KeyHash.of(member.key.utf8) ^ KeyHash.spread(inner)) }
            }
            return sum | 1
        }
    }
}
