import NIOCore

/// What a pool knows of the origins that may speak HTTP/2.
struct HTTP2Origins {
    /// How to come to an origin.
    enum Way {
        /// One more stream of this connection.
        case shared(HTTP2OriginConnection)
        /// Somebody connects already; its outcome tells.
        case wait
        /// Be the first to connect.
        case dial
        /// It speaks HTTP/1, so everyone has a connection of their own.
        case http1
    }

    /// More origins than this are not remembered.
    private static let memoryLimit = 1024

    private var connections: [UpstreamTarget: [HTTP2OriginConnection]] = [:]
    private var speakHTTP1: Set<UpstreamTarget> = []
    private var waiting: [UpstreamTarget: [(UpstreamFailure?) -> Void]] = [:]

    /// - Parameter isIdempotent: others share a connection only when it was just used, since they cannot be sent a
    ///   second time if it turns out to be stale (RFC 9110 section 9.2.2).
    func way(to target: UpstreamTarget, isIdempotent: Bool, now: NIODeadline) -> Way {
        let connection = self.connections[target]?.first { connection in
            guard connection.takesStreams else { return false }
            return isIdempotent || !connection.isIdle || now - connection.lastActivity <= .seconds(5)
        }
        if let connection { return .shared(connection) }
        if self.speakHTTP1.contains(target) { return .http1 }
        return self.waiting[target] == nil ? .dial : .wait
    }

    mutating func beginDial(_ target: UpstreamTarget) { self.waiting[target] = [] }

    mutating func wait(for target: UpstreamTarget, _ outcome: @escaping (UpstreamFailure?) -> Void) {
        self.waiting[target, default: []].append(outcome)
    }

    /// A dial is over: those who wait for it.
    mutating func endDial(_ target: UpstreamTarget) -> [(UpstreamFailure?) -> Void] {
        self.waiting.removeValue(forKey: target) ?? []
    }

    mutating func add(_ connection: HTTP2OriginConnection) {
        self.connections[connection.target, default: []].append(connection)
        self.speakHTTP1.remove(connection.target)
    }

    mutating func remove(_ connection: HTTP2OriginConnection) {
        guard var list = self.connections[connection.target] else { return }
        list.removeAll { $0 === connection }
        self.connections[connection.target] = list.isEmpty ? nil : list
    }

    mutating func noteHTTP1(_ target: UpstreamTarget) {
        if self.speakHTTP1.count >= Self.memoryLimit { self.speakHTTP1 = [] }
        self.speakHTTP1.insert(target)
    }
}
