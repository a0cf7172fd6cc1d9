import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import PlayheadProxy

/// An exchange of the log as the API shows it: masked like everything that leaves the process.
struct ExchangeText {
    private let entry: ExchangeLog.Entry
    /// The request and response, masked once.
    private let exchange: Exchange?

    init(_ entry: ExchangeLog.Entry) {
        self.entry = entry
        // The cassette may come from elsewhere, and hold what our rules would have taken out.
        var ledger = RedactionLedger()
        self.exchange = entry.event.exchange.map { entry.event.source.redactor.redact($0, ledger: &ledger) }
    }

    /// The request's body and what its type is.
    var requestBody: (RecordedBody, HeaderList)? { self.exchange.map { ($0.request.body, $0.request.headers) } }

    /// The response's body, as far as it came.
    var responseBody: (RecordedBody, HeaderList)? { self.response.map { ($0.body, $0.headers) } }

    private var response: RecordedResponse? {
        switch self.exchange?.outcome {
        case .response(let response)?: response
        case .failure(let failure)?: failure.partial
        case .webSocket(let socket)?: socket.response
        case nil: nil
        }
    }

    /// What the list shows.
    func writeSummary(to writer: inout JSONWriter) {
        let event = self.entry.event
        writer.member("number", self.entry.number)
        writer.member("at", self.entry.at.description)
        writer.member("session", event.source.session)
        writer.member("cassette", event.source.location.name.description)
        writer.member("outcome", event.outcome)
        writer.member("method", event.method)
        writer.member("url", event.url)
        switch event.subject {
        case .replayed(let exchange), .recorded(let exchange): self.writeOutcome(exchange, to: &writer)
        case .missed(let miss): writer.member("miss", miss.id)
        case .mocked:
            writer.member("status", self.response?.status)
            writer.member("response_octets", self.response?.body.count)
        case .faulted(_, _, let kind): writer.member("fault", kind)
        case .ignored: break
        }
    }

    private func writeOutcome(_ exchange: Exchange, to writer: inout JSONWriter) {
        writer.member("exchange", exchange.id)
        writer.member("status", self.response?.status)
        if case .failure(let failure) = exchange.outcome { writer.member("failure", failure.kind.rawValue) }
        writer.member("request_octets", exchange.request.body.count)
        writer.member("response_octets", self.response?.body.count)
        writer.member("total_ms", exchange.timing.total)
    }

    /// What one exchange shows: the list's members, then both messages, or why nothing answered.
    func writeDetails(to writer: inout JSONWriter) {
        self.writeSummary(to: &writer)
        if let exchange = self.exchange {
            writer.member("request") { writer in
                writer.object { writer in
                    Self.write(
                        exchange.request.version, exchange.request.headers, exchange.request.body,
                        href: self.href("request"), to: &writer)
                }
            }
            if let response = self.response {
                writer.member("response") { writer in
                    writer.object { writer in
                        writer.member("status", response.status)
                        writer.member("reason", response.reason)
                        Self.write(
                            response.version, response.headers, response.body, href: self.href("response"),
                            to: &writer)
                    }
                }
            }
            if case .failure(let failure) = exchange.outcome { writer.member("failure_message", failure.message) }
            if case .webSocket(let socket) = exchange.outcome { writer.member("frames", socket.frames.count) }
        }
        if case .missed(let miss) = self.entry.event.subject {
            writer.member("report") { $0.object { RunReport.Miss(miss).writeMembers(to: &$0) } }
        }
    }

    private func href(_ side: String) -> String { "/api/v1/exchanges/\(self.entry.number)/body/\(side)" }

    private static func write(
        _ version: HTTPVersion, _ headers: HeaderList, _ body: RecordedBody, href: String, to writer: inout JSONWriter
    ) {
        writer.member("version", "\(version)")
        writer.member("headers") { writer in
            writer.array { writer in
                for index in headers.indices {
                    writer.array { writer in
                        writer.string(headers.name(at: index))
                        writer.string(headers.value(at: index))
                    }
                }
            }
        }
        guard body.count > 0 else { return }
        writer.member("body") { writer in
            writer.object { writer in
                writer.member("href", href)
                writer.member("octets", body.count)
                writer.member("is_truncated") { $0.bool(body.isTruncated) }
            }
        }
    }
}
