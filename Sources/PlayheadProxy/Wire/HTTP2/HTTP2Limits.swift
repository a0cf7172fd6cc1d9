import NIOCore
import NIOHTTP2

/// The bounds within which HTTP/2 is spoken, on either side.
///
/// They bound the memory that one connection can hold and the work that its peer can cause; NIOHTTP2 enforces them.
enum HTTP2Limits {
    /// The most requests that a client may have under way on one connection.
    static let concurrentStreams = 100
    /// What one stream may receive ahead of the one who takes it, in octets.
    static let streamWindow = 256 * 1024
    /// What all streams of a connection may receive within one round trip, in octets.
    static let connectionWindow = 1024 * 1024
    /// What a stream may have waiting for the network before its source is stopped, in octets.
    static let streamBacklog = 128 * 1024
    /// The most octets of one field section, as HPACK counts them.
    static let fieldSection = 256 * 1024
    /// The most malformed requests before a connection is closed.
    static let malformedRequests = 100

    /// The window that a connection begins with (RFC 9113 section 6.9.2).
    static let initialConnectionWindow = 65_535

    /// The handler of frames towards a client.
    static func serverHandler(delegate: any NIOHTTP2FrameDelegate) -> NIOHTTP2Handler {
        Self.handler(
            .server, delegate,
            settings: [
                HTTP2Setting(parameter: .maxConcurrentStreams, value: Self.concurrentStreams),
                // RFC 8441 section 3: WebSockets may be opened over a stream.
                HTTP2Setting(parameter: .enableConnectProtocol, value: 1),
            ])
    }

    /// The handler of frames towards an origin; nothing may be pushed to us.
    static func clientHandler(delegate: any NIOHTTP2FrameDelegate) -> NIOHTTP2Handler {
        Self.handler(.client, delegate, settings: [HTTP2Setting(parameter: .enablePush, value: 0)])
    }

    private static func handler(
        _ mode: NIOHTTP2Handler.ParserMode, _ delegate: any NIOHTTP2FrameDelegate, settings: [HTTP2Setting]
    ) -> NIOHTTP2Handler {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings =
            settings + [
                HTTP2Setting(parameter: .initialWindowSize, value: Self.streamWindow),
                HTTP2Setting(parameter: .maxHeaderListSize, value: Self.fieldSection),
            ]
        connection.maximumSequentialContinuationFrames = Self.fieldSection / (16 * 1024)
        connection.maximumSequentialEmptyDataFrames = 4
        // gRPC measures the bandwidth with pings, some ten in a second.
        connection.controlFrameRateLimit.maximumCount = 2000
        return NIOHTTP2Handler(mode: mode, frameDelegate: delegate, connectionConfiguration: connection)
    }
}

/// Counts what was taken of a flow-control window, and says when to open it again (RFC 9113 section 5.2).
struct HTTP2ReceiveWindow {
    private let size: Int
    private var taken = 0

    init(size: Int) { self.size = size }

    /// Octets were taken; returns the increment to announce, if it is time to.
    mutating func take(_ octets: Int) -> Int? {
        self.taken += octets
        guard self.taken >= self.size / 2 else { return nil }
        defer { self.taken = 0 }
        return self.taken
    }
}
