import NIOCore
import PlayheadContent

extension RunReport {
    /// The report as JSON, version 1; for `--report FILE:json` and the admin API.
    public func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("version", RunReport.version)
            writer.member("cassette", self.cassette)
            for count in self.counts { writer.member(count.name, count.value) }
            writer.member("recording_failure", self.recordingFailure)
            writer.member("replay_failure", self.replayFailure)
            writer.member("warnings") { writer in
                writer.array { writer in for warning in self.warnings { writer.string(warning) } }
            }
            writer.member("misses") { writer in
                writer.array { writer in for miss in self.misses { miss.write(to: &writer) } }
            }
            writer.member("exchanges") { writer in
                writer.array { writer in for line in self.exchanges { line.write(to: &writer) } }
            }
        }
        return writer.octets
    }

    /// Reads what ``json()`` wrote; unknown members are passed over.
    ///
    /// - Throws: `EngineError` when it is no report, or one of a newer version.
    public init(json: [UInt8]) throws(EngineError) {
        let root: JSONValue
        do { root = try JSONValue.parse(ByteBuffer(bytes: json)) } catch {
            throw EngineError(.badReport, "the report is not JSON: \(error.message)")
        }
        guard case .object(let members) = root, let version = root["version"]?.integer else {
            throw EngineError(.badReport, "this is not a report of playhead: it has no \"version\"")
        }
        guard version == RunReport.version else {
            throw EngineError(
                .badReport,
                "the report has version \(version) and this program reads \(RunReport.version); "
                    + "use the playhead that wrote it, or a newer one")
        }
        self.cassette = root["cassette"]?.string
        self.counts = members.compactMap { member in
            guard member.key != "version", let value = member.value.integer else { return nil }
            return Count(name: member.key, value: value)
        }
        self.recordingFailure = root["recording_failure"]?.string
        self.replayFailure = root["replay_failure"]?.string
        self.warnings = root["warnings"]?.items.compactMap(\.string) ?? []
        self.misses = root["misses"]?.items.map { Miss($0) } ?? []
        self.exchanges = root["exchanges"]?.items.compactMap { ExchangeLine($0) } ?? []
    }
}

extension RunReport.Miss {
    init(_ value: JSONValue) {
        self.init(
            id: value["id"]?.string ?? "", reason: value["reason"]?.string ?? "", cause: value["cause"]?.string ?? "",
            cassette: value["cassette"]?.string ?? "", mode: value["mode"]?.string ?? "",
            method: value["request"]?["method"]?.string ?? "", url: value["request"]?["url"]?.string ?? "",
            nearest: value["nearest"]?.items.map { RunReport.Candidate($0) } ?? [],
            suggestedRule: value["suggested_rule"]?.string, recordCommand: value["record_command"]?.string ?? "")
    }

    func write(to writer: inout JSONWriter) { writer.object { self.writeMembers(to: &$0) } }

    /// Writes the members that the response to a miss and the reports share.
    package func writeMembers(to writer: inout JSONWriter) {
        if !self.id.isEmpty { writer.member("id", self.id) }
        writer.member("reason", self.reason)
        writer.member("cause", self.cause)
        writer.member("cassette", self.cassette)
        writer.member("mode", self.mode)
        writer.member("request") { writer in
            writer.object { writer in
                writer.member("method", self.method)
                writer.member("url", self.url)
            }
        }
        writer.member("nearest") { writer in
            writer.array { writer in for candidate in self.nearest { candidate.write(to: &writer) } }
        }
        writer.member("suggested_rule", self.suggestedRule)
        writer.member("record_command", self.recordCommand)
    }
}

extension RunReport.Candidate {
    init(_ value: JSONValue) {
        self.init(
            exchange: value["exchange"]?.string ?? "", number: value["number"]?.integer ?? 0,
            method: value["method"]?.string ?? "", url: value["url"]?.string ?? "",
            alreadyPlayedAt: value["already_played_at"]?.integer,
            differences: value["differences"]?.items.map {
                RunReport.Part(
                    name: $0["part"]?.string ?? "", recorded: $0["recorded"]?.string,
                    requested: $0["requested"]?.string)
            } ?? [])
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("exchange", self.exchange)
            writer.member("number", self.number)
            writer.member("method", self.method)
            writer.member("url", self.url)
            writer.member("already_played_at", self.alreadyPlayedAt)
            writer.member("differences") { writer in
                writer.array { writer in
                    for difference in self.differences {
                        writer.object { writer in
                            writer.member("part", difference.name)
                            writer.member("recorded", difference.recorded)
                            writer.member("requested", difference.requested)
                        }
                    }
                }
            }
        }
    }
}

extension ExchangeLine {
    init?(_ value: JSONValue) {
        guard let outcome = value["outcome"]?.string.flatMap(Outcome.init(rawValue:)) else { return nil }
        self.init(
            id: value["id"]?.string ?? "", method: value["method"]?.string ?? "", url: value["url"]?.string ?? "",
            outcome: outcome, plays: value["plays"]?.integer ?? 0)
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", self.id)
            writer.member("method", self.method)
            writer.member("url", self.url)
            writer.member("outcome", self.outcome.rawValue)
            writer.member("plays", self.plays)
        }
    }
}

extension JSONValue {
    fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }
    fileprivate var integer: Int? { if case .number(let text) = self { Int(text) } else { nil } }
    fileprivate var items: [JSONValue] { if case .array(let items) = self { items } else { [] } }
}
