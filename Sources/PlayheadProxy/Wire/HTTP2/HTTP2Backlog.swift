import NIOCore

/// The octets of one stream that were written and have not left: NIOHTTP2 keeps them until the peer's windows open.
final class HTTP2Backlog {
    /// So many octets are written without asking when they have left: most messages are smaller.
    private static let uncountedLimit = 16 * 1024

    private var uncounted = HTTP2Backlog.uncountedLimit
    private(set) var octets = 0

    /// Whether the source of the octets has to stop.
    var isFull: Bool { self.octets >= HTTP2Limits.streamBacklog }

    /// Whether a source that was stopped may go on.
    var hasRoom: Bool { self.octets < HTTP2Limits.streamBacklog / 2 }

    /// The promise to write `count` octets with, if one is needed; `left` is called when they have left.
    func promise(
        for count: Int, _ given: EventLoopPromise<Void>?, on eventLoop: any EventLoop, left: @escaping () -> Void
    ) -> EventLoopPromise<Void>? {
        guard count > self.uncounted else {
            self.uncounted -= count
            return given
        }
        self.octets += count
        let sent = given ?? eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in
            self.octets -= count
            left()
        }
        return sent
    }
}

@available(*, unavailable)
extension HTTP2Backlog: Sendable {}
