import Logging
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Answers 503 when the process has no descriptors left, and stops accepting for a moment when that fails too.
///
/// A spare descriptor is kept for that: given up, it lets one connection in, which is told why it is not served.
/// A failed accept leaves the connection in the listener's queue, so the listener stays readable: without a pause
/// the event loop would do nothing else than fail. NIO's own back-off handler delays the next read that is asked
/// for, but after a failed accept the read that is under way goes on.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    private static let pause = TimeAmount.milliseconds(250)

    private let logger: Logger
    private var isPaused = false
    private var hasWarned = false
    private var spare = SpareDescriptor()
    /// The spare descriptor was given up: the next connection gets it.
    private var isShedding = false

    init(logger: Logger) { self.logger = logger }

    func handlerAdded(context: ChannelHandlerContext) { self.spare.take() }

    func handlerRemoved(context: ChannelHandlerContext) { self.spare.giveUp() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if self.isShedding {
            self.isShedding = false
            let (loop, bound) = (context.eventLoop, NIOLoopBound(self, eventLoop: context.eventLoop))
            let child = self.unwrapInboundIn(data)
            child.eventLoop.execute {
                try? child.pipeline.syncOperations.addHandler(OverloadAnswer(), position: .first)
            }
            child.closeFuture.hop(to: loop).whenComplete { _ in bound.value.spare.take() }
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let failure = error as? IOError, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(failure.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        if !self.hasWarned {
            self.hasWarned = true
            self.logger.warning(
                "No more connections can be accepted for now; raise the limit of open files with `ulimit -n`",
                metadata: ["reason": "\(failure)"])
        }
        if self.spare.giveUp() {
            self.isShedding = true
            return
        }
        guard !self.isPaused, let options = context.channel.syncOptions else { return }
        self.isPaused = true
        try? options.setOption(.autoRead, value: false)
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
            self.isPaused = false
            self.isShedding = false
            self.spare.take()
            guard context.channel.isActive else { return }
            try? options.setOption(.autoRead, value: true)
        }
    }
}

@available(*, unavailable)
extension AcceptPause: Sendable {}

/// A descriptor that is open for nothing but to be closed when there is no other.
private struct SpareDescriptor {
    private var descriptor: Int32 = -1

    mutating func take() {
        if self.descriptor < 0 { self.descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC) }
    }

    /// - Returns: whether there was one.
    @discardableResult
    mutating func giveUp() -> Bool {
        guard self.descriptor >= 0 else { return false }
        close(self.descriptor)
        self.descriptor = -1
        return true
    }
}
