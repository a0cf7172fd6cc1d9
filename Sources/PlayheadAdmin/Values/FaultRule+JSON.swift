import PlayheadContent
import PlayheadEngine
import PlayheadProxy

extension FaultRule {
    private static let keys = RequestPattern.keys.union(["kind", "status", "delay_ms", "probability", "times"])

    /// - Throws: `AdminError` 422 that names what is wrong.
    init(_ value: JSONValue, in place: String) throws(AdminError) {
        let fields = try JSONFields(value, in: place, known: Self.keys)
        guard let kind = Kind(rawValue: try fields.required("kind")) else {
            let known = Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw AdminError(422, "\(fields.path("kind")) takes \(known).")
        }
        let status = try fields.integer("status", in: 400...599)
        if status != nil, kind != .status {
            throw AdminError(422, "\(fields.path("status")) belongs to the kind status.")
        }
        let delay = try fields.integer("delay_ms", in: 1...86_400_000) ?? 0
        if kind == .delay, delay == 0 {
            throw AdminError(422, "\(fields.path("delay_ms")) is missing: how long the delay is.")
        }
        self.init(
            pattern: try RequestPattern(fields), kind: kind, status: status ?? 503, delay: delay,
            probability: try fields.fraction("probability") ?? 1,
            times: try fields.integer("times", in: 1...Int(Int32.max)))
    }

    func write(to writer: inout JSONWriter) {
        self.pattern.write(to: &writer)
        writer.member("kind", self.kind.rawValue)
        if self.kind == .status { writer.member("status", self.status) }
        if self.delay > 0 { writer.member("delay_ms", self.delay) }
        if self.probability < 1 { writer.member("probability") { $0.json("\(self.probability)") } }
        writer.member("times", self.times)
    }
}
