public import PlayheadHTTP

extension Exchange {
    /// Every body of the exchange: the request's, the response's, those of messages.
    public var bodies: [RecordedBody] {
        switch self.outcome {
        case .response(let response): [self.request.body, response.body]
        case .failure(let failure): [self.request.body] + (failure.partial.map { [$0.body] } ?? [])
        case .webSocket(let socket): [self.request.body] + socket.frames.map(\.payload)
        }
    }

    /// The exchange with other bodies; each is given with the fields of its message.
    public func mappingBodies(_ change: (RecordedBody, HeaderList) throws -> RecordedBody) rethrows -> Exchange {
        var result = self
        result.request.body = try change(self.request.body, self.request.headers)
        switch self.outcome {
        case .response(var response):
            response.body = try change(response.body, response.headers)
            result.outcome = .response(response)
        case .failure(var failure):
            if var partial = failure.partial {
                partial.body = try change(partial.body, partial.headers)
                failure.partial = partial
                result.outcome = .failure(failure)
            }
        case .webSocket(var socket):
            for index in socket.frames.indices {
                let fields = socket.frames[index].opcode == .text ? Self.textFields : HeaderList()
                socket.frames[index].payload = try change(socket.frames[index].payload, fields)
            }
            result.outcome = .webSocket(socket)
        }
        return result
    }

    /// What names the type of a text message, which has no fields of its own.
    private static let textFields = HeaderList([("Content-Type", "text/plain")])
}
