import NIOCore
public import PlayheadCassette
import PlayheadContent
import PlayheadHTTP

/// A secret that stands in an exchange: where, and which rule knows it; never what it is.
public struct SecretFinding: Sendable, Hashable {
    /// The place, such as `request header X-Api-Key` or `response body $.user.password`.
    public var place: String
    /// The name of the rule, or of the environment variable whose value it is.
    public var rule: String
}

extension Redactor {
    /// What the rules find in an exchange as it is stored; empty for one that was redacted.
    public func findings(in exchange: Exchange) -> [SecretFinding] {
        var found =
            self.finding("request URL") { self.redactedURL(self.secrets.hidden(exchange.request.url), &$0) }
            .map { [$0] } ?? []
        found += self.known(exchange.request.url, "request URL")
        found += self.findings(in: exchange.request.headers, "request header")
        found += self.findings(in: exchange.request.body, exchange.request.headers, "request body")
        found += self.findings(in: exchange.request.trailers, "request trailer")
        switch exchange.outcome {
        case .response(let response): found += self.findings(in: response)
        case .failure(let failure):
            found += self.known(failure.message, "failure message")
            found += self.finding("failure message") { self.redactedText(failure.message, &$0) }.map { [$0] } ?? []
            if let partial = failure.partial { found += self.findings(in: partial) }
        case .webSocket(let socket):
            found += self.findings(in: socket.response)
            for (number, frame) in socket.frames.enumerated() {
                found += self.findings(
                    in: frame.payload, HeaderList(), "\(frame.sender.rawValue) frame \(number + 1)")
            }
        }
        var seen: Set<SecretFinding> = []
        return found.filter { seen.insert($0).inserted }
    }

    private func findings(in response: RecordedResponse) -> [SecretFinding] {
        var found = self.findings(in: response.headers, "response header")
        found += self.findings(in: response.body, response.headers, "response body")
        found += self.findings(in: response.trailers, "response trailer")
        found += self.known(response.reason, "reason phrase")
        found += self.finding("reason phrase") { self.redactedText(response.reason, &$0) }.map { [$0] } ?? []
        return found
    }

    private func findings(in headers: HeaderList, _ what: String) -> [SecretFinding] {
        headers.indices.flatMap { index -> [SecretFinding] in
            let name = headers.name(at: index)
            let place = "\(what) \(name)"
            let known = self.known(headers.value(at: index), place)
            guard known.isEmpty else { return known }
            let value = headers.withValue(at: index) { Octets($0) }
            return self.finding(place) { self.headers.redacted(name: name, value, &$0) }.map { [$0] } ?? []
        }
    }

    private func findings(in body: RecordedBody, _ headers: HeaderList, _ what: String) -> [SecretFinding] {
        guard case .octets(let octets) = body.content, octets.readableBytes > 0 else { return [] }
        let known = self.known(displayText(octets.readableBytesView), what)
        var substitution = SecretSubstitution(ledger: nil)
        let clean = self.redacted(body, headers, &substitution)
        guard !clean.edits.isEmpty else { return known }
        // Edits of a body that was decoded first do not lie in the octets at hand.
        guard clean.body.coding == body.coding else {
            return known + [SecretFinding(place: what, rule: substitution.firstRule ?? "")]
        }
        let text = Octets(octets.readableBytesView)
        let json = try? JSONSpans(octets)
        return known
            + clean.edits.map { edit in
                SecretFinding(
                    place: "\(what) \(self.place(of: edit.range, in: text, json))",
                    rule: Placeholder.rule(in: edit.replacement) ?? substitution.firstRule ?? "")
            }
    }

    /// A JSONPath, or the line in another text.
    private func place(of range: Range<Int>, in text: Octets, _ json: JSONSpans?) -> String {
        if let json,
            let index = json.spans.lastIndex(where: {
                $0.range.lowerBound <= range.lowerBound && range.upperBound <= $0.range.upperBound
            })
        {
            return self.maskText(json.path(of: index))
        }
        return "line \(text[..<range.lowerBound].count { $0 == 0x0A } + 1)"
    }

    private func known(_ text: String, _ place: String) -> [SecretFinding] {
        self.secrets.name(in: Octets(text.utf8)).map { [SecretFinding(place: place, rule: $0)] } ?? []
    }

    private func finding<Value>(_ place: String, _ redact: (inout SecretSubstitution) -> Value) -> SecretFinding? {
        var substitution = SecretSubstitution(ledger: nil)
        _ = redact(&substitution)
        return substitution.firstRule.map { SecretFinding(place: place, rule: $0) }
    }
}

extension RedactionLedger {
    /// The exchange with every placeholder's number raised, so that it can join a cassette whose numbers are taken.
    public static func renumbered(_ exchange: Exchange, by offset: Int) -> Exchange {
        guard offset > 0 else { return exchange }
        let edits: (Octets, ExchangeRewrite.Place) -> [TextEdit] = { text, _ in
            Placeholder.ranges(in: text).compactMap { range in
                guard let number = Placeholder.number(of: text[range]), number < Int.max - offset,
                    let rule = Placeholder.rule(in: Octets(text[range]))
                else { return nil }
                return TextEdit(
                    range: range, replacement: Octets(Placeholder.text(rule: rule, number: number + offset).utf8))
            }
        }
        return ExchangeRewrite(request: edits, response: edits).apply(to: exchange)
    }
}
