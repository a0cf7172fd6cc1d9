import NIOCore
import PlayheadHTTP

/// What a decoder said: parts with adjacent body pieces of a chunk merged, then the error, then the rest.
struct Trace: Equatable {
    enum Entry: Equatable {
        case request(RequestHead, BodyFraming)
        case response(ResponseHead, BodyFraming)
        case informational(ResponseHead)
        case body([UInt8], endsChunk: Bool)
        case end(HeaderList)
        case error(HTTP1Error)
        case rest([UInt8])
    }

    var entries: [Entry] = []

    mutating func addBody(_ octets: ByteBuffer, _ endsChunk: Bool) {
        precondition(octets.readableBytes > 0, "an empty body part")
        if case .body(let before, false) = self.entries.last {
            self.entries[self.entries.count - 1] = .body(before + octets.readableBytesView, endsChunk: endsChunk)
        } else {
            self.entries.append(.body(Array(octets.readableBytesView), endsChunk: endsChunk))
        }
    }

    static func ofRequests(_ octets: [UInt8], step: Int, limits: HTTP1Limits) -> Trace {
        var trace = Trace()
        var decoder = HTTP1RequestDecoder(limits: limits)
        do {
            for start in stride(from: 0, to: octets.count, by: max(step, 1)) {
                decoder.append(ByteBuffer(bytes: octets[start..<min(octets.count, start + step)]))
                while let part = try decoder.next() {
                    switch part {
                    case .head(let head, let framing): trace.entries.append(.request(head, framing))
                    case .body(let octets, let endsChunk): trace.addBody(octets, endsChunk)
                    case .end(let trailers): trace.entries.append(.end(trailers))
                    }
                }
            }
            try decoder.finish()
        } catch {
            trace.entries.append(.error(error))
        }
        trace.entries.append(.rest(Array(decoder.takeRemaining().readableBytesView)))
        return trace
    }

    static func ofResponses(_ octets: [UInt8], step: Int, method: String, limits: HTTP1Limits) -> Trace {
        var trace = Trace()
        var decoder = HTTP1ResponseDecoder(limits: limits)
        decoder.expect(method: method)
        decoder.expect(method: "GET")
        do {
            for start in stride(from: 0, to: octets.count, by: max(step, 1)) {
                decoder.append(ByteBuffer(bytes: octets[start..<min(octets.count, start + step)]))
                while let part = try decoder.next() { trace.add(part) }
            }
            if let part = try decoder.finish() { trace.add(part) }
        } catch {
            trace.entries.append(.error(error))
        }
        trace.entries.append(.rest(Array(decoder.takeRemaining().readableBytesView)))
        return trace
    }

    private mutating func add(_ part: ResponsePart) {
        switch part {
        case .informational(let head): self.entries.append(.informational(head))
        case .head(let head, let framing): self.entries.append(.response(head, framing))
        case .body(let octets, let endsChunk): self.addBody(octets, endsChunk)
        case .end(let trailers): self.entries.append(.end(trailers))
        }
    }

    /// Writes the first request, without hop-by-hop fields, as a proxy does, and reads it back.
    static func checkRequestsRoundTrip(_ octets: [UInt8], limits: HTTP1Limits) {
        let entries = Self.ofRequests(octets, step: octets.count, limits: limits).entries
        guard case .request(var head, let framing) = entries.first, let end = entries.firstIndex(where: \.isEnd),
            case .end(let trailers) = entries[end]
        else { return }
        _ = try? RequestTarget.parse(head.target, method: head.method)
        HopByHop.removeFromRequest(&head.headers)
        if framing == .chunked { head.headers.append(name: "Transfer-Encoding", value: "chunked") }
        var wire = ByteBuffer()
        HTTP1Encoder.write(head, into: &wire)
        for case .body(let octets, _) in entries[..<end] {
            if framing == .chunked {
                HTTP1Encoder.writeChunk(ByteBuffer(bytes: octets), into: &wire)
            } else {
                wire.writeBytes(octets)
            }
        }
        if framing == .chunked { HTTP1Encoder.writeLastChunk(trailers: trailers, into: &wire) }
        let again = Self.ofRequests(Array(wire.readableBytesView), step: wire.readableBytes, limits: .standard)
        precondition(again.entries.first == .request(head, framing), "the head reads in another way when forwarded")
        precondition(Array(again.entries[1...end]) == Array(entries[1...end]), "the body reads in another way")
        precondition(again.entries.count == end + 2, "something follows the forwarded message")
    }
}

extension Trace.Entry {
    var isEnd: Bool { if case .end = self { true } else { false } }
}
