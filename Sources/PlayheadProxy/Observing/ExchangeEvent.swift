import NIOCore
package import PlayheadCassette
package import PlayheadEngine

/// What became of one exchange, as it happened in a session.
package struct ExchangeEvent: Sendable {
    /// The session's name, where its cassette is, and how its secrets are masked.
    package final class Source: Sendable {
        package let session: String
        package let location: CassetteLocation
        package let redactor: Redactor

        init(session: String, location: CassetteLocation, redactor: Redactor) {
            self.session = session
            self.location = location
            self.redactor = redactor
        }
    }

    /// What happened.
    package enum Subject: Sendable {
        /// A recording answered; as the cassette has it.
        case replayed(Exchange)
        /// An exchange was recorded; as it was stored.
        case recorded(Exchange)
        /// Nothing answered.
        case missed(MissReport)
        /// It was relayed and not recorded.
        case ignored(method: String, url: String)
        /// A mock answered; the exchange has no identifier, and no body of the request.
        case mocked(Exchange)
        /// A fault struck, of this kind.
        case faulted(method: String, url: String, kind: String)
    }

    package var source: Source
    package var subject: Subject

    /// What became of it, in one word.
    package var outcome: String {
        switch self.subject {
        case .replayed: "replayed"
        case .recorded: "recorded"
        case .missed: "missed"
        case .ignored: "ignored"
        case .mocked: "mocked"
        case .faulted: "faulted"
        }
    }

    /// Every word that ``outcome`` can be.
    package static let outcomes = ["replayed", "recorded", "missed", "ignored", "mocked", "faulted"]

    /// The exchange with request and response, if there is one.
    package var exchange: Exchange? {
        switch self.subject {
        case .replayed(let exchange), .recorded(let exchange), .mocked(let exchange): exchange
        case .missed, .ignored, .faulted: nil
        }
    }

    /// The method of the request.
    package var method: String {
        switch self.subject {
        case .replayed(let exchange), .recorded(let exchange), .mocked(let exchange): exchange.request.method
        case .missed(let miss): miss.method
        case .ignored(let method, _), .faulted(let method, _, _): method
        }
    }

    /// The URL of the request, masked.
    package var url: String {
        switch self.subject {
        case .replayed(let exchange), .recorded(let exchange), .mocked(let exchange):
            self.source.redactor.maskURL(exchange.request.url)
        case .missed(let miss): miss.url
        case .ignored(_, let url), .faulted(_, let url, _):
            self.source.redactor.maskURL(url)
        }
    }

    /// How many octets of bodies it keeps in memory.
    var weight: Int {
        guard let exchange = self.exchange else { return 0 }
        var weight = Self.inMemory(exchange.request.body)
        switch exchange.outcome {
        case .response(let response): weight += Self.inMemory(response.body)
        case .failure(let failure): if let partial = failure.partial { weight += Self.inMemory(partial.body) }
        case .webSocket(let socket): for frame in socket.frames { weight += Self.inMemory(frame.payload) }
        }
        return weight
    }

    private static func inMemory(_ body: RecordedBody) -> Int {
        if case .octets(let octets) = body.content { octets.readableBytes } else { 0 }
    }
}
