public import NIOCore
public import PlayheadHTTP

/// The body of a request, as far as the proxy holds it.
public enum IncomingBody: Sendable, Equatable {
    /// There is no body.
    case none
    /// The complete octets as sent, with the content coding still on.
    case octets(ByteBuffer)
    /// Too big to hold: the SHA-256 of the octets as sent (64 lower-case hexadecimal digits) and their number.
    case hashed(sha256: String, length: Int)

    /// The number of octets as sent.
    public var count: Int {
        switch self {
        case .none: 0
        case .octets(let octets): octets.readableBytes
        case .hashed(_, let length): length
        }
    }
}

/// A request as the engine compares it with recordings.
public struct IncomingRequest: Sendable, Equatable {
    /// The method token as sent.
    public var method: String
    /// Where it goes; host in lower case without a trailing dot.
    public var origin: Origin
    /// Path and query as sent; begins with a slash, or is `*`.
    public var pathAndQuery: String
    /// The version the client spoke.
    public var version: HTTPVersion
    /// The fields as sent.
    public var headers: HeaderList
    /// The body; `none` while it has not been read.
    public var body: IncomingBody

    /// Creates a request.
    public init(
        method: String, scheme: String, host: String, port: Int, pathAndQuery: String,
        version: HTTPVersion = .http1_1, headers: HeaderList = HeaderList(), body: IncomingBody = .none
    ) {
        self.method = method
        self.origin = Origin(scheme: scheme, host: host, port: port)
        self.pathAndQuery = pathAndQuery.utf8.isEmpty ? "/" : pathAndQuery
        self.version = version
        self.headers = headers
        self.body = body
    }

    /// Creates a request from an absolute URL.
    ///
    /// - Throws: ``EngineError`` when the URL cannot be read.
    public init(
        method: String, url: String, version: HTTPVersion = .http1_1, headers: HeaderList = HeaderList(),
        body: IncomingBody = .none
    ) throws {
        let parts = try URLParts(url)
        self.method = method
        self.origin = parts.origin
        self.pathAndQuery = parts.pathAndQuery
        self.version = version
        self.headers = headers
        self.body = body
    }

    /// The scheme, `http` or `https`.
    public var scheme: String { self.origin.scheme }
    /// The host in lower case, without a trailing dot and without brackets.
    public var host: String { self.origin.host }
    /// The port.
    public var port: Int { self.origin.port }
    /// The absolute URL; a default port is left out.
    public var url: String {
        let target = self.pathAndQuery == "*" ? "/*" : self.pathAndQuery
        return self.origin.description + target
    }
}
