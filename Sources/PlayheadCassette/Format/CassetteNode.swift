import NIOCore
import PlayheadHTTP

/// A value on its way into a file; what to write, apart from how a format writes it.
indirect enum CassetteNode {
    /// Text, quoted where the format needs it.
    case text(String)
    /// A whole number.
    case integer(Int)
    /// A truth value.
    case bool(Bool)
    /// A time, which no format takes for anything else.
    case time(String)
    /// A list; inline means on one line.
    case list([CassetteNode], isInline: Bool)
    /// A dictionary in this order; inline means on one line.
    case dictionary([(String, CassetteNode)], isInline: Bool)
}

/// Turns the model into nodes, in the order a person reads them; what is empty is left out.
enum CassetteNodes {
    /// The keys before the exchanges.
    static func header(of cassette: Cassette) -> [(String, CassetteNode)] {
        var pairs: [(String, CassetteNode)] = [("playhead", .integer(Cassette.currentVersion))]
        if !cassette.recordedWith.isEmpty { pairs.append(("recorded_with", .text(cassette.recordedWith))) }
        if !cassette.metadata.isEmpty {
            let entries = cassette.metadata.sorted { $0.key < $1.key }.map { ($0.key, CassetteNode.text($0.value)) }
            pairs.append(("metadata", .dictionary(entries, isInline: false)))
        }
        if !cassette.matchers.isEmpty {
            pairs.append(("matchers", .list(cassette.matchers.map { .text($0) }, isInline: true)))
        }
        return pairs
    }

    static func exchange(_ exchange: Exchange) -> CassetteNode {
        var pairs: [(String, CassetteNode)] = [
            ("id", .text(exchange.id)), ("recorded_at", .time(exchange.recordedAt.description)),
            ("request", self.request(exchange.request)),
        ]
        switch exchange.outcome {
        case .response(let response): pairs.append(("response", self.response(response)))
        case .failure(let failure):
            var parts: [(String, CassetteNode)] = [
                ("kind", .text(failure.kind.rawValue)), ("message", .text(failure.message)),
            ]
            if let error = failure.error { parts.insert(("error", .text(error)), at: 1) }
            if let partial = failure.partial { parts.append(("partial", self.response(partial))) }
            pairs.append(("failure", .dictionary(parts, isInline: false)))
        case .webSocket(let socket): pairs.append(("websocket", self.webSocket(socket)))
        }
        var times: [(String, CassetteNode)] = []
        if let first = exchange.timing.firstByte { times.append(("first_byte_ms", .integer(first))) }
        if let total = exchange.timing.total { times.append(("total_ms", .integer(total))) }
        if !times.isEmpty { pairs.append(("timing", .dictionary(times, isInline: true))) }
        return .dictionary(pairs, isInline: false)
    }

    private static func request(_ request: RecordedRequest) -> CassetteNode {
        var pairs: [(String, CassetteNode)] = [
            ("method", .text(request.method)), ("url", .text(request.url)),
            ("http", .text(request.version.description)),
        ]
        if !request.headers.isEmpty { pairs.append(("headers", self.headers(request.headers))) }
        if let body = self.body(request.body) { pairs.append(("body", body)) }
        if !request.trailers.isEmpty { pairs.append(("trailers", self.headers(request.trailers))) }
        return .dictionary(pairs, isInline: false)
    }

    private static func response(_ response: RecordedResponse) -> CassetteNode {
        var pairs: [(String, CassetteNode)] = [("status", .integer(response.status))]
        if !response.reason.isEmpty { pairs.append(("reason", .text(response.reason))) }
        pairs.append(("http", .text(response.version.description)))
        if !response.headers.isEmpty { pairs.append(("headers", self.headers(response.headers))) }
        if let body = self.body(response.body) { pairs.append(("body", body)) }
        if !response.trailers.isEmpty { pairs.append(("trailers", self.headers(response.trailers))) }
        if !response.chunks.isEmpty {
            let chunks = response.chunks.map {
                CassetteNode.list(
                    [.integer($0.at), .integer($0.length)] + ($0.after.map { [.integer($0)] } ?? []), isInline: true)
            }
            pairs.append(("chunks", .list(chunks, isInline: true)))
        }
        return .dictionary(pairs, isInline: false)
    }

    static func headers(_ headers: HeaderList) -> CassetteNode {
        let fields = headers.indices.map { index -> CassetteNode in
            let value = headers.withValue(at: index) { octets -> CassetteNode in
                if let text = String(validating: octets, as: UTF8.self) { return .text(text) }
                return .dictionary([("base64", .text(Base64.encode(octets)))], isInline: true)
            }
            return .list([.text(headers.name(at: index)), value], isInline: true)
        }
        return .list(fields, isInline: false)
    }

    static func body(_ body: RecordedBody) -> CassetteNode? {
        var pairs: [(String, CassetteNode)] = []
        switch body.content {
        case .none: if body.coding.isEmpty, !body.isTruncated { return nil }
        case .octets(let octets):
            octets.withUnsafeReadableBytes { bytes in
                if let text = self.readable(bytes) {
                    pairs.append(("text", .text(text)))
                } else {
                    pairs.append(("base64", .text(Base64.encode(bytes))))
                }
            }
        case .file(let reference):
            pairs = [
                ("file", .text(reference.name)), ("length", .integer(reference.length)),
                ("sha256", .text(reference.sha256)),
            ]
        }
        if !body.coding.isEmpty { pairs.append(("coding", .list(body.coding.map { .text($0) }, isInline: true))) }
        if body.isTruncated { pairs.append(("truncated", .bool(true))) }
        return .dictionary(pairs, isInline: false)
    }

    /// The octets as text if a person can read them: UTF-8 without control characters but tab and line ends.
    private static func readable(_ bytes: UnsafeRawBufferPointer) -> String? {
        for octet in bytes where octet < 0x20 && octet != 0x09 && octet != 0x0a && octet != 0x0d || octet == 0x7f {
            return nil
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
