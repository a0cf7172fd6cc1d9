/// A path with places that vary: `/api/v1/sessions/{id}`; a last part `{rest...}` takes one segment or more.
package struct RoutePattern: Sendable, Hashable {
    enum Part: Sendable, Hashable {
        case literal(String)
        case parameter(String)
        case rest(String)
    }

    let parts: [Part]

    /// Reads a pattern; segments in braces are parameters, all others stand for themselves.
    package init(_ text: String) {
        self.parts = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { part in
            guard part.hasPrefix("{"), part.hasSuffix("}"), part.count > 2 else { return .literal(String(part)) }
            let name = part.dropFirst().dropLast()
            return name.hasSuffix("...") ? .rest(String(name.dropLast(3))) : .parameter(String(name))
        }
    }

    /// The parameters when the path fits, else nil.
    package func match(_ path: RoutePath) -> PathParameters? {
        var found = PathParameters()
        var index = 0
        for part in self.parts {
            if case .rest(let name) = part {
                guard index < path.segments.count else { return nil }
                found.values[name] = path.segments[index...].joined(separator: "/")
                return found
            }
            guard index < path.segments.count else { return nil }
            switch part {
            case .literal(let text): guard text == path.segments[index] else { return nil }
            case .parameter(let name), .rest(let name):
                guard !path.segments[index].isEmpty else { return nil }
                found.values[name] = path.segments[index]
            }
            index += 1
        }
        return index == path.segments.count ? found : nil
    }
}

/// The segments of a request's path, each decoded on its own.
///
/// The path is split before it is decoded, so `%2f` never makes a border, and `..` never leads upwards: a segment is
/// a name that whoever takes it has to check.
package struct RoutePath: Sendable, Hashable {
    /// The segments after the first slash; one empty segment for `/`.
    package let segments: [String]

    /// Takes the path of a target in origin form; nil when it does not start with a slash, or a percent sign is not
    /// followed by two hexadecimal digits, or what it stands for is no UTF-8.
    package init?(target: String) {
        let path = target.prefix { $0 != "?" && $0 != "#" }
        guard path.hasPrefix("/") else { return nil }
        var segments: [String] = []
        for part in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let decoded = PercentCoding.decode(part) else { return nil }
            segments.append(decoded)
        }
        self.segments = segments
    }
}

/// What stood in the places of a pattern.
package struct PathParameters: Sendable, Hashable {
    var values: [String: String] = [:]

    /// No parameters.
    package init() {}

    /// The text of a parameter; empty when the pattern has none of this name.
    package subscript(name: String) -> String { self.values[name] ?? "" }

    /// A parameter as another type; nil when the text is none.
    package func value<Value: LosslessStringConvertible>(_ name: String, as type: Value.Type = Value.self) -> Value? {
        self.values[name].flatMap { Value($0) }
    }
}
