import NIOCore
import NIOPosix
import Synchronization

/// A client's connection as its loop sees it, whatever it speaks.
protocol ClientConnection: AnyObject {
    /// Called about once a second: ends what has waited too long, and when draining what waits for nothing.
    func checkDeadline(now: NIODeadline, isDraining: Bool)

    /// Closes, finished or not.
    func closeNow()

    /// The session whose port the connection came to, if it was a leased one.
    var lease: LeasedSession? { get }
}

/// What one event loop owns: its client connections and its pool of upstream connections.
///
/// Confined to the loop: an exchange lives on one loop from the client's socket to the origin's.
final class ProxyLoop {
    let eventLoop: any EventLoop
    let core: ProxyCore
    let pool: UpstreamPool
    private var connections: [ObjectIdentifier: any ClientConnection] = [:]
    private var sweeper: RepeatedTask?
    private var drained: EventLoopPromise<Void>?
    /// Recordings that threads are at work on; the loop does not end before them.
    private var recordings = 0
    private(set) var isDraining = false
    /// The loop's coarse clock: exact to the second, which is enough for limits in seconds.
    var now: NIODeadline { self.pool.now }

    init(eventLoop: any EventLoop, core: ProxyCore) {
        self.eventLoop = eventLoop
        self.core = core
        self.pool = UpstreamPool(
            eventLoop: eventLoop, dialler: core.dialler, timeouts: core.settings.timeouts, clock: core.clock)
    }

    /// Starts the once-a-second sweep of limits in time.
    func start() {
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.sweeper = self.eventLoop.scheduleRepeatedTask(
            initialDelay: .seconds(1), delay: .seconds(1)
        ) { _ in bound.value.sweep() }
    }

    var connectionCount: Int { self.connections.count }

    func add(_ connection: any ClientConnection) {
        self.connections[ObjectIdentifier(connection)] = connection
        self.core.connectionCount.add(1, ordering: .relaxed)
    }

    func remove(_ connection: any ClientConnection) {
        self.connections[ObjectIdentifier(connection)] = nil
        self.finishDrainIfEmpty()
    }

    /// Closes idle connections and waits for the others to finish their exchange.
    func drain() -> EventLoopFuture<Void> {
        if let drained = self.drained { return drained.futureResult }
        let promise = self.eventLoop.makePromise(of: Void.self)
        self.drained = promise
        self.isDraining = true
        self.sweep()
        self.finishDrainIfEmpty()
        return promise.futureResult
    }

    /// Does work that ends in a recording on a thread; the loop waits for it before it ends.
    func record(_ work: @escaping @Sendable () -> Void) -> EventLoopFuture<Void> {
        self.recordings += 1
        let done = NIOThreadPool.singleton.runIfActive(eventLoop: self.eventLoop, work)
        done.assumeIsolated().whenComplete { _ in
            self.recordings -= 1
            self.finishDrainIfEmpty()
        }
        return done
    }

    /// Closes everything, finished or not.
    ///
    /// - Returns: the moment when what was recorded until now is kept.
    func stop() -> EventLoopFuture<Void> {
        self.drained?.succeed(())
        let promise = self.eventLoop.makePromise(of: Void.self)
        self.drained = promise
        self.sweeper?.cancel()
        self.sweeper = nil
        for connection in Array(self.connections.values) { connection.closeNow() }
        self.pool.shutDown()
        self.connections = [:]
        self.finishDrainIfEmpty()
        return promise.futureResult
    }

    /// Ends the idle connections of a leased session, or all of them at once.
    ///
    /// - Returns: how many of them are still open.
    func endConnections(of lease: LeasedSession, atOnce: Bool) -> Int {
        let ended = self.connections.values.filter { $0.lease === lease }
        for connection in ended {
            if atOnce { connection.closeNow() } else { connection.checkDeadline(now: self.now, isDraining: true) }
        }
        return self.connections.values.count { $0.lease === lease }
    }

    private func finishDrainIfEmpty() {
        guard self.connections.isEmpty, self.recordings == 0, let drained = self.drained else { return }
        self.drained = nil
        drained.succeed(())
    }

    /// Ends what has waited too long.
    func sweep() {
        self.pool.sweep()
        self.closeIdleSessions()
        let now = self.now
        for connection in Array(self.connections.values) {
            connection.checkDeadline(now: now, isDraining: self.isDraining)
        }
    }
}

@available(*, unavailable)
extension ProxyLoop: Sendable {}
