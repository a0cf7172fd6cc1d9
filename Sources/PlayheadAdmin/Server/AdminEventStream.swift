import NIOCore
import PlayheadHTTP
import PlayheadProxy
import Synchronization

/// A response that goes on with events until the client leaves; confined to the connection's event loop.
///
/// A client that does not read costs nothing but its place in the log: events are made only when the socket takes
/// them, and one that falls too far behind gets a `reset`.
final class AdminEventStream {
    /// Whether a wake-up is under way: a busy proxy does not fill the loop with them.
    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    /// How often a quiet stream says that it is there.
    static let heartbeatTime = TimeAmount.seconds(15)

    private var feed: EventFeed
    private let channel: any Channel
    private let isChunked: Bool
    private let write: (ByteBuffer) -> Void
    private let flag = Flag()
    private var observation: Int?
    private var heartbeat: RepeatedTask?

    init(_ feed: EventFeed, channel: any Channel, isChunked: Bool, write: @escaping (ByteBuffer) -> Void) {
        self.feed = feed
        self.channel = channel
        self.isChunked = isChunked
        self.write = write
    }

    func start() {
        let bound = NIOLoopBound(self, eventLoop: self.channel.eventLoop)
        let (eventLoop, flag) = (self.channel.eventLoop, self.flag)
        self.observation = self.feed.log.observe {
            guard !flag.isSet.exchange(true, ordering: .acquiringAndReleasing) else { return }
            eventLoop.execute {
                flag.isSet.store(false, ordering: .releasing)
                bound.value.pump()
            }
        }
        self.heartbeat = eventLoop.scheduleRepeatedTask(
            initialDelay: Self.heartbeatTime, delay: Self.heartbeatTime
        ) { _ in
            let stream = bound.value
            if stream.channel.isWritable { stream.send(EventFeed.heartbeat) }
        }
        self.send(EventFeed.greeting)
        self.pump()
    }

    /// Sends what there is, as far as the socket takes it.
    func pump() {
        guard self.observation != nil else { return }
        while self.channel.isWritable, let octets = self.feed.next() { self.send(octets) }
    }

    func stop() {
        if let observation = self.observation { self.feed.log.stopObserving(observation) }
        self.observation = nil
        self.heartbeat?.cancel()
        self.heartbeat = nil
    }

    private func send(_ octets: ByteBuffer) {
        guard self.isChunked else { return self.write(octets) }
        var out = self.channel.allocator.buffer(capacity: octets.readableBytes + 16)
        HTTP1Encoder.writeChunk(octets, into: &out)
        self.write(out)
    }
}

@available(*, unavailable)
extension AdminEventStream: Sendable {}
