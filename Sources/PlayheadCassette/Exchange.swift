public import NIOCore
public import PlayheadHTTP

/// One request with its outcome: the unit that a cassette holds.
public struct Exchange: Sendable, Equatable {
    /// A name that is unique within the cassette.
    public var id: String
    /// When the request began.
    public var recordedAt: Timestamp
    /// What was asked.
    public var request: RecordedRequest
    /// What came of it.
    public var outcome: Outcome
    /// How long it took.
    public var timing: Timing

    /// Creates an exchange.
    public init(
        id: String, recordedAt: Timestamp, request: RecordedRequest, outcome: Outcome, timing: Timing = Timing()
    ) {
        self.id = id
        self.recordedAt = recordedAt
        self.request = request
        self.outcome = outcome
        self.timing = timing
    }

    /// What came of a request.
    public enum Outcome: Sendable, Equatable {
        /// A complete response.
        case response(RecordedResponse)
        /// No response, or one that broke off.
        case failure(RecordedFailure)
        /// The connection was switched to WebSocket.
        case webSocket(RecordedWebSocket)
    }

    /// Durations in milliseconds from the start of the request.
    public struct Timing: Sendable, Equatable {
        /// Until the response head came.
        public var firstByte: Int?
        /// Until the last octet came.
        public var total: Int?

        /// Creates a timing.
        public init(firstByte: Int? = nil, total: Int? = nil) {
            self.firstByte = firstByte
            self.total = total
        }
    }
}

/// The request of an exchange.
public struct RecordedRequest: Sendable, Equatable {
    /// The method token.
    public var method: String
    /// The absolute URL: scheme, host, port unless it is the scheme's default, path and query as sent.
    public var url: String
    /// The version the client spoke.
    public var version: HTTPVersion
    /// End-to-end fields, in order, with case and repeats.
    public var headers: HeaderList
    /// The body, with its content coding taken off where it decodes.
    public var body: RecordedBody
    /// Trailer fields.
    public var trailers: HeaderList

    /// Creates a request.
    public init(
        method: String, url: String, version: HTTPVersion = .http1_1, headers: HeaderList = HeaderList(),
        body: RecordedBody = RecordedBody(), trailers: HeaderList = HeaderList()
    ) {
        self.method = method
        self.url = url
        self.version = version
        self.headers = headers
        self.body = body
        self.trailers = trailers
    }
}

/// The response of an exchange.
public struct RecordedResponse: Sendable, Equatable {
    /// The status code, 200 to 999; 101 for a WebSocket.
    public var status: Int
    /// The reason phrase; empty for HTTP/2.
    public var reason: String
    /// The version the origin spoke.
    public var version: HTTPVersion
    /// End-to-end fields, in order, with case and repeats.
    public var headers: HeaderList
    /// The body, with its content coding taken off where it decodes.
    public var body: RecordedBody
    /// Trailer fields.
    public var trailers: HeaderList
    /// Chunk borders when the response was streamed; empty otherwise.
    ///
    /// The lengths sum up to the stored octets.
    public var chunks: [Chunk]

    /// Creates a response.
    public init(
        status: Int, reason: String = "", version: HTTPVersion = .http1_1, headers: HeaderList = HeaderList(),
        body: RecordedBody = RecordedBody(), trailers: HeaderList = HeaderList(), chunks: [Chunk] = []
    ) {
        self.status = status
        self.reason = reason
        self.version = version
        self.headers = headers
        self.body = body
        self.trailers = trailers
        self.chunks = chunks
    }

    /// One piece of a streamed body.
    public struct Chunk: Sendable, Equatable {
        /// When it came, in milliseconds from the start of the request.
        public var at: Int
        /// Its length in octets.
        public var length: Int
        /// How many messages of the request had come by then, while the request was still under way (gRPC).
        public var after: Int?

        /// Creates a chunk.
        public init(at: Int, length: Int, after: Int? = nil) {
            self.at = at
            self.length = length
            self.after = after
        }
    }
}

/// An exchange that did not end in a complete response.
public struct RecordedFailure: Sendable, Equatable {
    /// What happened.
    public var kind: Kind
    /// The sentence that was reported, for people; for TLS it names the alert.
    public var message: String
    /// The type of RFC 9209, where it says more than the kind, such as `dns_timeout`.
    public var error: String?
    /// What had arrived before it broke off, if a response had begun.
    public var partial: RecordedResponse?

    /// Creates a failure.
    public init(kind: Kind, message: String, error: String? = nil, partial: RecordedResponse? = nil) {
        self.kind = kind
        self.message = message
        self.error = error
        self.partial = partial
    }

    /// Whether a text can be a type of RFC 9209: it goes into a response field.
    static func isError(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64 && text.utf8.allSatisfy { $0 &- 0x61 < 26 || $0 == UInt8(ascii: "_") }
    }

    /// The kinds of failure; the raw value is the text in the cassette.
    public enum Kind: String, Sendable, CaseIterable {
        /// The name did not resolve.
        case dns
        /// The connection was refused.
        case refused
        /// No route to the host.
        case unreachable
        /// The TLS handshake or verification failed.
        case tls
        /// Nothing came in time.
        case timeout
        /// The connection was reset.
        case reset
        /// The connection was closed before the message was complete.
        case closed
        /// What came was not HTTP.
        case malformed = "protocol"
        /// The client left a stream before its end; the origin did nothing wrong.
        case clientLeft = "client_left"
        /// The proxy was stopped while a stream was under way.
        case stopped

        /// Whether the origin failed, rather than that somebody had heard enough.
        public var isFault: Bool { self != .clientLeft && self != .stopped }
    }
}

/// A body as a cassette keeps it.
public struct RecordedBody: Sendable, Equatable {
    /// Where the octets are.
    public enum Content: Sendable, Equatable {
        /// There is no body.
        case none
        /// The octets themselves.
        case octets(ByteBuffer)
        /// A side file in the cassette's body folder.
        case file(SideFileReference)
    }

    /// The octets, after the codings in `coding` were taken off.
    public var content: Content
    /// The content codings that were taken off, in the order of `Content-Encoding`; replay applies them again.
    public var coding: [String]
    /// Whether recording stopped at its bound before the body was complete.
    public var isTruncated: Bool

    /// Creates a body.
    public init(_ content: Content = .none, coding: [String] = [], isTruncated: Bool = false) {
        self.content = content
        self.coding = coding
        self.isTruncated = isTruncated
    }

    /// The number of stored octets.
    public var count: Int {
        switch self.content {
        case .none: 0
        case .octets(let octets): octets.readableBytes
        case .file(let reference): reference.length
        }
    }
}

/// A content-addressed side file `<name>.bodies/<sha256>.<suffix>`.
public struct SideFileReference: Sendable, Hashable {
    /// The file's name inside the cassette's body folder: 64 lower-case hexadecimal digits and a suffix.
    public var name: String
    /// The length of the file in octets.
    public var length: Int
    /// The SHA-256 of the file's octets, 64 lower-case hexadecimal digits.
    public var sha256: String

    /// Creates a reference.
    public init(name: String, length: Int, sha256: String) {
        self.name = name
        self.length = length
        self.sha256 = sha256
    }
}
