internal import NIOCore

/// Writes that wait for a flush, small ones joined so that they share a TLS record.
struct PlaintextQueue {
    /// The plaintext of one full TLS record (RFC 8446 section 5.1).
    static let recordSize = 16384

    /// Buffers that are complete, oldest first.
    private(set) var full: [ByteBuffer] = []

    /// The newest buffer, to which small writes are added.
    private(set) var tail: ByteBuffer?

    /// The promises of the writes.
    private(set) var promises: [EventLoopPromise<Void>] = []

    /// Whether nothing waits, not even an empty write's promise.
    var isEmpty: Bool { tail == nil && promises.isEmpty }

    /// Adds a write.
    mutating func append(_ buffer: ByteBuffer, promise: EventLoopPromise<Void>?) {
        if let promise { promises.append(promise) }
        let count = buffer.readableBytes
        guard count > 0 else { return }
        guard let size = tail?.readableBytes else {
            tail = buffer
            return
        }
        if size + count <= PlaintextQueue.recordSize {
            tail?.writeImmutableBuffer(buffer)
        } else {
            if let done = tail { full.append(done) }
            tail = buffer
        }
    }

    /// Gives all that waits and leaves the queue empty.
    mutating func take() -> PlaintextQueue {
        let taken = self
        self = PlaintextQueue()
        return taken
    }

    /// Fails the promises of writes that were taken.
    ///
    /// Not of a queue in place: who hears of the failure may write, or close, and so come back to that queue.
    func fail(_ error: any Error) {
        for promise in promises { promise.fail(error) }
    }

    /// One promise that keeps all of the queue's, nil when nobody asked.
    func joinedPromise(on eventLoop: any EventLoop) -> EventLoopPromise<Void>? {
        guard promises.count > 1 else { return promises.first }
        let joined = eventLoop.makePromise(of: Void.self)
        for promise in promises { joined.futureResult.cascade(to: promise) }
        return joined
    }
}
