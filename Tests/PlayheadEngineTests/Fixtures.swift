import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP

/// An exchange as short as a test needs it.
func exchange(
    _ url: String, method: String = "GET", headers: [(String, String)] = [], body: String? = nil, id: String? = nil,
    answer: String = "ok", answerHeaders: [(String, String)] = [], at milliseconds: Int64 = 0
) -> Exchange {
    Exchange(
        id: id ?? "an-exchange", recordedAt: Timestamp(milliseconds: milliseconds),
        request: RecordedRequest(
            method: method, url: url, headers: HeaderList(headers),
            body: body.map { RecordedBody(.octets(ByteBuffer(string: $0))) } ?? RecordedBody()),
        outcome: .response(
            RecordedResponse(
                status: 200, reason: "OK", headers: HeaderList(answerHeaders),
                body: RecordedBody(.octets(ByteBuffer(string: answer))))))
}

/// A request as short as a test needs it.
func request(
    _ url: String, method: String = "GET", headers: [(String, String)] = [], body: String? = nil
) throws -> IncomingRequest {
    try IncomingRequest(
        method: method, url: url, headers: HeaderList(headers),
        body: body.map { .octets(ByteBuffer(string: $0)) } ?? .none)
}

extension Playback {
    /// The position of the recording that answers, or nil for a miss.
    mutating func position(_ request: IncomingRequest) -> Int? {
        guard case .play(let index, _) = self.take(request) else { return nil }
        return index
    }

    /// The report of a miss, or nil for a hit.
    mutating func miss(_ request: IncomingRequest) -> MissReport? {
        guard case .miss(let report) = self.take(request) else { return nil }
        return report
    }
}

extension Exchange {
    /// Everything a cassette would hold of this exchange, as one text to search.
    var everything: String {
        var text = "\(self.id) \(self.request.url) \(fields(self.request.headers)) \(octets(self.request.body))"
        switch self.outcome {
        case .response(let response): text += " \(fields(response.headers)) \(octets(response.body))"
        case .failure(let failure):
            text += failure.message
            if let partial = failure.partial { text += " \(fields(partial.headers)) \(octets(partial.body))" }
        case .webSocket(let socket):
            text += " \(fields(socket.response.headers)) \(socket.frames.map { octets($0.payload) })"
        }
        return text
    }

    var response: RecordedResponse {
        guard case .response(let response) = self.outcome else { return RecordedResponse(status: 0) }
        return response
    }
}

func fields(_ headers: HeaderList) -> String {
    headers.indices.map { "\(headers.name(at: $0)): \(headers.value(at: $0))" }.joined(separator: "\n")
}

func octets(_ body: RecordedBody) -> String {
    guard case .octets(let octets) = body.content else { return "" }
    return String(buffer: octets)
}
