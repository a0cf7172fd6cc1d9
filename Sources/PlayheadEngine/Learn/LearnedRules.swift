public import PlayheadCassette

/// What varies between two recordings of the same run, and so should not decide which recording answers.
public struct LearnedRules: Sendable, Equatable {
    /// Query names whose values differ.
    public private(set) var query: Set<String> = []
    /// Header names, in lower case, whose values differ; without those that comparisons skip anyway.
    public private(set) var headers: Set<String> = []
    /// JSONPaths that differ; an index of a list is `[*]`.
    public private(set) var jsonPaths: Set<String> = []
    /// Form fields and multipart parts that differ.
    public private(set) var formKeys: Set<String> = []
    /// How many pairs of requests were compared.
    public private(set) var compared = 0
    /// Requests of the first recording without a counterpart in the second, as `GET https://…`.
    public private(set) var onlyFirst: [String] = []
    /// Requests of the second recording without a counterpart in the first.
    public private(set) var onlySecond: [String] = []

    /// Whether nothing varies.
    public var isEmpty: Bool {
        self.query.isEmpty && self.headers.isEmpty && self.jsonPaths.isEmpty && self.formKeys.isEmpty
    }

    /// Compares two recordings whose bodies are in memory.
    ///
    /// The first request of one recording to a method, origin and path belongs to the first one of the other, and so on.
    public init(first: [Exchange], second: [Exchange]) {
        var open: [String: [Int]] = [:]
        for (number, exchange) in second.enumerated().reversed() {
            open[Self.key(exchange.request), default: []].append(number)
        }
        var paired: Set<Int> = []
        for exchange in first {
            guard let other = open[Self.key(exchange.request)]?.popLast() else {
                self.onlyFirst.append(Self.key(exchange.request))
                continue
            }
            paired.insert(other)
            self.compare(exchange.request, second[other].request)
        }
        for (number, exchange) in second.enumerated() where !paired.contains(number) {
            self.onlySecond.append(Self.key(exchange.request))
        }
    }

    private mutating func compare(_ first: RecordedRequest, _ second: RecordedRequest) {
        self.compared += 1
        let query = FieldPairs.differences(
            recorded: Self.query(of: first), requested: Self.query(of: second), isIgnored: { _ in false })
        for difference in query { self.query.insert(String(decoding: difference.name, as: UTF8.self)) }
        let headers = HeaderComparison(names: nil, ignored: [])
            .differences(recorded: first.headers, requested: second.headers)
        for difference in headers { self.headers.insert(difference.name) }
        let bodies = ComparableBody(recorded: second)
            .differences(from: ComparableBody(recorded: first), ignoring: IgnoredPlaces(MatchRules()))
        for difference in bodies {
            switch difference.part {
            case .json(let path): if path != "$" { self.jsonPaths.insert(Self.anyIndex(path)) }
            case .form(let name), .multipart(let name): self.formKeys.insert(name)
            default: break
            }
        }
    }

    /// Method, origin and path.
    private static func key(_ request: RecordedRequest) -> String {
        "\(request.method) \(request.url.prefix { $0 != "?" })"
    }

    private static func query(of request: RecordedRequest) -> FieldPairs {
        guard let mark = request.url.firstIndex(of: "?") else { return FieldPairs(pairs: []) }
        return FieldPairs(Octets(request.url[request.url.index(after: mark)...].utf8))
    }

    /// `$.items[3].id` as `$.items[*].id`: what varies in one item varies in all.
    static func anyIndex(_ path: String) -> String {
        var result = ""
        var rest = path[...]
        while let open = rest.firstIndex(of: "[") {
            let inner = rest[rest.index(after: open)...]
            let digits = inner.prefix { $0.isASCII && $0.isNumber }
            result += rest[...open]
            rest = inner
            guard !digits.isEmpty, inner.dropFirst(digits.count).first == "]" else { continue }
            result += "*"
            rest = inner.dropFirst(digits.count)
        }
        return result + rest
    }
}
