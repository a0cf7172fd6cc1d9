import NIOCore
import PlayheadCassette
import PlayheadHTTP

/// Visits every text of an exchange in which a placeholder may stand.
enum PlaceholderWalk {
    static func visit(_ exchange: Exchange, _ body: (Octets) -> Void) {
        body(Octets(exchange.request.url.utf8))
        self.visit(exchange.request.headers, body)
        self.visit(exchange.request.body, body)
        self.visit(exchange.request.trailers, body)
        switch exchange.outcome {
        case .response(let response): self.visit(response, body)
        case .failure(let failure):
            body(Octets(failure.message.utf8))
            if let partial = failure.partial { self.visit(partial, body) }
        case .webSocket(let socket):
            self.visit(socket.response, body)
            for frame in socket.frames { self.visit(frame.payload, body) }
        }
    }

    private static func visit(_ response: RecordedResponse, _ body: (Octets) -> Void) {
        self.visit(response.headers, body)
        self.visit(response.body, body)
        self.visit(response.trailers, body)
    }

    private static func visit(_ headers: HeaderList, _ body: (Octets) -> Void) {
        for index in headers.indices { body(headers.withValue(at: index) { Octets($0) }) }
    }

    private static func visit(_ content: RecordedBody, _ body: (Octets) -> Void) {
        if case .octets(let octets) = content.content { body(Octets(octets.readableBytesView)) }
    }
}
