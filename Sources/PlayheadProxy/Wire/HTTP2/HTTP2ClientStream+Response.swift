import NIOCore
import NIOHPACK
import NIOHTTP2
import PlayheadHTTP

extension HTTP2ClientStream: ResponseSink {
    var isWritable: Bool {
        if !self.backlog.isFull, self.connection.isWritable { return true }
        self.isBlocked = true
        return false
    }

    var takesWireForm: Bool { false }

    func informational(_ head: ResponseHead) {
        guard !self.isClosed else { return }
        var head = head
        self.rewrite?.response(&head.headers)
        self.connection.write(self.id, .headers(.init(headers: HTTP2Fields.fields(of: head))))
        self.connection.flush()
    }

    func head(_ head: ResponseHead, framing: BodyFraming) {
        self.lastProgress = self.connection.loop.now
        var head = head
        self.rewrite?.response(&head.headers)
        self.pendingHead = HTTP2Fields.fields(of: head)
        self.holdsHead = framing == .none || self.requestHead.method == "HEAD"
    }

    func switchProtocols(_ head: ResponseHead) {
        self.head(ExtendedConnect.accepted(head), framing: .untilClose)
        self.flush()
        self.awaitsSwitch = false
        self.deliver()
    }

    func body(_ octets: ByteBuffer) {
        guard !self.isClosed, octets.readableBytes > 0, !self.holdsHead else { return }
        self.lastProgress = self.connection.loop.now
        self.writePending()
        self.pendingBody = octets
    }

    func end(trailers: HeaderList) {
        guard !self.isClosed else { return }
        self.exchange = nil
        let hasTrailers = !trailers.isEmpty && !self.holdsHead
        // An answer before the request's end: the rest is not wanted, which may be said when the answer has left.
        var promise: EventLoopPromise<Void>?
        if self.isRequestOpen {
            let sent = self.connection.loop.eventLoop.makePromise(of: Void.self)
            sent.futureResult.assumeIsolated().whenSuccess { self.refuseRest() }
            promise = sent
        }
        if hasTrailers {
            self.writePending()
            let fields = HTTP2Fields.fields(of: trailers)
            self.connection.write(self.id, .headers(.init(headers: fields, endStream: true)), promise: promise)
        } else if let head = self.pendingHead, self.pendingBody == nil {
            self.pendingHead = nil
            self.connection.write(self.id, .headers(.init(headers: head, endStream: true)), promise: promise)
        } else {
            let last = self.pendingBody ?? ByteBuffer()
            self.pendingBody = nil
            self.writePending()
            self.write(last, endsStream: true, promise: promise)
        }
        self.isPaused = false
        self.awaitsSwitch = false
        self.deliver()
    }

    private func refuseRest() {
        guard !self.isClosed, self.isRequestOpen else { return }
        self.connection.write(self.id, .rstStream(.noError))
        self.connection.flush()
    }

    func complete(wire: ByteBuffer) { self.breakOff(reset: true) }

    func flush() {
        guard !self.holdsHead else { return self.connection.flush() }
        self.writePending()
        self.connection.flush()
    }

    /// The client gets all that came before the break, then RST_STREAM.
    func breakOff(reset: Bool) {
        guard !self.isClosed else { return }
        self.exchange = nil
        self.writePending()
        let code: HTTP2ErrorCode = reset ? .cancel : .internalError
        guard self.hasSentHead else {
            self.connection.write(self.id, .rstStream(code))
            return self.connection.flush()
        }
        let sent = self.connection.loop.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in
            guard !self.isClosed else { return }
            self.connection.write(self.id, .rstStream(code))
            self.connection.flush()
        }
        self.write(ByteBuffer(), endsStream: false, promise: sent)
        self.connection.flush()
    }

    func setPaced(_ isWaiting: Bool) {
        self.isPaced = isWaiting
        self.lastProgress = self.connection.loop.now
    }

    func setRequestPaused(_ paused: Bool) {
        guard paused != self.isPaused else { return }
        self.isPaused = paused
        if !paused {
            self.deliver()
            self.connection.flush()
        }
    }

    // MARK: flow

    func networkBecameWritable() { self.unblockIfWritable() }

    private func unblockIfWritable() {
        guard self.isBlocked, self.backlog.hasRoom, self.connection.isWritable else { return }
        self.isBlocked = false
        self.exchange?.sinkBecameWritable()
        self.connection.flush()
    }

    /// Writes octets of the body and counts them until they have left.
    private func write(_ octets: ByteBuffer, endsStream: Bool, promise: EventLoopPromise<Void>? = nil) {
        let promise = self.backlog.promise(
            for: octets.readableBytes, promise, on: self.connection.loop.eventLoop
        ) {
            self.lastProgress = self.connection.loop.now
            if !self.isClosed { self.unblockIfWritable() }
        }
        self.connection.write(
            self.id, .data(.init(data: .byteBuffer(octets), endStream: endsStream)), promise: promise)
    }

    private func writePending() {
        if let head = self.pendingHead {
            self.pendingHead = nil
            self.hasSentHead = true
            self.connection.write(self.id, .headers(.init(headers: head)))
        }
        if let octets = self.pendingBody {
            self.pendingBody = nil
            self.write(octets, endsStream: false)
        }
    }
}
