public import NIOCore

/// Reads HTTP/1 requests: octets in, parts out, no I/O.
///
/// Append what arrives and call `next()` until it returns nil. Framing fields and Host are judged before a head is
/// handed out. Names, values, order, case and repeats stay as they came; body parts are slices of the input.
///
/// Accepted: any method token; Latin-1 and UTF-8 in values, UTF-8 in targets; white space around values (it is not
/// part of them); up to `HTTP1Limits.leadingEmptyLines` empty lines before a request line; chunk extensions, which
/// are dropped, and trailers, without those that frame or route.
///
/// Refused, never repaired: any repeat or list of Content-Length; Transfer-Encoding together with Content-Length,
/// in HTTP/1.0, or other than exactly `chunked`; sizes and lengths that are not plain digits or overflow; folded
/// fields, bare CR, bare LF, NUL and other controls, white space before a colon, empty names, an indented first
/// line; a Host that is missing (1.1), repeated or no host; versions other than 1.0 and 1.1; a CONNECT with content.
///
/// After the parts of a CONNECT the decoder stops: the octets that follow are the tunnel's. Take them with
/// `takeRemaining()`, or call `resume()` when the tunnel was denied.
public struct HTTP1RequestDecoder: Sendable {
    private var reader: MessageReader
    private var line: StartLine.Request?
    private var emptyLines = 0
    private var stopsAfterMessage = false

    /// Creates a decoder at the start of a connection.
    public init(limits: HTTP1Limits = .standard) { self.reader = MessageReader(limits: limits) }

    /// Whether no octet of a further request has come, so that the connection may be closed in good order.
    public var isBetweenMessages: Bool {
        switch self.reader.phase {
        case .startLine: self.reader.input.readableBytes == 0
        case .stopped: true
        case .fields, .fixedBody, .chunkSize, .chunkData, .chunkDataEnd, .trailers, .bodyUntilClose, .failed: false
        }
    }

    /// The number of octets taken over and not yet consumed.
    public var bufferedBytes: Int { self.reader.input.readableBytes }

    /// Takes over octets; they are copied only if earlier ones are still waiting.
    public mutating func append(_ bytes: ByteBuffer) {
        if case .failed = self.reader.phase { return }
        self.reader.append(bytes)
    }

    /// The next part, or nil when more octets are needed or the decoder has stopped.
    ///
    /// After an error the decoder stays failed and throws the same again.
    public mutating func next() throws(HTTP1Error) -> RequestPart? {
        do {
            return try self.step()
        } catch {
            self.reader.fail(error)
            throw error
        }
    }

    /// Tells that the peer has ended its stream; throws when it did so in the middle of a message.
    ///
    /// Call `next()` until it returns nil first.
    public mutating func finish() throws(HTTP1Error) {
        if case .failed(let error) = self.reader.phase { throw error }
        self.reader.hasEnded = true
        guard self.isBetweenMessages else {
            let error = HTTP1Error(.unexpectedEnd)
            self.reader.fail(error)
            throw error
        }
    }

    /// Takes the octets that were not consumed, such as the first ones of a tunnel.
    public mutating func takeRemaining() -> ByteBuffer { self.reader.takeInput() }

    /// Goes on reading requests after a CONNECT that was denied.
    public mutating func resume() {
        if case .stopped = self.reader.phase { self.reader.phase = .startLine }
    }

    private mutating func step() throws(HTTP1Error) -> RequestPart? {
        switch self.reader.phase {
        case .failed(let error):
            throw error
        case .stopped:
            return nil
        case .startLine:
            guard try self.readRequestLine() else { return nil }
            return try self.readFields()
        case .fields:
            return try self.readFields()
        case .fixedBody, .chunkSize, .chunkData, .chunkDataEnd, .trailers, .bodyUntilClose:
            switch try self.reader.nextBodyStep() {
            case .needsMore: return nil
            case .part(let octets, let endsChunk): return .body(octets, endsChunk: endsChunk)
            case .end(let trailers):
                if self.stopsAfterMessage { self.reader.phase = .stopped }
                return .end(trailers)
            }
        }
    }

    private mutating func readRequestLine() throws(HTTP1Error) -> Bool {
        while true {
            let first = self.reader.input.withUnsafeReadableBytes { $0.first }
            guard let first else { return false }
            // Said at once, since a TLS hello or a binary protocol may never send a line end.
            guard Octets.isToken(first) || first == Octets.carriageReturn || first == Octets.lineFeed else {
                throw HTTP1Error(first == Octets.space || first == Octets.tab ? .badRequestLine : .notHTTP)
            }
            switch self.reader.nextLine(limit: self.reader.limits.startLine, tooLong: .startLineTooLong) {
            case .incomplete: return false
            case .fault(let code): throw HTTP1Error(code)
            case .complete(let start, let end):
                if start == end {
                    guard self.emptyLines < self.reader.limits.leadingEmptyLines else {
                        throw HTTP1Error(.tooManyEmptyLines)
                    }
                    self.emptyLines += 1
                    self.reader.consumeLines()
                    continue
                }
                let parsed = self.reader.input.withUnsafeReadableBytes {
                    StartLine.request(UnsafeRawBufferPointer(rebasing: $0[start..<end]))
                }
                switch parsed {
                case .fault(let code): throw HTTP1Error(code)
                case .line(let line): self.line = line
                }
                self.emptyLines = 0
                self.reader.phase = .fields
                return true
            }
        }
    }

    private mutating func readFields() throws(HTTP1Error) -> RequestPart? {
        switch self.reader.nextFields(totalLimit: self.reader.limits.headBytes, tooLong: .headTooLong) {
        case .incomplete: return nil
        case .fault(let code): throw HTTP1Error(code)
        case .complete(let length):
            guard let line = self.line else { return nil }
            self.line = nil
            let (headers, landmarks) = self.reader.takeSection(length: length)
            let head = RequestHead(method: line.method, target: line.target, version: line.version, headers: headers)
            let framing = try Framing.ofRequest(head, landmarks)
            self.stopsAfterMessage = head.method == "CONNECT"
            self.reader.beginBody(framing)
            return .head(head, framing)
        }
    }
}
