import PlayheadCassette
import PlayheadContent
import PlayheadEngine
import PlayheadProxy

/// What `POST /api/v1/sessions` asks for: a cassette, a mode and rules, each as `serve` has it unless said.
struct SessionRequest {
    private static let keys: Set<String> = ["cassette", "mode", "rules"]
    private static let ruleKeys: Set<String> = [
        "match", "ignore_query", "ignore_headers", "ignore_json", "ignore_form", "repeats",
    ]

    let options: SessionOptions

    /// - Throws: `AdminError` that names what is wrong.
    init(_ body: JSONValue, like standard: SessionOptions) throws(AdminError) {
        let fields = try JSONFields(body, known: Self.keys)
        var options = standard
        let text = try fields.required("cassette")
        do {
            options.move(
                to: CassetteLocation(
                    folder: standard.location.folder, name: try CassetteName.validated(text),
                    key: standard.location.key))
        } catch {
            throw AdminError(422, "cassette is not usable: \(error)")
        }
        // Nobody may wait for a lock in the middle of a request.
        options.waitsForLock = false
        if let mode = try fields.string("mode") { options.mode = try Self.mode(mode) }
        if let rules = fields["rules"] {
            try Self.apply(JSONFields(rules, in: "rules", known: Self.ruleKeys), to: &options)
        }
        self.options = options
    }

    static func mode(_ text: String) throws(AdminError) -> RecordMode {
        guard let mode = RecordMode.parse(text) else {
            let known = RecordMode.allCases.map(\.rawValue).joined(separator: ", ")
            throw AdminError(422, "mode takes \(known).")
        }
        return mode
    }

    private static func apply(_ rules: JSONFields, to options: inout SessionOptions) throws(AdminError) {
        if let repeats = try rules.string("repeats") {
            guard let value = Repeats(rawValue: repeats) else {
                throw AdminError(422, "rules.repeats takes none, last or cycle.")
            }
            options.repeats = value
        }
        var match = options.rules
        if let names = try rules.strings("match") {
            do { match.required = try MatchRules.parse(list: names.joined(separator: ",")).required } catch {
                throw AdminError(422, "rules.match is not usable: \(error)")
            }
        }
        if let names = try rules.strings("ignore_query") { match.ignoredQuery = Set(names) }
        if let names = try rules.strings("ignore_headers") { match.ignoredHeaders = Set(names.map { $0.lowercased() }) }
        if let paths = try rules.strings("ignore_json") { match.ignoredJSONPaths = paths }
        if let names = try rules.strings("ignore_form") { match.ignoredFormKeys = Set(names) }
        do { try match.validate() } catch { throw AdminError(422, "rules are not usable: \(error)") }
        options.rules = match
    }
}
