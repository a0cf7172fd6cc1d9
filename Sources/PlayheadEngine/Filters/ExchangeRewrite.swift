import NIOCore
import PlayheadCassette
import PlayheadHTTP

/// Applies the same kind of edit to every text of an exchange; all other octets stay as they are.
struct ExchangeRewrite {
    /// Where a text stands.
    enum Place: Sendable, Hashable {
        /// The request's URL.
        case url
        /// The value of a field or trailer field; the name is as written.
        case header(String)
        /// A body.
        case body
        /// The reason phrase or a failure's sentence.
        case message
    }

    /// The edits for a text of the request.
    var request: (Octets, Place) -> [TextEdit]
    /// The edits for a text of what came back.
    var response: (Octets, Place) -> [TextEdit]

    func apply(to exchange: Exchange) -> Exchange {
        var result = exchange
        result.request.url = self.text(exchange.request.url, .url, self.request)
        result.request.headers = self.headers(exchange.request.headers, self.request)
        result.request.body = self.body(exchange.request.body, self.request).body
        result.request.trailers = self.headers(exchange.request.trailers, self.request)
        switch exchange.outcome {
        case .response(let response): result.outcome = .response(self.rewritten(response))
        case .failure(var failure):
            failure.message = self.text(failure.message, .message, self.response)
            failure.partial = failure.partial.map { self.rewritten($0) }
            result.outcome = .failure(failure)
        case .webSocket(var socket):
            socket.response = self.rewritten(socket.response)
            result.outcome = .webSocket(
                socket.mappingPayloads {
                    self.body($0.payload, $0.sender == .client ? self.request : self.response)
                })
        }
        return result
    }

    private func rewritten(_ response: RecordedResponse) -> RecordedResponse {
        var result = response
        result.reason = self.text(response.reason, .message, self.response)
        result.headers = self.headers(response.headers, self.response)
        result.trailers = self.headers(response.trailers, self.response)
        let (body, edits) = self.body(response.body, self.response)
        result.body = body
        result.chunks = RecordedResponse.Chunk.moved(response.chunks, by: edits)
        return result
    }

    private func text(_ text: String, _ place: Place, _ rule: (Octets, Place) -> [TextEdit]) -> String {
        let octets = Octets(text.utf8)
        let edits = rule(octets, place)
        return edits.isEmpty ? text : displayText(TextEdit.apply(edits, to: octets))
    }

    private func headers(_ headers: HeaderList, _ rule: (Octets, Place) -> [TextEdit]) -> HeaderList {
        headers.replacingValues { name, value in
            let edits = rule(value, .header(name))
            return edits.isEmpty ? nil : TextEdit.apply(edits, to: value)
        }
    }

    private func body(
        _ body: RecordedBody, _ rule: (Octets, Place) -> [TextEdit]
    ) -> (body: RecordedBody, edits: [TextEdit]) {
        guard case .octets(let octets) = body.content, octets.readableBytes > 0 else { return (body, []) }
        let text = Octets(octets.readableBytesView)
        let edits = rule(text, .body)
        guard !edits.isEmpty else { return (body, []) }
        var result = body
        result.content = .octets(ByteBuffer(bytes: TextEdit.apply(edits, to: text)))
        return (result, edits)
    }
}

extension RecordedResponse.Chunk {
    /// Chunk lengths after edits; what lay across a border goes into the chunk where it began.
    static func moved(_ chunks: [RecordedResponse.Chunk], by edits: [TextEdit]) -> [RecordedResponse.Chunk] {
        guard !edits.isEmpty else { return chunks }
        var old = 0
        var new = 0
        return chunks.map { chunk in
            old += chunk.length
            let end = TextEdit.moved(old, by: edits)
            defer { new = end }
            return RecordedResponse.Chunk(at: chunk.at, length: max(0, end - new), after: chunk.after)
        }
    }
}

extension HeaderList {
    /// The list with other values where `change` gives one; the same list if it gives none.
    func replacingValues(_ change: (String, Octets) -> Octets?) -> HeaderList {
        var changes: [Int: Octets] = [:]
        for index in self.indices {
            let value = self.withValue(at: index) { Octets($0) }
            if let new = change(self.name(at: index), value) { changes[index] = new }
        }
        guard !changes.isEmpty else { return self }
        // Built anew: a value that is only replaced would stay in the list's shared buffer.
        var result = HeaderList()
        for index in self.indices {
            let name = self.name(at: index)
            if let new = changes[index] {
                result.append(name: name, octets: new)
            } else {
                self.withValue(at: index) { result.append(name: name, octets: $0) }
            }
        }
        return result
    }
}
