import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP

/// Listens to an open WebSocket and gives it to the session when it ends, however it ends.
final class WebSocketRecorder {
    private let session: CassetteSession
    private let loop: ProxyLoop
    private let start: NIODeadline
    private let incoming: IncomingRequest
    private var exchange: Exchange
    private let response: RecordedResponse
    private var transcript = WebSocketTranscript()
    private var isDone = false

    /// - Parameters:
    ///   - exchange: what is known so far; its outcome is replaced.
    ///   - start: the moment that times count from.
    init(
        exchange: Exchange, response: RecordedResponse, incoming: IncomingRequest, start: NIODeadline,
        session: CassetteSession, loop: ProxyLoop
    ) {
        self.exchange = exchange
        self.response = response
        self.incoming = incoming
        self.start = start
        self.session = session
        self.loop = loop
    }

    func note(_ event: WebSocketDecoder.Event, from sender: RecordedWebSocket.Sender) {
        self.transcript.note(event, from: sender, at: self.elapsed)
    }

    /// Tells the user that something is not as it should be.
    func warn(_ text: String) {
        self.session.warn("the WebSocket \(self.session.options.redactor.logURL(self.exchange.request.url)): \(text)")
    }

    /// Records what was seen.
    ///
    /// - Returns: nil if it is recorded, else the moment when it will be.
    func finish(_ ending: RecordedWebSocket.Ending) -> EventLoopFuture<Void>? {
        guard let draft = self.draft(ending) else { return nil }
        guard self.transcript.isLarge else {
            draft.record()
            return nil
        }
        return self.loop.record { draft.record() }
    }

    /// Records what was seen before it returns, for a proxy that is being stopped.
    func finishNow(_ ending: RecordedWebSocket.Ending) { self.draft(ending)?.record() }

    private var elapsed: Int { Int((self.loop.core.clock() - self.start).nanoseconds / 1_000_000) }

    private func draft(_ ending: RecordedWebSocket.Ending) -> Draft? {
        guard !self.isDone else { return nil }
        self.isDone = true
        if let loss = self.transcript.loss { self.warn("\(loss), so the rest of it is not recorded") }
        self.exchange.timing.total = self.elapsed
        return Draft(
            exchange: self.exchange, response: self.response, incoming: self.incoming, transcript: self.transcript,
            ending: self.transcript.loss == nil ? ending : .truncated, session: self.session)
    }

    private struct Draft: Sendable {
        var exchange: Exchange
        var response: RecordedResponse
        var incoming: IncomingRequest
        var transcript: WebSocketTranscript
        var ending: RecordedWebSocket.Ending
        var session: CassetteSession

        func record() {
            var exchange = self.exchange
            do {
                exchange.outcome = .webSocket(
                    RecordedWebSocket(
                        response: self.response, frames: try self.transcript.frames(), ending: self.ending))
                self.session.record(exchange, request: self.incoming)
            } catch {
                exchange.outcome = .webSocket(RecordedWebSocket(response: self.response, ending: .truncated))
                self.session.record(exchange, request: self.incoming, loss: "its messages could not be read: \(error)")
            }
        }
    }
}

@available(*, unavailable)
extension WebSocketRecorder: Sendable {}
