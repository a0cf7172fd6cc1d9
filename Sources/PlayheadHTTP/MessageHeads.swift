/// The version a message was spoken in; `description` is the text cassettes hold.
public struct HTTPVersion: Sendable, Hashable, CustomStringConvertible {
    /// The major number: 1 or 2.
    public var major: Int
    /// The minor number: 0 or 1.
    public var minor: Int

    /// Creates a version.
    public init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// HTTP/1.0 (RFC 1945).
    public static let http1_0 = HTTPVersion(major: 1, minor: 0)
    /// HTTP/1.1 (RFC 9112).
    public static let http1_1 = HTTPVersion(major: 1, minor: 1)
    /// HTTP/2 (RFC 9113).
    public static let http2 = HTTPVersion(major: 2, minor: 0)

    /// `HTTP/1.0`, `HTTP/1.1` or `HTTP/2`.
    public var description: String { self.major == 2 ? "HTTP/2" : "HTTP/\(self.major).\(self.minor)" }
}

/// The start line and the fields of a request.
public struct RequestHead: Sendable, Equatable {
    /// The method token as sent; any token is allowed (RFC 9110 section 9.1).
    public var method: String
    /// The request target as sent: origin, absolute, authority or asterisk form (RFC 9112 section 3.2).
    public var target: String
    /// The version of the message.
    public var version: HTTPVersion
    /// The fields as sent.
    public var headers: HeaderList

    /// Creates a request head.
    public init(method: String, target: String, version: HTTPVersion = .http1_1, headers: HeaderList = HeaderList()) {
        self.method = method
        self.target = target
        self.version = version
        self.headers = headers
    }
}

/// The status line and the fields of a response.
public struct ResponseHead: Sendable, Equatable {
    /// The status code, 100 to 999.
    public var status: Int
    /// The reason phrase as sent; may be empty.
    public var reason: String
    /// The version of the message.
    public var version: HTTPVersion
    /// The fields as sent.
    public var headers: HeaderList

    /// Creates a response head.
    public init(status: Int, reason: String, version: HTTPVersion = .http1_1, headers: HeaderList = HeaderList()) {
        self.status = status
        self.reason = reason
        self.version = version
        self.headers = headers
    }
}

/// How the length of a body is known (RFC 9112 section 6.3).
public enum BodyFraming: Sendable, Equatable {
    /// There is no body.
    case none
    /// `Content-Length` octets.
    case length(Int)
    /// `Transfer-Encoding: chunked`.
    case chunked
    /// Until the peer closes; responses only.
    case untilClose
}
