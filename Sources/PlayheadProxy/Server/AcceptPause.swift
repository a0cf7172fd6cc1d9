import Logging
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Stops accepting for a moment when the process or the system has no descriptors or memory left.
///
/// A failed accept leaves the connection in the listener's queue, so the listener stays readable: without a pause
/// the event loop would do nothing else than fail. NIO's own back-off handler delays the next read that is asked
/// for, but after a failed accept the read that is under way goes on.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private static let pause = TimeAmount.milliseconds(250)

    private let logger: Logger
    private var isPaused = false
    private var hasWarned = false

    init(logger: Logger) { self.logger = logger }

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
        guard !self.isPaused, let options = context.channel.syncOptions else { return }
        self.isPaused = true
        try? options.setOption(.autoRead, value: false)
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
            self.isPaused = false
            guard context.channel.isActive else { return }
            try? options.setOption(.autoRead, value: true)
        }
    }
}

@available(*, unavailable)
extension AcceptPause: Sendable {}
