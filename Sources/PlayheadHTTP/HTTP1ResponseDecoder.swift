public import NIOCore

/// What a response answers, as far as its framing depends on it.
enum ResponseExpectation: Sendable {
    case ordinary
    case head
    case connect
}

/// Reads HTTP/1 responses: octets in, parts out, no I/O.
///
/// Say with `expect(method:)` what was asked, in order; without an open expectation octets are kept and not read, so
/// an answer before the question, or anything after the end of the last response, shows in `bufferedBytes` and such
/// a connection must not be used again.
///
/// It is as strict as the request decoder, but for this: identical repeats of Content-Length are merged into the
/// first field; the reason may be missing; a body may run until the peer closes. Every error asks for a 502.
///
/// After 101, and after a 2xx to CONNECT, the decoder stops: the octets that follow speak another protocol.
public struct HTTP1ResponseDecoder: Sendable {
    private var reader: MessageReader
    private var expectations: [ResponseExpectation] = []
    private var line: StartLine.Status?
    private var stopsAfterMessage = false

    /// Creates a decoder at the start of a connection.
    public init(limits: HTTP1Limits = .standard) { self.reader = MessageReader(limits: limits) }

    /// Whether every expected response was read to its end and no further octet has come.
    public var isBetweenMessages: Bool {
        guard case .startLine = self.reader.phase else { return false }
        return self.expectations.isEmpty && self.reader.input.readableBytes == 0
    }

    /// The number of octets taken over and not yet consumed.
    public var bufferedBytes: Int { self.reader.input.readableBytes }

    /// Queues the method of a request that was sent: one final response will answer it.
    public mutating func expect(method: String) {
        self.expectations.append(method == "HEAD" ? .head : method == "CONNECT" ? .connect : .ordinary)
    }

    /// Takes over octets; they are copied only if earlier ones are still waiting.
    public mutating func append(_ bytes: ByteBuffer) {
        if case .failed = self.reader.phase { return }
        self.reader.append(bytes)
    }

    /// The next part, or nil when more octets are needed, no response is expected, or the decoder has stopped.
    ///
    /// After an error the decoder stays failed and throws the same again.
    public mutating func next() throws(HTTP1Error) -> ResponsePart? {
        do {
            return try self.step()
        } catch {
            let error = error.inResponse
            self.reader.fail(error)
            throw error
        }
    }

    /// Tells that the peer has ended its stream.
    ///
    /// It returns the end of a body that runs until the close, or nil between messages, and throws when the stream
    /// broke off inside a message or before an expected one. Call `next()` until it returns nil first.
    public mutating func finish() throws(HTTP1Error) -> ResponsePart? {
        self.reader.hasEnded = true
        switch self.reader.phase {
        case .failed(let error):
            throw error
        case .bodyUntilClose, .stopped:
            return try self.next()
        case .startLine where self.expectations.isEmpty:
            return nil
        case .startLine, .fields, .fixedBody, .chunkSize, .chunkData, .chunkDataEnd, .trailers:
            let error = HTTP1Error(.unexpectedEnd).inResponse
            self.reader.fail(error)
            throw error
        }
    }

    /// Takes the octets that were not consumed, such as the first ones of an upgraded protocol.
    public mutating func takeRemaining() -> ByteBuffer { self.reader.takeInput() }

    private mutating func step() throws(HTTP1Error) -> ResponsePart? {
        switch self.reader.phase {
        case .failed(let error):
            throw error
        case .stopped:
            return nil
        case .startLine:
            guard !self.expectations.isEmpty, try self.readStatusLine() else { return nil }
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

    private mutating func readStatusLine() throws(HTTP1Error) -> Bool {
        let first = self.reader.input.withUnsafeReadableBytes { $0.first }
        guard let first else { return false }
        // Said at once: a server of another protocol may send a banner without a line end, and wait.
        guard first == UInt8(ascii: "H") else { throw HTTP1Error(.notHTTP) }
        switch self.reader.nextLine(limit: self.reader.limits.startLine, tooLong: .startLineTooLong) {
        case .incomplete: return false
        case .fault(let code): throw HTTP1Error(code)
        case .complete(let start, let end):
            let parsed = self.reader.input.withUnsafeReadableBytes {
                StartLine.status(UnsafeRawBufferPointer(rebasing: $0[start..<end]))
            }
            switch parsed {
            case .fault(let code): throw HTTP1Error(code)
            case .line(let line): self.line = line
            }
            self.reader.phase = .fields
            return true
        }
    }

    private mutating func readFields() throws(HTTP1Error) -> ResponsePart? {
        switch self.reader.nextFields(totalLimit: self.reader.limits.headBytes, tooLong: .headTooLong) {
        case .incomplete: return nil
        case .fault(let code): throw HTTP1Error(code)
        case .complete(let length):
            guard let line = self.line, let expectation = self.expectations.first else { return nil }
            self.line = nil
            let (headers, landmarks) = self.reader.takeSection(length: length)
            var head = ResponseHead(status: line.code, reason: line.reason, version: line.version, headers: headers)
            let framing = try Framing.ofResponse(&head, landmarks, to: expectation)
            if head.status < 200, head.status != 101 {
                self.reader.phase = .startLine
                return .informational(head)
            }
            self.expectations.removeFirst()
            self.stopsAfterMessage =
                head.status == 101 || (expectation == .connect && (200..<300).contains(head.status))
            self.reader.beginBody(framing)
            return .head(head, framing)
        }
    }
}
