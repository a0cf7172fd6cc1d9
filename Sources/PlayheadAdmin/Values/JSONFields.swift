import PlayheadContent

/// The members of a JSON object, read strictly: an unknown key or a value of another type is an error that names it.
struct JSONFields {
    private let value: JSONValue
    /// What the object is, for messages, such as `mocks[0].response`.
    private let place: String

    /// - Throws: `AdminError` 422 when it is no object, or has a key that is not known or comes twice.
    init(_ value: JSONValue, in place: String = "", known: Set<String>) throws(AdminError) {
        guard case .object(let members) = value else {
            throw AdminError(422, "\(place.isEmpty ? "The body" : place) must be a JSON object.")
        }
        var seen: Set<String> = []
        for member in members {
            let name = place.isEmpty ? member.key : "\(place).\(member.key)"
            guard known.contains(member.key) else {
                throw AdminError(422, "\(name) is unknown; known are \(known.sorted().joined(separator: ", ")).")
            }
            guard seen.insert(member.key).inserted else { throw AdminError(422, "\(name) comes twice.") }
        }
        self.value = value
        self.place = place
    }

    /// The name of a member for messages.
    func path(_ key: String) -> String { self.place.isEmpty ? key : "\(self.place).\(key)" }

    /// A member as it is; nil when it is absent.
    ///
    /// `null` is a value like others: no field of the API takes it.
    subscript(key: String) -> JSONValue? { self.value[key] }

    func string(_ key: String) throws(AdminError) -> String? {
        guard let value = self[key] else { return nil }
        guard case .string(let text) = value else { throw AdminError(422, "\(self.path(key)) must be a string.") }
        return text
    }

    func required(_ key: String) throws(AdminError) -> String {
        guard let text = try self.string(key) else { throw AdminError(422, "\(self.path(key)) is missing.") }
        return text
    }

    func strings(_ key: String) throws(AdminError) -> [String]? {
        guard let items = try self.array(key) else { return nil }
        var texts: [String] = []
        for item in items {
            guard case .string(let text) = item else {
                throw AdminError(422, "\(self.path(key)) must be an array of strings.")
            }
            texts.append(text)
        }
        return texts
    }

    func array(_ key: String) throws(AdminError) -> [JSONValue]? {
        guard let value = self[key] else { return nil }
        guard case .array(let items) = value else { throw AdminError(422, "\(self.path(key)) must be an array.") }
        return items
    }

    func bool(_ key: String) throws(AdminError) -> Bool? {
        guard let value = self[key] else { return nil }
        guard case .bool(let flag) = value else { throw AdminError(422, "\(self.path(key)) must be true or false.") }
        return flag
    }

    func integer(_ key: String, in range: ClosedRange<Int>) throws(AdminError) -> Int? {
        guard let value = self[key] else { return nil }
        guard case .number(let text) = value, let number = Int(text), range.contains(number) else {
            throw AdminError(
                422, "\(self.path(key)) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    func fraction(_ key: String) throws(AdminError) -> Double? {
        guard let value = self[key] else { return nil }
        guard case .number(let text) = value, let number = Double(text), (0...1).contains(number) else {
            throw AdminError(422, "\(self.path(key)) must be a number from 0 to 1.")
        }
        return number
    }
}
