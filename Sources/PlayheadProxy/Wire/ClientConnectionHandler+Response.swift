import NIOCore
import PlayheadHTTP

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension ClientConnectionHandler: ResponseSink {
    var isWritable: Bool { self.context?.channel.isWritable ?? false }

    var takesWireForm: Bool {
        self.keepsAlive && !self.isHead && self.clientVersion == .http1_1 && self.rewrite == nil
    }

    func informational(_ head: ResponseHead) {
        // RFC 9110 section 15.2: a 1.0 client does not know interim responses.
        guard self.clientVersion != .http1_0 else { return }
        var head = head
        self.rewrite?.response(&head.headers)
        HTTP1Encoder.write(head, into: &self.out)
        self.needsFlush = true
        self.flush()
    }

    func head(_ head: ResponseHead, framing: BodyFraming) {
        // An answer before the request's end: the connection cannot be trusted to be at a message border.
        if self.isRequestOpen { self.keepsAlive = false }
        self.hasResponseHead = true
        var head = head
        head.version = .http1_1
        self.rewrite?.response(&head.headers)
        self.responseFraming = framing
        switch framing {
        case .chunked, .untilClose:
            if self.clientVersion == .http1_0 {
                self.responseFraming = .untilClose
                self.keepsAlive = false
            } else {
                self.responseFraming = .chunked
                head.headers.append(name: "Transfer-Encoding", value: "chunked")
            }
        case .none, .length: break
        }
        if self.isInputClosed, !self.isRequestOpen, self.decoder.bufferedBytes == 0 { self.keepsAlive = false }
        if !self.keepsAlive {
            head.headers.append(name: "Connection", value: "close")
        } else if self.clientVersion == .http1_0 {
            head.headers.append(name: "Connection", value: "keep-alive")
        }
        HTTP1Encoder.write(head, into: &self.out)
        if self.isHead { self.responseFraming = .none }
        self.needsFlush = true
    }

    func body(_ octets: ByteBuffer) {
        guard octets.readableBytes > 0, !self.isHead else { return }
        self.waitStart = self.loop.now
        self.unflushedOctets += octets.readableBytes
        let isChunk = self.responseFraming == .chunked
        if isChunk { HTTP1Encoder.writeChunkHeader(length: octets.readableBytes, into: &self.out) }
        if octets.readableBytes < 4096 {
            var octets = octets
            self.out.writeBuffer(&octets)
        } else {
            self.writeOut()
            self.context?.write(self.wrapOutboundOut(octets), promise: nil)
        }
        if isChunk { HTTP1Encoder.writeChunkEnd(into: &self.out) }
        self.needsFlush = true
    }

    func end(trailers: HeaderList) {
        if self.responseFraming == .chunked {
            HTTP1Encoder.writeLastChunk(trailers: trailers, into: &self.out)
            self.needsFlush = true
        }
        self.responseFinished()
    }

    func complete(wire: ByteBuffer) {
        self.hasResponseHead = true
        self.unflushedOctets += wire.readableBytes
        self.writeOut()
        self.context?.write(self.wrapOutboundOut(wire), promise: nil)
        self.needsFlush = true
        self.responseFinished()
    }

    func switchProtocols(_ head: ResponseHead) {
        self.hasResponseHead = true
        self.keepsAlive = false
        self.responseFraming = .untilClose
        var head = head
        head.version = .http1_1
        HTTP1Encoder.write(head, into: &self.out)
        self.needsFlush = true
        self.stage = .switched
        // A client may send frames before it has read the 101; they were kept back until now.
        let first = self.decoder.takeRemaining()
        if first.readableBytes > 0 { self.exchange?.requestBody(first) }
        self.flush()
    }

    func flush() {
        self.writeOut()
        if self.needsFlush {
            self.needsFlush = false
            self.unflushedOctets = 0
            self.context?.flush()
        }
    }

    func breakOff(reset: Bool) {
        self.stage = .closed
        self.exchange = nil
        self.expect(.progress)
        guard let context = self.context else { return }
        // RST instead of FIN where a tidy end would look like the end of the message.
        let resets = reset || self.responseFraming == .untilClose
        // The client gets all that came before the break, however slowly it reads.
        self.whenSent(context) { context in
            if resets, let socket = context.channel as? any SocketOptionProvider {
                _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            }
            context.close(promise: nil)
        }
    }

    func setRequestPaused(_ paused: Bool) {
        guard paused != self.isRequestPaused else { return }
        self.isRequestPaused = paused
        if !paused { self.resumeReading() }
    }

    func setPaced(_ isWaiting: Bool) { self.expect(isWaiting ? .nothing : .progress) }

    func flushIfNeeded() {
        if self.needsFlush { self.flush() }
    }

    private func writeOut() {
        guard self.out.readableBytes > 0 else { return }
        self.context?.write(self.wrapOutboundOut(self.out), promise: nil)
        self.out.clear()
    }

    /// The exchange's response is complete: go on with the next request, or close.
    private func responseFinished() {
        self.exchange = nil
        self.isRequestPaused = false
        self.hasResponseHead = false
        self.isHead = false
        guard self.keepsAlive, !self.isRequestOpen else { return self.finishConnection() }
        self.expect(.idle)
        guard !self.isPumping else { return }
        self.resumeReading()
        self.flushIfNeeded()
    }

    func resumeReading() {
        self.pump()
        if self.heldRead, !self.isRequestPaused {
            self.heldRead = false
            self.context?.read()
        }
    }

    /// Closes so that what was sent still arrives: while the client may be sending, its octets are read and dropped,
    /// since closing over unread input makes the kernel reset the connection (RFC 9112 section 9.6).
    func finishConnection() {
        guard let context = self.context else { return }
        self.stage = .lingering
        self.expect(.progress)
        if self.isInputClosed { return self.closeWhenSent(context) }
        // The limit for lingering begins when a slow reader has taken everything.
        self.whenSent(context) { context in
            if self.isInputClosed { return context.close(promise: nil) }
            self.expect(.linger)
            context.close(mode: .output, promise: nil)
        }
        self.isRequestPaused = false
        if self.heldRead {
            self.heldRead = false
            context.read()
        }
    }

    /// Closes both directions once the network has taken everything; a plain close would drop what waits.
    func closeWhenSent(_ context: ChannelHandlerContext) {
        self.whenSent(context) { $0.close(promise: nil) }
    }

    /// Flushes, and calls `action` when the network has taken everything or the channel has failed.
    private func whenSent(_ context: ChannelHandlerContext, _ action: @escaping (ChannelHandlerContext) -> Void) {
        self.writeOut()
        let sent = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer()), promise: sent)
        self.needsFlush = false
        self.unflushedOctets = 0
        sent.futureResult.assumeIsolated().whenComplete { _ in
            guard let context = self.context else { return }
            action(context)
        }
    }
}
