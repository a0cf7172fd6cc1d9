/// Variables to set and to remove, in a fixed order.
public struct EnvironmentChange: Sendable, Equatable {
    /// One variable with its value.
    public struct Variable: Sendable, Hashable {
        /// The name of the variable.
        public let name: String
        /// The value, unquoted.
        public let value: String

        /// Creates a variable.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The variables to set, in the order in which they are shown.
    public private(set) var set: [Variable] = []
    /// The names to remove.
    public private(set) var unset: [String] = []

    /// Creates a change that changes nothing.
    public init() {}

    /// Adds a variable to set.
    public mutating func set(_ name: String, _ value: String) {
        set.append(Variable(name, value))
    }

    /// Adds a name to remove.
    public mutating func unset(_ name: String) {
        unset.append(name)
    }

    /// The value that a name is set to.
    public subscript(name: String) -> String? {
        self.set.first { $0.name == name }?.value
    }

    /// The change without what none of these clients reads; our own marks stay.
    public func limited(to clients: [ClientKind]) -> EnvironmentChange {
        let names = clients.reduce(into: Set<String>()) { $0.formUnion($1.variables) }
        func isOurs(_ name: String) -> Bool { name.hasPrefix("PLAYHEAD_") }
        var result = EnvironmentChange()
        result.set = set.filter { names.contains($0.name) || isOurs($0.name) }
        // Other spellings would lead these clients past us.
        result.unset = unset.filter { names.contains("https_proxy") || names.contains($0) || isOurs($0) }
        return result
    }

    /// The environment after the change.
    public func applied(to environment: [String: String]) -> [String: String] {
        var result = environment
        for name in unset { result[name] = nil }
        for variable in set { result[variable.name] = variable.value }
        return result
    }
}
