public import PlayheadCassette
import PlayheadHTTP

/// What differs between two recordings of one request; secrets are masked.
public struct ExchangeDifference: Sendable, Equatable {
    /// The field, such as `status`, `response header etag` or `response body $.items[0].id`.
    public var field: String
    /// The text in the first; nil if it is not there.
    public var first: String?
    /// The text in the second; nil if it is not there.
    public var second: String?

    /// The differences between two exchanges; identifiers, moments and durations do not count, nor do the headers in
    /// `ignoredHeaders` (lower case).
    public static func between(
        _ first: Exchange, _ second: Exchange, ignoredHeaders: Set<String> = ["date"], redactor: Redactor = .standard
    ) -> [ExchangeDifference] {
        var found: [ExchangeDifference] = []
        func add(_ field: String, _ a: String?, _ b: String?) {
            if a != b { found.append(ExchangeDifference(field: field, first: a, second: b)) }
        }
        func add(_ prefix: String, _ differences: [Difference]) {
            for difference in differences.map({ redactor.mask($0) }) {
                found.append(
                    ExchangeDifference(
                        field: "\(prefix) \(difference.name)", first: difference.recorded,
                        second: difference.requested))
            }
        }
        let headers = HeaderComparison(names: nil, ignored: ignoredHeaders)
        func compare(_ prefix: String, _ a: HeaderList, _ b: HeaderList) {
            add(
                prefix,
                headers.differences(recorded: a, requested: b).map {
                    Difference(.header($0.name), recorded: joined($0.recorded), requested: joined($0.requested))
                })
        }
        func compare(
            _ prefix: String, _ a: RecordedBody, _ aHeaders: HeaderList, _ b: RecordedBody, _ bHeaders: HeaderList
        ) {
            let none = IgnoredPlaces(MatchRules(required: []))
            add(
                prefix,
                ComparableBody(recorded: b, bHeaders).differences(
                    from: ComparableBody(recorded: a, aHeaders), ignoring: none))
        }
        if first.request.method != second.request.method {
            add("method", first.request.method, second.request.method)
        }
        if first.request.url != second.request.url {
            add("url", redactor.maskURL(first.request.url), redactor.maskURL(second.request.url))
        }
        compare("request", first.request.headers, second.request.headers)
        compare("request", first.request.body, first.request.headers, second.request.body, second.request.headers)
        let (a, b) = (ExchangeDifference.response(first), ExchangeDifference.response(second))
        add("failure", ExchangeDifference.failure(first, redactor), ExchangeDifference.failure(second, redactor))
        add("status", a.map { "\($0.status)" }, b.map { "\($0.status)" })
        if let a, let b {
            compare("response", a.headers, b.headers)
            compare("response", a.body, a.headers, b.body, b.headers)
        }
        if case .webSocket(let a) = first.outcome, case .webSocket(let b) = second.outcome {
            add("websocket frames", "\(a.frames.count)", "\(b.frames.count)")
            add("websocket ending", a.ending.rawValue, b.ending.rawValue)
            for (number, (old, new)) in zip(a.frames, b.frames).enumerated() {
                let name = "frame \(number + 1)"
                add(name, ExchangeDifference.kind(old), ExchangeDifference.kind(new))
                compare(name, old.payload, HeaderList(), new.payload, HeaderList())
            }
        }
        return found
    }

    /// `response header etag: "a" -> "b"`.
    public var sentence: String {
        func shown(_ text: String?) -> String {
            guard let text else { return "nothing" }
            return "\"\(visible(text.count > 120 ? text.prefix(120) + "…" : text))\""
        }
        return "\(visible(self.field)): \(shown(self.first)) -> \(shown(self.second))"
    }

    private static func response(_ exchange: Exchange) -> RecordedResponse? {
        switch exchange.outcome {
        case .response(let response): response
        case .failure(let failure): failure.partial
        case .webSocket(let socket): socket.response
        }
    }

    private static func kind(_ frame: RecordedWebSocket.Frame) -> String {
        "\(frame.sender.rawValue) \(frame.opcode.rawValue)" + (frame.closeCode.map { " \($0)" } ?? "")
    }

    private static func failure(_ exchange: Exchange, _ redactor: Redactor) -> String? {
        guard case .failure(let failure) = exchange.outcome else { return nil }
        return "\(failure.kind.rawValue): \(redactor.maskText(failure.message))"
    }
}

private func joined(_ values: [Octets]?) -> String? {
    values.map { $0.map { displayText($0) }.joined(separator: ", ") }
}
