public import NIOCore
internal import NIOTLS

/// Writing, closing and failing.
extension TLSHandler {
    /// The error of writes that can no longer be sent.
    static let closedError = TLSError(
        code: .closed, message: "the TLS connection was closed before the data could be sent")

    /// Keeps a write until the flush.
    public func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch state {
        case .idle, .handshaking, .open, .inputClosed: queue.append(unwrapOutboundIn(data), promise: promise)
        case .outputClosed, .closing, .closed, .failed: promise?.fail(TLSHandler.closedError)
        }
    }

    /// Encrypts and sends what was written.
    public func flush(context: ChannelHandlerContext) {
        switch state {
        case .idle, .handshaking: flushRequested = true
        case .open, .inputClosed:
            if isEncrypting {
                flushRequested = true
            } else {
                encrypt(context)
            }
        case .outputClosed, .closing, .closed, .failed: context.flush()
        }
    }

    /// Closes with a close_notify: one direction for `.output`, the whole channel for `.all`.
    public func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch mode {
        case .output: closeOutput(context, promise: promise)
        // TLS has no way to tell the peer that we no longer read.
        case .input: promise?.fail(ChannelError.operationUnsupported)
        case .all: closeAll(context, promise: promise)
        }
    }

    // MARK: Encrypting

    /// Encrypts the queue, and what is flushed meanwhile, and hands the ciphertext on.
    func encrypt(_ context: ChannelHandlerContext) {
        isEncrypting = true
        repeat {
            flushRequested = false
            encryptOnce(context)
        } while flushRequested && canWrite
        isEncrypting = false
    }

    private var canWrite: Bool {
        switch state {
        case .open, .inputClosed: true
        case .idle, .handshaking, .outputClosed, .closing, .closed, .failed: false
        }
    }

    private func encryptOnce(_ context: ChannelHandlerContext) {
        guard let connection else { return }
        let batch = queue.take()
        for buffer in batch.full where !encrypt(buffer, with: connection, context) {
            batch.fail(TLSHandler.closedError)
            return
        }
        if let buffer = batch.tail, !encrypt(buffer, with: connection, context) {
            batch.fail(TLSHandler.closedError)
            return
        }
        sendCiphertext(context, promise: batch.joinedPromise(on: context.eventLoop))
    }

    /// Encrypts one buffer; false when the connection ended, by an error or from within a flush.
    private func encrypt(
        _ buffer: ByteBuffer, with connection: TLSConnection, _ context: ChannelHandlerContext
    ) -> Bool {
        var offset = 0
        let count = buffer.readableBytes
        while offset < count {
            if connection.outbound.readableBytes >= TLSHandler.sliceSize { sendCiphertext(context) }
            guard canWrite else { return false }
            let length = min(count - offset, TLSHandler.sliceSize)
            let error = buffer.withUnsafeReadableBytes { bytes in
                connection.write(UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + length)]))
            }
            if let error {
                fail(context, error)
                return false
            }
            offset += length
        }
        return true
    }

    /// Hands the ciphertext that waits to the network, in one flush.
    func sendCiphertext(_ context: ChannelHandlerContext, promise: EventLoopPromise<Void>? = nil) {
        guard let connection, connection.outbound.readableBytes > 0 else {
            if let promise {
                // Only empty writes waited: their promise keeps its place in the channel's order.
                context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: promise)
            }
            return
        }
        heldOctets = 0
        // No name for the ciphertext: a reference held here would keep the buffer from being reused.
        context.writeAndFlush(wrapOutboundOut(connection.takeOutbound()), promise: promise)
        connection.recycleOutbound()
    }

    // MARK: Closing

    /// Sends our close_notify; the peer may go on writing.
    func closeOutput(_ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
        switch state {
        case .idle, .handshaking:
            guard !outputCloseRequested else {
                promise?.fail(ChannelError.outputClosed)
                return
            }
            outputCloseRequested = true
            outputClosePromise = promise
        case .open:
            encrypt(context)
            guard case .open = state else {
                promise?.fail(TLSHandler.closedError)
                return
            }
            state = .outputClosed
            connection?.sendCloseNotify()
            sendCiphertext(context, promise: promise)
        case .inputClosed:
            encrypt(context)
            guard case .inputClosed = state else {
                promise?.fail(TLSHandler.closedError)
                return
            }
            // Both sides have now said all: nothing is left that the channel could carry.
            state = .closing
            connection?.sendCloseNotify()
            context.fireUserInboundEventTriggered(TLSUserEvent.shutdownCompleted)
            closeWhenSent(context, promise: promise)
        case .outputClosed, .closing, .closed, .failed: promise?.fail(ChannelError.outputClosed)
        }
    }

    private func closeAll(_ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
        switch state {
        case .idle, .handshaking:
            state = .closed
            closeNow(context, promise: promise)
        case .open, .inputClosed:
            state = .closing
            queue.take().fail(TLSHandler.closedError)
            connection?.sendCloseNotify()
            closeWhenSent(context, promise: promise)
        case .outputClosed:
            state = .closing
            closeWhenSent(context, promise: promise)
        // A second close does not wait.
        case .closing, .closed, .failed: closeNow(context, promise: promise)
        }
    }

    /// Closes as soon as the network has taken what was written, or after ``closeTimeout``.
    func closeWhenSent(_ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { [self] _ in
            switch state {
            case .closing:
                state = .closed
                closeNow(context, promise: promise)
            case .idle, .handshaking, .open, .inputClosed, .outputClosed, .closed, .failed:
                // A second close or the timer was faster.
                if let promise { context.channel.closeFuture.cascade(to: promise) }
            }
        }
        sendCiphertext(context, promise: sent)
        guard case .closing = state else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: TLSHandler.closeTimeout) { [weak self] in
            self?.closeTimedOut(context)
        }
    }

    private func closeTimedOut(_ context: ChannelHandlerContext) {
        guard case .closing = state else { return }
        closeNow(context, promise: nil)
    }

    private func closeNow(_ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
        if case .closing = state { state = .closed }
        cancelTimer()
        queue.take().fail(TLSHandler.closedError)
        failOutputClose(TLSHandler.closedError)
        context.close(mode: .all, promise: promise)
    }

    func failOutputClose(_ error: TLSError) {
        outputCloseRequested = false
        outputClosePromise.take()?.fail(error)
    }

    /// Ends the connection: waiting writes fail, the error is fired, the channel is closed.
    func fail(_ context: ChannelHandlerContext, _ error: TLSError) {
        switch state {
        case .idle, .handshaking, .open, .inputClosed, .outputClosed: break
        // We are leaving anyway; the peer's last words do not matter.
        case .closing, .closed, .failed: return
        }
        state = .failed
        cancelTimer()
        // OpenSSL may have written an alert for the peer.
        sendCiphertext(context)
        queue.take().fail(error)
        failOutputClose(error)
        context.fireErrorCaught(error)
        context.close(mode: .all, promise: nil)
    }
}

@available(*, unavailable)
extension TLSHandler: Sendable {}
