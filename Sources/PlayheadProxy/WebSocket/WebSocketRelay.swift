import NIOCore
import PlayheadCassette
import PlayheadHTTP

/// An open WebSocket between a client and an origin: frames pass both ways as they come.
///
/// Each side is read only while the other takes more. When it is recorded, frames are judged before they pass, so what
/// breaks the protocol ends it here; a recording could not hold it. Otherwise octets pass unseen.
final class WebSocketRelay: WebSocketEnd, UpstreamReceiver {
    private let connection: any UpstreamExchange
    private unowned let sink: any ResponseSink
    private let recorder: WebSocketRecorder?
    private var fromClient = WebSocketDecoder(from: .client)
    private var fromServer = WebSocketDecoder(from: .server)
    /// Octets for the client that wait until the recording is on disk.
    private var withheld: ByteBuffer?
    private var isClosing = false
    private var isDone = false
    private var isDraining = false

    init(connection: any UpstreamExchange, sink: any ResponseSink, recorder: WebSocketRecorder?) {
        self.connection = connection
        self.sink = sink
        self.recorder = recorder
    }

    // MARK: from the client

    func clientOctets(_ octets: ByteBuffer) {
        guard !self.isDone, !self.isClosing else { return }
        guard self.recorder != nil else { return self.send(octets) }
        self.fromClient.append(octets)
        do {
            while let event = try self.fromClient.next() { self.recorder?.note(event, from: .client) }
        } catch {
            self.send(self.fromClient.takeConsumed())
            return self.fail(error, of: .client)
        }
        self.send(self.fromClient.takeConsumed())
        if self.isClosedByBoth { self.end(.closed) }
    }

    func clientEnded() {
        // With its close frame sent, a client may still wait for the answer.
        guard !self.isDone, self.recorder == nil || !self.fromClient.isFinished else { return }
        self.connection.abandon()
        self.end(.clientLeft)
    }

    func clientGone() {
        guard !self.isDone else { return }
        self.isDone = true
        self.connection.abandon()
        guard !self.isClosing else { return }
        _ = self.recorder?.finish(self.hasCloseFrame ? .closed : .clientLeft)
    }

    func sinkBecameWritable() { self.connection.setPaused(false) }

    private func send(_ octets: ByteBuffer) {
        guard octets.readableBytes > 0 else { return }
        self.connection.send(body: octets)
        self.connection.flush()
        if !self.connection.isWritable { self.sink.setRequestPaused(true) }
    }

    // MARK: from the origin

    func upstreamBody(_ octets: ByteBuffer, endsChunk: Bool) {
        guard !self.isDone, !self.isClosing else { return }
        guard self.recorder != nil else { return self.deliver(octets) }
        self.fromServer.append(octets)
        do {
            while let event = try self.fromServer.next() { self.recorder?.note(event, from: .server) }
        } catch {
            self.deliver(self.fromServer.takeConsumed())
            return self.fail(error, of: .server)
        }
        let judged = self.fromServer.takeConsumed()
        guard self.isClosedByBoth else { return self.deliver(judged) }
        // A client may leave once it has the close frame, so the recording comes first.
        self.withheld = judged
        self.end(.closed)
    }

    func upstreamReadComplete() { if !self.isDone { self.sink.flush() } }

    func upstreamBecameWritable() { if !self.isDone { self.sink.setRequestPaused(false) } }

    func upstreamEnd(_ trailers: HeaderList) { self.end(self.hasCloseFrame ? .closed : .serverClosed) }

    func upstreamFailed(_ failure: UpstreamFailure, beforeResponse: Bool) {
        if self.hasCloseFrame { return self.end(.closed) }
        switch failure.kind {
        case .reset: self.end(.serverReset)
        case .timeout: self.end(.timeout)
        default: self.end(.serverClosed)
        }
    }

    func upstreamInformational(_ head: ResponseHead) {}

    func upstreamHead(_ head: ResponseHead, _ framing: BodyFraming) {}

    private func deliver(_ octets: ByteBuffer) {
        guard octets.readableBytes > 0 else { return }
        self.sink.body(octets)
        if !self.sink.isWritable {
            self.sink.flush()
            if !self.sink.isWritable { self.connection.setPaused(true) }
        }
    }

    // MARK: the end

    /// Whether both close frames passed: nothing more can be said.
    private var isClosedByBoth: Bool { self.fromClient.isFinished && self.fromServer.isFinished }

    private var hasCloseFrame: Bool { self.fromClient.isFinished || self.fromServer.isFinished }

    /// Fails the WebSocket (RFC 6455 section 7.1.7): the client is told why, the origin is left.
    private func fail(_ error: WebSocketError, of side: RecordedWebSocket.Sender) {
        self.recorder?.warn("the \(side.rawValue) \(error)")
        self.connection.abandon()
        self.writeClose(code: error.closeCode, reason: "playhead: the \(side.rawValue) \(error)")
        self.end(.malformed)
    }

    /// A close frame to the client, where a frame may stand.
    private func writeClose(code: Int, reason: String) {
        guard self.recorder != nil, self.fromServer.isAtFrameBorder, !self.fromServer.isFinished else { return }
        var close = ByteBuffer()
        WebSocketEncoder.writeClose(code: code, reason: reason, into: &close)
        self.sink.body(close)
    }

    /// Records what was seen, then ends the client's side in the same way.
    private func end(_ ending: RecordedWebSocket.Ending) {
        guard !self.isDone, !self.isClosing else { return }
        self.isClosing = true
        guard let pending = self.recorder?.finish(ending) else { return self.finish(ending) }
        pending.assumeIsolated().whenComplete { _ in self.finish(ending) }
    }

    private func finish(_ ending: RecordedWebSocket.Ending) {
        guard !self.isDone else { return }
        self.isDone = true
        if let octets = self.withheld { self.sink.body(octets) }
        // A server that says goodbye and then stays would keep the connection for as long as it likes.
        if ending == .closed, self.connection.isWritable { self.connection.leave() }
        if ending == .serverReset { return self.sink.breakOff(reset: true) }
        self.sink.end(trailers: HeaderList())
        self.sink.flush()
    }

    // MARK: the proxy stops

    func drain() {
        // What the client has sent already, perhaps its close frame, is read first.
        if self.isDraining { self.stop() }
        self.isDraining = true
    }

    func stop() {
        guard !self.isDone, !self.isClosing else { return }
        self.isDone = true
        self.connection.abandon()
        self.recorder?.finishNow(self.hasCloseFrame ? .closed : .stopped)
        self.writeClose(code: 1001, reason: "playhead is being stopped")
        self.sink.end(trailers: HeaderList())
        self.sink.flush()
    }
}

@available(*, unavailable)
extension WebSocketRelay: Sendable {}
