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

    /// How to come to an origin for a WebSocket.
    enum WebSocketWay {
        /// One more stream of this connection.
        case shared(HTTP2OriginConnection)
        /// The SETTINGS of this connection have not come; they tell.
        case ask(HTTP2OriginConnection)
        /// Somebody connects already.
        case wait
        /// Be the first to connect.
        case dial
        /// A connection of its own, in HTTP/1.
        case http1
    }

    /// More origins than this are not remembered.
    private static let memoryLimit = 1024

    private var connections: [UpstreamTarget: [HTTP2OriginConnection]] = [:]
    private var speakHTTP1: Set<UpstreamTarget> = []
    /// Origins that speak HTTP/2 and have asked for HTTP/1.1 (HTTP_1_1_REQUIRED).
    private var requireHTTP1: Set<UpstreamTarget> = []
    /// Origins that speak HTTP/2 and open no WebSockets over it.
    private var lackWebSockets: Set<UpstreamTarget> = []
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

    func wayForWebSocket(to target: UpstreamTarget) -> WebSocketWay {
        let usable = (self.connections[target] ?? []).filter(\.takesStreams)
        if let connection = usable.first(where: { $0.takesWebSockets == true }) { return .shared(connection) }
        if let connection = usable.first(where: { $0.takesWebSockets == nil }) { return .ask(connection) }
        if self.speakHTTP1.contains(target) || self.lackWebSockets.contains(target) { return .http1 }
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

    mutating func noteHTTP1(_ target: UpstreamTarget) { Self.note(target, in: &self.speakHTTP1) }

    mutating func noteHTTP1Required(_ target: UpstreamTarget) { Self.note(target, in: &self.requireHTTP1) }

    /// Whether an origin has asked for HTTP/1.1, whatever ALPN says.
    func requiresHTTP1(_ target: UpstreamTarget) -> Bool {
        !self.requireHTTP1.isEmpty && self.requireHTTP1.contains(target)
    }

    /// What an origin's SETTINGS say about WebSockets.
    mutating func noteWebSockets(_ target: UpstreamTarget, taken: Bool) {
        if taken { self.lackWebSockets.remove(target) } else { Self.note(target, in: &self.lackWebSockets) }
    }

    private static func note(_ target: UpstreamTarget, in memory: inout Set<UpstreamTarget>) {
        if memory.count >= Self.memoryLimit { memory = [] }
        memory.insert(target)
    }
}
