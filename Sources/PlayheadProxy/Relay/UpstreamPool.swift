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
    private var open: [ObjectIdentifier: any PooledConnection] = [:]
    var origins = HTTP2Origins()
    private var isShutDown = false
    private let clock: @Sendable () -> NIODeadline
    /// The loop's coarse clock, moved on by `sweep`.
    private(set) var now: NIODeadline

    init(
        eventLoop: any EventLoop, dialler: Dialler, timeouts: ProxyTimeouts,
        clock: @escaping @Sendable () -> NIODeadline = { .now() }
    ) {
        self.eventLoop = eventLoop
        self.dialler = dialler
        self.timeouts = timeouts
        self.clock = clock
        self.now = clock()
    }

    /// The number of open connections, idle or not.
    var count: Int { self.open.count }

    /// Hands out a connection: a pooled one at once, else a new one when it is connected and verified.
    ///
    /// - Parameters:
    ///   - isIdempotent: others take a pooled connection only when it was just used, since they cannot be sent a second
    ///     time if it turns out to be stale (RFC 9110 section 9.2.2).
    ///   - forWebSocket: a stream of HTTP/2 is handed out only where the origin opens WebSockets over streams.
    func acquire(
        _ target: UpstreamTarget, isIdempotent: Bool, fresh: Bool = false, forWebSocket: Bool = false,
        _ completion: @escaping Completion
    ) {
        guard target.versions != .http1 else {
            return self.acquireHTTP1(target, isIdempotent: isIdempotent, fresh: fresh, completion)
        }
        guard !self.origins.requiresHTTP1(target) else {
            return self.acquireHTTP1(
                target.inHTTP1(forWebSocket: forWebSocket), isIdempotent: isIdempotent, fresh: fresh, completion)
        }
        guard !forWebSocket else { return self.acquireForWebSocket(target, completion) }
        switch self.origins.way(to: target, isIdempotent: isIdempotent, now: self.now) {
        case .shared(let connection): completion(.success(connection.stream()))
        case .wait:
            self.origins.wait(for: target) { failure in
                if let failure { return completion(.failure(failure)) }
                self.acquire(target, isIdempotent: isIdempotent, fresh: fresh, completion)
            }
        case .dial:
            self.origins.beginDial(target)
            self.dial(target, completion)
        case .http1:
            self.acquireHTTP1(target.spokenInHTTP1, isIdempotent: isIdempotent, fresh: fresh, completion)
        }
    }

    func acquireHTTP1(
        _ target: UpstreamTarget, isIdempotent: Bool, fresh: Bool, _ completion: @escaping Completion
    ) {
        while !fresh, let connection = self.takeIdle(target) {
            // It may be closing already, with the end of the channel still to be told.
            guard connection.isIdle else { continue }
            if !isIdempotent, self.now - connection.lastActivity > .seconds(5) {
                connection.abandon()
                continue
            }
            return completion(.success(connection))
        }
        self.dial(target, completion)
    }

    func dial(_ target: UpstreamTarget, _ completion: @escaping Completion) {
        let connection = UpstreamConnection(
            target: target, pool: self, forward: self.dialler.forwardedForm(for: target))
        let identity = ObjectIdentifier(connection)
        self.handshaking[identity] = completion
        self.open[identity] = connection
        self.dialler.connect(target, on: self.eventLoop, handler: connection) { failure in
            if let failure {
                self.open[identity] = nil
                self.settle(connection, .failure(failure))
            } else if target.versions == .http2 {
                // Its SETTINGS will tell whether it does speak HTTP/2.
                _ = connection.becomeHTTP2()
            } else if !target.isSecure {
                self.settle(connection, .success(connection))
            }
        }
    }

    func handshakeCompleted(_ connection: UpstreamConnection) {
        if connection.target.versions == .both { self.origins.noteHTTP1(connection.target) }
        self.settle(connection, .success(connection))
    }

    /// HTTP/2 is spoken on a connection that was opened for either version.
    func replace(_ connection: UpstreamConnection, by new: HTTP2OriginConnection) {
        let identity = ObjectIdentifier(connection)
        self.open[identity] = nil
        self.open[ObjectIdentifier(new)] = new
        self.handshaking[ObjectIdentifier(new)] = self.handshaking.removeValue(forKey: identity)
    }

    /// An origin does speak HTTP/2.
    func confirmed(_ connection: HTTP2OriginConnection) {
        self.origins.add(connection)
        self.settle(connection, .success(connection.stream()))
    }

    /// No further requests go over a connection.
    func left(_ connection: HTTP2OriginConnection) { self.origins.remove(connection) }

    func connectionFailed(_ connection: any PooledConnection, _ failure: UpstreamFailure) {
        self.settle(connection, .failure(failure))
    }

    func connectionClosed(_ connection: any PooledConnection) {
        self.open[ObjectIdentifier(connection)] = nil
        self.settle(connection, .failure(.closed(connection.target.description)))
        guard let connection = connection as? UpstreamConnection, var list = self.idle[connection.target] else {
            return
        }
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
        self.now = self.clock()
        for (identity, connection) in self.open {
            guard self.handshaking[identity] != nil else {
                connection.checkDeadline(now: self.now, timeouts: self.timeouts)
                continue
            }
            let limit = self.timeouts.connect + self.timeouts.handshake
            guard self.now - connection.lastActivity > .seconds(Int64(limit)) else { continue }
            self.settle(connection, .failure(.connectTimeout(connection.target.description, seconds: limit)))
            connection.abandon()
        }
    }

    /// Closes all connections.
    func shutDown() {
        self.isShutDown = true
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

    /// Tells whoever opened a connection, and those who wait for what the origin speaks.
    private func settle(_ connection: any PooledConnection, _ result: Result<any UpstreamExchange, UpstreamFailure>) {
        guard let completion = self.handshaking.removeValue(forKey: ObjectIdentifier(connection)) else { return }
        let target = connection.target
        guard target.versions != .http1 else { return completion(result) }
        if case .failure = result, target.versions == .http2, connection is HTTP2OriginConnection, !self.isShutDown {
            // It did not take the preface: it is asked again in HTTP/1, which is all that it may know.
            self.origins.noteHTTP1(target)
            self.dial(target.spokenInHTTP1, completion)
            for wait in self.origins.endDial(target) { wait(nil) }
            return
        }
        completion(result)
        for wait in self.origins.endDial(target) {
            switch result {
            case .success: wait(nil)
            case .failure(let failure): wait(failure)
            }
        }
    }
}

@available(*, unavailable)
extension UpstreamPool: Sendable {}
