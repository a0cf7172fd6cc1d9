import NIOCore
import PlayheadHTTP
import PlayheadTestSupport

/// What a decoder said about some input: parts as text, adjacent pieces of one chunk merged, then the error.
struct Transcript: Equatable, CustomStringConvertible {
    var lines: [String] = []
    private var openBody: [UInt8]?

    mutating func add(_ part: RequestPart) {
        switch part {
        case .head(let head, let framing):
            self.flush()
            self.lines.append(
                "head \(head.method) \(head.target) \(head.version) \(framing) \(Self.fields(head.headers))")
        case .body(let octets, let endsChunk): self.add(octets, endsChunk)
        case .end(let trailers): self.end(trailers)
        }
    }

    mutating func add(_ part: ResponsePart) {
        switch part {
        case .informational(let head):
            self.lines.append("informational \(head.status) \(head.reason) \(Self.fields(head.headers))")
        case .head(let head, let framing):
            self.flush()
            self.lines.append(
                "head \(head.status) \(head.reason) \(head.version) \(framing) \(Self.fields(head.headers))")
        case .body(let octets, let endsChunk): self.add(octets, endsChunk)
        case .end(let trailers): self.end(trailers)
        }
    }

    mutating func add(_ error: HTTP1Error) {
        self.flush()
        self.lines.append("error \(error.status) \(error.code)")
    }

    mutating func add(rest: ByteBuffer) {
        if rest.readableBytes > 0 { self.lines.append("rest \(Self.quoted(rest.readableBytesView))") }
    }

    var description: String { self.lines.joined(separator: "\n") }

    private mutating func add(_ octets: ByteBuffer, _ endsChunk: Bool) {
        if octets.readableBytes == 0 { self.lines.append("empty body part") }
        self.openBody = (self.openBody ?? []) + octets.readableBytesView
        if endsChunk {
            self.flush()
            self.lines.append("end of chunk")
        }
    }

    private mutating func end(_ trailers: HeaderList) {
        self.flush()
        self.lines.append("end \(Self.fields(trailers))")
    }

    private mutating func flush() {
        if let body = self.openBody { self.lines.append("body \(Self.quoted(body))") }
        self.openBody = nil
    }

    private static func fields(_ list: HeaderList) -> String {
        list.indices.map { index in
            list.withName(at: index) { Self.quoted($0) } + ":" + list.withValue(at: index) { Self.quoted($0) }
        }.joined(separator: "|")
    }

    private static func quoted(_ octets: some Sequence<UInt8>) -> String {
        octets.map { $0 > 0x20 && $0 < 0x7F ? String(UnicodeScalar($0)) : "\\\($0)" }.joined()
    }
}

/// Feeds pieces to a new request decoder and writes down what it says.
func requestTranscript(_ pieces: [ArraySlice<UInt8>], limits: HTTP1Limits = .standard, ends: Bool = true) -> Transcript
{
    var decoder = HTTP1RequestDecoder(limits: limits)
    var transcript = Transcript()
    do {
        for piece in pieces {
            decoder.append(ByteBuffer(bytes: piece))
            while let part = try decoder.next() { transcript.add(part) }
        }
        if ends { try decoder.finish() }
    } catch {
        transcript.add(error)
    }
    transcript.add(rest: decoder.takeRemaining())
    return transcript
}

/// Feeds pieces to a new response decoder that expects answers to `methods`.
func responseTranscript(
    _ pieces: [ArraySlice<UInt8>], methods: [String] = ["GET"], limits: HTTP1Limits = .standard
) -> Transcript {
    var decoder = HTTP1ResponseDecoder(limits: limits)
    for method in methods { decoder.expect(method: method) }
    var transcript = Transcript()
    do {
        for piece in pieces {
            decoder.append(ByteBuffer(bytes: piece))
            while let part = try decoder.next() { transcript.add(part) }
        }
        if let part = try decoder.finish() { transcript.add(part) }
    } catch {
        transcript.add(error)
    }
    transcript.add(rest: decoder.takeRemaining())
    return transcript
}

/// All the ways to cut a message that are worth trying: whole, octet by octet, in two everywhere, at random.
func splits(of message: [UInt8]) -> [[ArraySlice<UInt8>]] {
    var result: [[ArraySlice<UInt8>]] = [[message[...]]]
    result.append(message.indices.map { message[$0...$0] })
    for cut in message.indices { result.append([message[..<cut], message[cut...]]) }
    var generator = SeededGenerator(state: UInt64(message.count))
    for _ in 0..<20 {
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        while start < message.count {
            let end = min(message.count, start + Int.random(in: 1...17, using: &generator))
            pieces.append(message[start..<end])
            start = end
        }
        result.append(pieces)
    }
    return result
}
