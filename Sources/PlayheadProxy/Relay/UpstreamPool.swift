import NIOCore
import NIOPosix
import PlayheadTLS

/// The connections to origins of one event loop: confined to it, so no lock and no hop.
final class UpstreamPool {
    typealias Completion = (Result<any UpstreamExchange, UpstreamFailure>) -> Void

    /// No more idle connections are kept than this, over all origins.
    private static let idleLimit = 1024

    let eventLoop: any EventLoop
    private let dialler: Dialler
    private let timeouts: ProxyTimeouts
    private var idle: [UpstreamTarget: [UpstreamConnection]] = [:]
    private var idleCount = 0
    private var handshaking: [ObjectIdentifier: Completion] = [:]
    private var open: [ObjectIdentifier: UpstreamConnection] = [:]
    /// The loop's coarse clock, moved on by `sweep`.
    private(set) var now: NIODeadline = .now()

    init(eventLoop: any EventLoop, dialler: Dialler, timeouts: ProxyTimeouts) {
        self.eventLoop = eventLoop
        self.dialler = dialler
        self.timeouts = timeouts
    }

    /// The number of open connections, idle or not.
    var count: Int { self.open.count }

    /// Hands out a connection: a pooled one at once, else a new one when it is connected and verified.
    ///
    /// - Parameter isIdempotent: others take a pooled connection only when it was just used, since they cannot be
    ///   sent a second time if it turns out to be stale (RFC 9110 section 9.2.2).
    func acquire(_ target: UpstreamTarget, isIdempotent: Bool, fresh: Bool = false, _ completion: @escaping Completion)
    {
        while !fresh, let connection = self.takeIdle(target) {
            // It may be closing already, with the end of the channel still to be told.
            guard connection.isIdle else { continue }
            if !isIdempotent, self.now - connection.lastActivity > .seconds(5) {
                connection.abandon()
                continue
            }
            return completion(.success(connection))
        }
        let connection = UpstreamConnection(
            target: target, pool: self, forward: self.dialler.forwardedForm(for: target))
        let identity = ObjectIdentifier(connection)
        self.handshaking[identity] = completion
        self.open[identity] = connection
        self.dialler.connect(target, on: self.eventLoop, handler: connection) { failure in
            if let failure {
                self.open[identity] = nil
                self.settle(connection, .failure(failure))
            } else if !target.isSecure {
                self.settle(connection, .success(connection))
            }
        }
    }

    func handshakeCompleted(_ connection: UpstreamConnection) { self.settle(connection, .success(connection)) }

    func connectionFailed(_ connection: UpstreamConnection, _ failure: UpstreamFailure) {
        self.settle(connection, .failure(failure))
    }

    func connectionClosed(_ connection: UpstreamConnection) {
        self.open[ObjectIdentifier(connection)] = nil
        self.settle(connection, .failure(.closed(connection.target.description)))
        guard var list = self.idle[connection.target] else { return }
        let before = list.count
        list.removeAll { $0 === connection }
        self.idleCount -= before - list.count
        self.idle[connection.target] = list.isEmpty ? nil : list
    }

    func release(_ connection: UpstreamConnection) {
        guard self.idleCount < Self.idleLimit else { return connection.abandon() }
        self.idle[connection.target, default: []].append(connection)
        self.idleCount += 1
    }

    /// Moves the clock on and closes what has been quiet too long; called about once a second.
    func sweep() {
        self.now = .now()
        for (identity, connection) in self.open {
            let quiet = self.now - connection.lastActivity
            if self.handshaking[identity] != nil {
                let limit = self.timeouts.connect + self.timeouts.handshake
                guard quiet > .seconds(Int64(limit)) else { continue }
                self.settle(
                    connection, .failure(.connectTimeout(connection.target.description, seconds: limit)))
                connection.abandon()
            } else {
                let busy =
                    connection.awaitsResponse ? self.timeouts.response ?? self.timeouts.idle : self.timeouts.idle
                let limit = connection.isIdle ? self.timeouts.pooled : busy
                if quiet > .seconds(Int64(limit)) { connection.timeOut(seconds: limit) }
            }
        }
    }

    /// Closes all connections.
    func shutDown() {
        for connection in Array(self.open.values) { connection.abandon() }
    }

    private func takeIdle(_ target: UpstreamTarget) -> UpstreamConnection? {
        guard let index = self.idle.index(forKey: target) else { return nil }
        while let connection = self.idle.values[index].popLast() {
            self.idleCount -= 1
            // One that is closing stays in the list until its channel says so.
            if connection.isIdle { return connection }
        }
        return nil
    }

    private func settle(_ connection: UpstreamConnection, _ result: Result<any UpstreamExchange, UpstreamFailure>) {
        self.handshaking.removeValue(forKey: ObjectIdentifier(connection))?(result)
    }
}

@available(*, unavailable)
extension UpstreamPool: Sendable {}
