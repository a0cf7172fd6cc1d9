import NIOCore
import PlayheadCassette
import PlayheadContent
import PlayheadEngine
import PlayheadHTTP

/// Listens to one relayed exchange and gives it to the session when it is complete.
///
/// Small exchanges are recorded on the event loop (a write to the page cache); ones with big bodies on a thread,
/// and the client's last octets wait for that.
final class RecordingTap {
    /// How many pieces of a body without chunks are told apart by the millisecond.
    private static let arrivalLimit = 4096

    private let session: CassetteSession
    private let loop: ProxyLoop
    private let startedAt: Timestamp
    private let start: NIODeadline
    private let proxied: ProxiedRequest
    private var request: RecordedRequest
    private var requestBody: BodyCapture
    private var response: RecordedResponse?
    private var responseBody: BodyCapture
    private var firstByte: Int?
    private var borders = Borders.none
    private var chunks: [RecordedResponse.Chunk] = []
    private var openChunk = 0
    /// Where the messages of a call of gRPC end, on either side.
    private var requestMessages: GRPCMessageBorders?
    private var responseMessages = GRPCMessageBorders()
    private var requestMessageCount = 0
    private var isRequestOver = false
    private var isDone = false

    /// What makes the borders of a streamed body.
    private enum Borders {
        /// A promised length: how it came in pieces is the network's doing.
        case none
        /// The chunks that the origin made.
        case chunks
        /// The messages of gRPC.
        case messages
        /// A body that runs to the close, or comes in frames of HTTP/2: what came within one millisecond is one piece, later within one second.
        case arrival
    }

    init(request: ProxiedRequest, session: CassetteSession, loop: ProxyLoop) {
        self.session = session
        self.loop = loop
        self.startedAt = session.clock()
        self.start = loop.core.clock()
        self.proxied = request
        self.request = RecordedRequest(
            method: request.head.method, url: request.url, version: request.clientVersion,
            headers: request.head.headers)
        self.requestBody = BodyCapture(headers: request.head.headers)
        self.responseBody = BodyCapture(headers: HeaderList())
        if request.isGRPC { self.requestMessages = GRPCMessageBorders() }
    }

    func requestBody(_ octets: ByteBuffer) {
        self.requestBody.append(octets)
        self.requestMessageCount += self.requestMessages?.take(octets).count ?? 0
    }

    func requestEnd(_ trailers: HeaderList) {
        self.request.trailers = trailers
        self.isRequestOver = true
    }

    func responseHead(_ head: ResponseHead, _ framing: BodyFraming) {
        self.firstByte = self.elapsed
        switch framing {
        case .chunked where self.requestMessages != nil: self.borders = .messages
        case .chunked: self.borders = head.version == .http2 ? .arrival : .chunks
        case .untilClose: self.borders = .arrival
        case .none, .length: self.borders = .none
        }
        self.responseBody = BodyCapture(headers: head.headers)
        self.response = RecordedResponse(
            status: head.status, reason: head.reason, version: head.version, headers: head.headers)
    }

    func responseBody(_ octets: ByteBuffer, endsChunk: Bool) {
        self.responseBody.append(octets)
        switch self.borders {
        case .none: break
        case .chunks:
            self.openChunk += octets.readableBytes
            if endsChunk, self.openChunk > 0 {
                self.chunks.append(.init(at: self.elapsed, length: self.openChunk))
                self.openChunk = 0
            }
        case .messages:
            for length in self.responseMessages.take(octets) { self.chunks.append(self.message(length)) }
        case .arrival:
            let now = self.elapsed
            // A long download needs no list of every read.
            let span = self.chunks.count < Self.arrivalLimit ? 1 : 1000
            if let last = self.chunks.indices.last, now - self.chunks[last].at < span {
                self.chunks[last].length += octets.readableBytes
            } else {
                self.chunks.append(.init(at: now, length: octets.readableBytes))
            }
        }
    }

    /// A message of the response; while the request goes on, it also says how much of that had come.
    private func message(_ length: Int) -> RecordedResponse.Chunk {
        RecordedResponse.Chunk(
            at: self.elapsed, length: length, after: self.isRequestOver ? nil : self.requestMessageCount)
    }

    /// Records the complete exchange.
    ///
    /// - Returns: nil if it is recorded, else the moment when it will be; recording trouble never fails the client.
    func finish(trailers: HeaderList) -> EventLoopFuture<Void>? {
        self.response?.trailers = trailers
        if self.borders == .messages {
            if self.responseMessages.open > 0 { self.chunks.append(self.message(self.responseMessages.open)) }
            // The origin ended the call without waiting for the request's end.
            if !self.isRequestOver { self.chunks.append(self.message(0)) }
        }
        return self.record(failure: nil)
    }

    /// Records what came before the failure.
    func fail(_ failure: UpstreamFailure) -> EventLoopFuture<Void>? {
        if self.openChunk > 0 { self.chunks.append(.init(at: self.elapsed, length: self.openChunk)) }
        if self.responseMessages.open > 0 { self.chunks.append(self.message(self.responseMessages.open)) }
        return self.record(failure: failure)
    }

    /// The origin answered 101: what follows is recorded message by message.
    func webSocket(_ head: ResponseHead) -> WebSocketRecorder {
        self.isDone = true
        return WebSocketRecorder(
            exchange: Exchange(
                id: "", recordedAt: self.startedAt, request: self.request, outcome: .failure(Self.nothing),
                timing: Exchange.Timing(firstByte: self.elapsed)),
            response: RecordedResponse(
                status: head.status, reason: head.reason, version: head.version, headers: head.headers),
            incoming: self.proxied.incoming(), start: self.start, session: self.session,
            loop: self.loop)
    }

    private static let nothing = RecordedFailure(kind: .closed, message: "No response came.")

    /// The client went away in the middle: nothing is recorded.
    func abandon() {
        guard !self.isDone else { return }
        self.isDone = true
        self.requestBody.discard()
        self.responseBody.discard()
    }

    /// It failed in a way that says nothing about the origin: nothing is recorded, and the summary says why.
    func abandon(_ failure: UpstreamFailure) {
        self.abandon()
        if !failure.isRefusal {
            self.session.countFailure(self.request, failure.message)
        }
    }

    /// One piece alone says nothing, unless it came while the request went on.
    private var keptChunks: [RecordedResponse.Chunk] {
        self.chunks.count > 1 || self.chunks.first?.after != nil ? self.chunks : []
    }

    private var elapsed: Int { Int((self.loop.core.clock() - self.start).nanoseconds / 1_000_000) }

    private func record(failure: UpstreamFailure?) -> EventLoopFuture<Void>? {
        guard !self.isDone else { return nil }
        self.isDone = true
        let draft = Draft(
            startedAt: self.startedAt, request: self.request, requestBody: self.requestBody, response: self.response,
            responseBody: self.responseBody, chunks: self.keptChunks, failure: failure,
            timing: Exchange.Timing(firstByte: self.firstByte, total: self.elapsed))
        let session = self.session
        let incoming = self.proxied.incoming()
        guard self.requestBody.isLarge || self.responseBody.isLarge else {
            draft.record(in: session, request: incoming)
            return nil
        }
        return self.loop.record { draft.record(in: session, request: incoming) }
    }

    /// Everything that was seen, before codings are taken off.
    struct Draft: Sendable {
        var startedAt: Timestamp
        var request: RecordedRequest
        var requestBody: BodyCapture
        var response: RecordedResponse?
        var responseBody: BodyCapture
        var chunks: [RecordedResponse.Chunk]
        var failure: UpstreamFailure?
        var timing: Exchange.Timing

        func record(in session: CassetteSession, request: IncomingRequest) {
            var losses: [String] = []
            var draft = self
            var request = request
            request.body = draft.requestBody.matchable()
            let exchange = draft.exchange(for: session, &losses)
            session.record(
                exchange, request: request, loss: draft.requestBody.loss ?? draft.responseBody.loss,
                leftOut: losses.first)
        }

        private mutating func exchange(for session: CassetteSession, _ losses: inout [String]) -> Exchange {
            var request = self.request
            let requestBody = self.requestBody.finish(headers: request.headers, isRequest: true, in: session)
            request.body = requestBody.body
            var response = self.response
            let body = self.responseBody.finish(
                keepsCoding: self.failure != nil, chunks: self.chunks,
                headers: self.response?.headers ?? HeaderList(), isRequest: false, in: session)
            response?.body = body.body
            // Chunk borders belong to the octets as they were sent.
            if body.body.coding.isEmpty { response?.chunks = body.chunks }
            losses = [requestBody.loss, body.loss].compactMap { $0 }
            let outcome: Exchange.Outcome
            if let failure = self.failure {
                outcome = .failure(failure.recorded(partial: response))
            } else if let response {
                outcome = .response(response)
            } else {
                outcome = .failure(RecordingTap.nothing)
            }
            return Exchange(
                id: "", recordedAt: self.startedAt, request: request, outcome: outcome, timing: self.timing)
        }
    }
}

@available(*, unavailable)
extension RecordingTap: Sendable {}
