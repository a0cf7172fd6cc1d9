import NIOCore
import PlayheadHTTP

/// Makes the parts of a cassette from nodes, with the checks that wire values get.
struct CassetteDecoder {
    static let cassetteKeys = ["playhead", "recorded_with", "metadata", "matchers", "exchanges"]
    private static let exchangeKeys = ["id", "recorded_at", "request", "response", "failure", "websocket", "timing"]
    private static let requestKeys = ["method", "url", "http", "headers", "body", "trailers"]
    private static let responseKeys = ["status", "reason", "http", "headers", "body", "trailers", "chunks"]

    var fileName: String
    /// The ids seen so far.
    private var ids: Set<String> = []

    init(fileName: String) { self.fileName = fileName }

    /// The format version of the file; a newer one names the program that is needed.
    func version(_ node: YAMLNode) throws(CassetteError) -> Int {
        guard let version = node.integer, version >= 1 else {
            throw self.error("'playhead' must be the format version, a whole number such as 1", node)
        }
        guard version <= Cassette.currentVersion else {
            throw CassetteError(
                .tooNew,
                "the cassette has format \(version) and this program reads up to \(Cassette.currentVersion); "
                    + "use playhead \(version) or newer", file: self.fileName, line: node.line)
        }
        return version
    }

    func metadata(_ node: YAMLNode) throws(CassetteError) -> [String: String] {
        if node.isNull { return [:] }
        guard let entries = node.mapping else { throw self.error("'metadata' must be a dictionary of texts", node) }
        var metadata: [String: String] = [:]
        for entry in entries {
            guard let text = entry.value.text else {
                throw self.error("the metadata '\(entry.key)' must be text", entry.value)
            }
            metadata[entry.key] = text
        }
        return metadata
    }

    func texts(_ node: YAMLNode, _ what: String) throws(CassetteError) -> [String] {
        if node.isNull { return [] }
        guard let items = node.sequence else { throw self.error("'\(what)' must be a list of names", node) }
        var texts: [String] = []
        for item in items {
            guard let text = item.text else { throw self.error("'\(what)' must be a list of names", item) }
            texts.append(text)
        }
        return texts
    }

    /// Notes the ids of exchanges that were read apart; false if one is there already.
    mutating func claim(_ exchanges: [Exchange]) -> Bool {
        self.ids.reserveCapacity(self.ids.count + exchanges.count)
        for exchange in exchanges where !self.ids.insert(exchange.id).inserted { return false }
        return true
    }

    mutating func exchange(_ node: YAMLNode) throws(CassetteError) -> Exchange {
        let fields = try MappingReader(node, "an exchange", keys: Self.exchangeKeys, fileName: self.fileName)
        let id = try fields.requiredText("id")
        guard !id.isEmpty, self.ids.insert(id).inserted else {
            throw self.error("the id '\(id)' is there twice; give each exchange its own", fields.raw("id") ?? node)
        }
        let time = try fields.required("recorded_at")
        guard let recordedAt = time.text.flatMap({ Timestamp($0) }) else {
            throw self.error("'recorded_at' must be a time such as 2026-11-21T03:00:00.123Z", time)
        }
        let request = try self.request(fields.required("request"))
        let outcome: Exchange.Outcome
        switch (fields["response"], fields["failure"], fields["websocket"]) {
        case (let response?, nil, nil): outcome = .response(try self.response(response))
        case (nil, let failure?, nil): outcome = .failure(try self.failure(failure))
        case (nil, nil, let socket?): outcome = .webSocket(try self.webSocket(socket))
        case (nil, nil, nil): throw self.error("an exchange needs a 'response', a 'failure' or a 'websocket'", node)
        default: throw self.error("an exchange has one of 'response', 'failure' and 'websocket'", node)
        }
        var timing = Exchange.Timing()
        if let node = fields["timing"] {
            let times = try MappingReader(
                node, "a timing", keys: ["first_byte_ms", "total_ms"], fileName: self.fileName)
            timing.firstByte = try times.integer("first_byte_ms", in: 0...Int.max)
            timing.total = try times.integer("total_ms", in: 0...Int.max)
        }
        return Exchange(id: id, recordedAt: recordedAt, request: request, outcome: outcome, timing: timing)
    }

    private func request(_ node: YAMLNode) throws(CassetteError) -> RecordedRequest {
        let fields = try MappingReader(node, "a request", keys: Self.requestKeys, fileName: self.fileName)
        let method = try fields.requiredText("method")
        guard WireValue.isToken(method) else {
            throw self.error("'\(method)' is not a method", fields.raw("method") ?? node)
        }
        let url = try fields.requiredText("url")
        guard WireValue.isURL(url) else {
            throw self.error(
                "'url' must be an absolute http or https URL without spaces and control characters",
                fields.raw("url") ?? node)
        }
        return RecordedRequest(
            method: method, url: url, version: try self.httpVersion(fields),
            headers: try self.headers(fields, "headers"),
            body: try self.body(fields), trailers: try self.headers(fields, "trailers"))
    }

    private func response(_ node: YAMLNode) throws(CassetteError) -> RecordedResponse {
        let fields = try MappingReader(node, "a response", keys: Self.responseKeys, fileName: self.fileName)
        _ = try fields.required("status")
        let status = try fields.integer("status", in: 200...999) ?? 0
        let reason = try fields.text("reason") ?? fields.raw("reason")?.text ?? ""
        guard WireValue.isFieldValue(reason) else {
            throw self.error("'reason' must not have a line end or a NUL", fields.raw("reason") ?? node)
        }
        let body = try self.body(fields)
        return RecordedResponse(
            status: status, reason: reason, version: try self.httpVersion(fields),
            headers: try self.headers(fields, "headers"), body: body, trailers: try self.headers(fields, "trailers"),
            chunks: try self.chunks(fields))
    }

    private func failure(_ node: YAMLNode) throws(CassetteError) -> RecordedFailure {
        let fields = try MappingReader(
            node, "a failure", keys: ["kind", "error", "message", "partial"], fileName: self.fileName)
        let name = try fields.requiredText("kind")
        guard let kind = RecordedFailure.Kind(rawValue: name) else {
            let known = RecordedFailure.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw self.error("'\(name)' is not a kind of failure; known are \(known)", fields.raw("kind") ?? node)
        }
        var partial: RecordedResponse?
        if let node = fields["partial"] { partial = try self.response(node) }
        let type = try fields.text("error")
        if let type, !RecordedFailure.isError(type) {
            throw self.error(
                "'\(type)' is no error type of RFC 9209, such as dns_timeout", fields.raw("error") ?? node)
        }
        return RecordedFailure(kind: kind, message: try fields.text("message") ?? "", error: type, partial: partial)
    }

    func httpVersion(_ fields: MappingReader) throws(CassetteError) -> HTTPVersion {
        guard let node = fields["http"] else { return .http1_1 }
        switch node.text {
        case "HTTP/1.1": return .http1_1
        case "HTTP/1.0": return .http1_0
        case "HTTP/2", "HTTP/2.0": return .http2
        default: throw self.error("'http' must be HTTP/1.0, HTTP/1.1 or HTTP/2", node)
        }
    }

    func headers(_ fields: MappingReader, _ key: String) throws(CassetteError) -> HeaderList {
        var headers = HeaderList()
        for item in try fields.sequence(key) ?? [] {
            guard let pair = item.sequence, pair.count == 2, let name = pair[0].text else {
                throw self.error("'\(key)' must be a list of [name, value] pairs", item)
            }
            guard WireValue.isToken(name) else { throw self.error("'\(name)' is not a field name", item) }
            if let text = pair[1].text {
                guard WireValue.isFieldValue(text) else {
                    throw self.error("the value of '\(name)' must not have a line end or a NUL", item)
                }
                headers.append(name: name, value: text)
            } else {
                let value = try MappingReader(pair[1], "a field value", keys: ["base64"], fileName: self.fileName)
                guard let octets = Base64.decode(try value.requiredText("base64")) else {
                    throw self.error("the value of '\(name)' is not base64", item)
                }
                guard !octets.contains(where: { $0 == 0x0a || $0 == 0x0d || $0 == 0 }) else {
                    throw self.error("the value of '\(name)' must not have a line end or a NUL", item)
                }
                headers.append(name: name, octets: octets)
            }
        }
        return headers
    }

    private func chunks(_ fields: MappingReader) throws(CassetteError) -> [RecordedResponse.Chunk] {
        var chunks: [RecordedResponse.Chunk] = []
        for item in try fields.sequence("chunks") ?? [] {
            guard let parts = item.sequence, parts.count == 2 || parts.count == 3,
                let at = parts[0].integer, let length = parts[1].integer, at >= 0, length >= 0
            else { throw self.error("'chunks' must be a list of [milliseconds, octets] pairs", item) }
            let after = parts.count == 3 ? parts[2].integer : nil
            guard parts.count == 2 || after.map({ $0 >= 0 }) == true else {
                throw self.error("the third number of a chunk must be a count of messages", item)
            }
            chunks.append(RecordedResponse.Chunk(at: at, length: length, after: after))
        }
        return chunks
    }

    func error(_ message: String, _ node: YAMLNode) -> CassetteError {
        CassetteError(.malformed, message, file: self.fileName, line: node.line)
    }
}

extension CassetteDecoder {
    private static let bodyKeys = ["text", "base64", "file", "length", "sha256", "coding", "truncated"]

    private func body(_ fields: MappingReader) throws(CassetteError) -> RecordedBody {
        guard let node = fields["body"] else {
            // `body: ""` is a body by hand that is empty; to the model that is no body.
            return RecordedBody()
        }
        // Shorthand of people: a body that is only text.
        if let text = node.text { return RecordedBody(text.isEmpty ? .none : .octets(ByteBuffer(string: text))) }
        return try self.body(MappingReader(node, "a body", keys: Self.bodyKeys, fileName: self.fileName), node)
    }

    /// A body from the keys of a dictionary that may have others.
    func body(_ parts: MappingReader, _ node: YAMLNode) throws(CassetteError) -> RecordedBody {
        let kinds = ["text", "base64", "file"].filter { parts.raw($0) != nil }
        guard kinds.count <= 1 else {
            throw self.error("a body has one of 'text', 'base64' and 'file'", node)
        }
        var body = RecordedBody()
        if let coding = parts["coding"] { body.coding = try self.texts(coding, "coding") }
        for coding in body.coding where !WireValue.isToken(coding) {
            throw self.error("'\(coding)' is not a content coding", node)
        }
        body.isTruncated = try parts.bool("truncated") ?? false
        switch kinds.first {
        case "text": body.content = .octets(ByteBuffer(string: try self.text(parts, "text")))
        case "base64":
            guard let octets = Base64.decode(try self.text(parts, "base64")) else {
                throw self.error("'base64' is not base64", parts.raw("base64") ?? node)
            }
            body.content = .octets(ByteBuffer(bytes: octets))
        case "file": body.content = .file(try self.reference(parts, node))
        default: break
        }
        return body
    }

    /// The text of a key whose value `~` or nothing is an empty text.
    private func text(_ fields: MappingReader, _ key: String) throws(CassetteError) -> String {
        try fields.text(key) ?? fields.raw(key)?.text ?? ""
    }

    private func reference(_ parts: MappingReader, _ node: YAMLNode) throws(CassetteError) -> SideFileReference {
        let name = try parts.requiredText("file")
        let sha256 = try parts.requiredText("sha256")
        _ = try parts.required("length")
        let length = try parts.integer("length", in: 0...Int.max) ?? 0
        let reference = SideFileReference(name: name, length: length, sha256: sha256)
        guard reference.isWellFormed else {
            throw CassetteError(
                .illegalName,
                "'\(name)' is not a side file: 64 hexadecimal digits that are its sha256, a dot and a suffix",
                file: self.fileName, line: (parts.raw("file") ?? node).line)
        }
        return reference
    }
}
