import NIOCore
import PlayheadCassette
import PlayheadContent
import PlayheadEngine
import PlayheadHTTP

/// A recorded response made ready for the wire: coding applied again, framing fields computed anew.
struct ReplayResponse {
    var head: ResponseHead
    var framing: BodyFraming
    /// The body in the pieces it is sent in; more than one only for chunked framing.
    var pieces: [ByteBuffer]
    var trailers: HeaderList

    /// - Parameters:
    ///   - recorded: the response; a side file's octets are given in `octets`.
    ///   - octets: the stored body, after codings were taken off.
    ///   - method: the request's method: HEAD has no body whatever the fields say (RFC 9110 section 9.3.2).
    init(_ recorded: RecordedResponse, octets: ByteBuffer, method: String) throws(ContentError) {
        var body = octets
        if !recorded.body.coding.isEmpty, octets.readableBytes > 0 {
            let codings = recorded.body.coding.compactMap(ContentCoding.init(rawValue:))
            body = try ContentEncoder.encode(octets, codings: codings)
        }
        self.init(recorded, wireLength: body.readableBytes, method: method)
        guard self.framing != .none, body.readableBytes > 0 else { return }
        self.pieces = self.framing == .chunked ? Self.pieces(of: body, recorded) : [body]
    }

    /// The head alone, for a body of `wireLength` octets that is sent from elsewhere.
    init(_ recorded: RecordedResponse, wireLength: Int, method: String) {
        var headers = recorded.headers
        // A hand may have edited the file; framing is ours to say.
        HopByHop.removeFromResponse(&headers)
        if recorded.status == 204 { headers.remove("content-length") }
        self.head = ResponseHead(status: recorded.status, reason: recorded.reason, headers: headers)
        self.pieces = []
        self.trailers = HeaderList()
        let hasNoBody =
            method == "HEAD" || recorded.status == 204 || recorded.status == 304
            || (method == "CONNECT" && (200..<300).contains(recorded.status))
        if hasNoBody {
            self.framing = .none
        } else if recorded.headers.contains("content-length") || recorded.status == 205 {
            // A hand-edited or redacted body has another length than the recorded field says.
            if !Self.says(wireLength, recorded.headers) {
                self.head.headers.set("Content-Length", "\(wireLength)")
            }
            self.framing = .length(wireLength)
        } else {
            self.framing = .chunked
            self.trailers = recorded.trailers
        }
    }

    /// Whether one `Content-Length` gives this length, in the one way to write it.
    private static func says(_ length: Int, _ headers: HeaderList) -> Bool {
        guard let first = headers.firstIndex(of: "content-length"),
            !headers.indices.dropFirst(first + 1).contains(where: { headers.isName(at: $0, "content-length") })
        else { return false }
        return headers.withValue(at: first) { octets in
            // More digits than any length has are not this length.
            guard let leading = octets.first, octets.count < 19, leading != UInt8(ascii: "0") || octets.count == 1
            else {
                return false
            }
            var value = 0
            for octet in octets {
                guard (0x30...0x39).contains(octet) else { return false }
                value = value * 10 + Int(octet & 0xf)
            }
            return value == length
        }
    }

    /// The body cut at the recorded chunk borders, if they still fit the octets.
    private static func pieces(of body: ByteBuffer, _ recorded: RecordedResponse) -> [ByteBuffer] {
        let chunks = recorded.playedChunks
        guard !chunks.isEmpty else { return [body] }
        var rest = body
        return chunks.compactMap { rest.readSlice(length: $0.length) }
    }

    /// The whole response for a keep-alive HTTP/1.1 client.
    func wire() -> ByteBuffer {
        var wire = ByteBuffer()
        wire.reserveCapacity(self.wireCapacity)
        self.write(into: &wire)
        return wire
    }

    /// At least as many octets as the wire form has: status line, fields, body, a size line for each chunk.
    var wireCapacity: Int {
        64 + self.head.reason.utf8.count + self.head.headers.octetCount + self.trailers.octetCount
            + self.pieces.reduce(0) { $0 + $1.readableBytes + 20 }
    }

    /// Appends the whole response for a keep-alive HTTP/1.1 client.
    func write(into wire: inout ByteBuffer) {
        var head = self.head
        head.version = .http1_1
        if self.framing == .chunked { head.headers.append(name: "Transfer-Encoding", value: "chunked") }
        HTTP1Encoder.write(head, into: &wire)
        for var piece in self.pieces {
            if self.framing == .chunked {
                HTTP1Encoder.writeChunkHeader(length: piece.readableBytes, into: &wire)
                wire.writeBuffer(&piece)
                HTTP1Encoder.writeChunkEnd(into: &wire)
            } else {
                wire.writeBuffer(&piece)
            }
        }
        if self.framing == .chunked { HTTP1Encoder.writeLastChunk(trailers: self.trailers, into: &wire) }
    }

    /// The response of an exchange, if it is complete and in memory, for methods other than HEAD.
    static func whole(_ exchange: Exchange) -> ReplayResponse? {
        guard case .response(let response) = exchange.outcome, exchange.request.method != "HEAD",
            !response.body.isTruncated
        else { return nil }
        let octets: ByteBuffer
        switch response.body.content {
        case .none: octets = ByteBuffer()
        case .octets(let buffer): octets = buffer
        case .file: return nil
        }
        return try? ReplayResponse(response, octets: octets, method: exchange.request.method)
    }
}
